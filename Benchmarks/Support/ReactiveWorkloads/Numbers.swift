internal import CommonStream
internal import Comparing
internal import Synchronization

/// The first two million events of the common stream, and where a run leaves its sum.
enum Numbers {
    static let events = Array(CommonStream.tenMillionEvents.prefix(2_000_000))

    /// What the five stages come to, by hand.
    static let sum = sumByHand(events)

    @inline(never)
    static func sumByHand<Events: Sequence<StreamEvent>>(_ events: Events) -> Double {
        var sum = 0.0
        for event in events where event.value > 0.1 {
            let value = event.value * 2 + 1
            if value < 2.9 { sum += value }
        }
        return sum
    }
}

final class Sum: Sendable {
    private let place = Mutex(0.0)

    var value: Double { place.withLock { $0 } }

    func set(_ sum: Double) {
        place.withLock { $0 = sum }
    }

    func check() throws {
        let sum = value
        guard sum == Numbers.sum else { throw WrongResult(sum, insteadOf: Numbers.sum) }
    }
}
