import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@Suite("Channels: events from the future")
struct AheadTests {
    private struct Reading: Event {
        let timestamp: Timestamp
    }

    private func reading(at seconds: Int64) -> Reading { Reading(timestamp: Timestamp(secondsSinceEpoch: seconds)) }

    @Test func whatIsBeyondTheLimitIsRejectedAndCounted() throws {
        let clock = EventClock(VirtualClock(at: Timestamp(secondsSinceEpoch: 100)))
        let bus = EventBus(clock: clock)
        let channel = bus.channel(of: Reading.self, maxAhead: .ofClock(.seconds(60), clock))
        let (sinks, listeners, ahead) = (Journal<Int64>(), Journal<Int64>(), Journal<Int64>())
        let processor = EventProcessor(name: "ahead", bus: bus)
        processor.on(Reading.self) { event, _ in listeners.add(event.timestamp.nanosecondsSinceEpoch / 1_000_000_000) }
        channel.subscribe { sinks.add($0.timestamp.nanosecondsSinceEpoch / 1_000_000_000) }
        channel.ahead.subscribeWithTime { _, time in ahead.add(time.nanosecondsSinceEpoch / 1_000_000_000) }
        try processor.start()
        #expect(channel.publish(reading(at: 100)))
        #expect(!channel.publish(reading(at: 161)))
        #expect(bus.queue(reading(at: 160)))
        #expect(!bus.stack(reading(at: 9_000_000_000)))
        #expect(!channel.publish(contentsOf: [reading(at: 1), reading(at: 200), reading(at: 2)]))
        processor.stop()
        processor.waitUntilStopped()
        #expect(sinks.all == [100, 160, 1, 2])
        #expect(listeners.all == sinks.all)
        #expect(ahead.all == [161, 9_000_000_000, 200])
        #expect(channel.metrics.droppedAhead == 3)
        #expect(channel.metrics.published == 4)
    }

    @Test func withoutALimitNothingIsRejected() {
        let channel = EventChannel<Reading>()
        let seen = Tally()
        channel.subscribe { _ in seen.add() }
        #expect(channel.publish(reading(at: 9_000_000_000)))
        #expect(channel.publish(Reading(timestamp: .distantFuture)))
        #expect(seen.count == 2)
    }
}
