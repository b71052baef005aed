internal import CommonStream
internal import Comparing
internal import WeirCore
internal import WeirSelection

/// Events that are sent one by one through a filter and a map to a subscriber.
enum Subjects {
    private static let count = 2_000_000

    @inline(never)
    static func byHand() throws -> Double {
        var sum = 0.0
        let events = Numbers.events.prefix(count)
        let cost = nanoseconds(per: events.count) {
            for event in events where event.value > 0.5 { sum += event.value * 2 }
        }
        return try checked(cost, sum, events)
    }

    static func channel() throws -> Double {
        let events = Numbers.events.prefix(count)
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        channel.filter { $0.value > 0.5 }.map { $0.value * 2 }.attach(TallySink(result))
        let cost = nanoseconds(per: events.count) {
            for event in events { channel.publish(event) }
        }
        channel.finish()
        return try checked(cost, result.tally.sum, events)
    }

    static func checked(_ cost: Double, _ sum: Double, _ events: ArraySlice<StreamEvent>) throws -> Double {
        let expected = events.reduce(0.0) { $1.value > 0.5 ? $0 + $1.value * 2 : $0 }
        guard sum == expected else { throw WrongResult(sum, insteadOf: expected) }
        return cost
    }
}
