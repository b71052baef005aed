import Hummingbird
import Weir

/// Takes readings by HTTP, and tells the highest temperature so far.
func makeRouter(publishingInto readings: EventChannel<Reading>) -> Router<BasicRequestContext> {
    let highest = Locked<Reading?>(nil)
    readings.subscribe { reading in
        highest.withLock { highest in
            if reading.celsius > highest?.celsius ?? -.infinity { highest = reading }
        }
    }
    let router = Router()
    router.post("readings") { request, context in
        let reading = try await request.decode(as: Reading.self, context: context)
        // Refused when the channel's ring is full: the sender may try again.
        return readings.publish(reading) ? HTTPResponse.Status.accepted : .serviceUnavailable
    }
    router.get("highest") { _, _ in
        highest.withLock { "\($0?.celsius ?? 0)" }
    }
    return router
}
