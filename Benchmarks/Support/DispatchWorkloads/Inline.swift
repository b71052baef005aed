internal import CBench
internal import Comparing
internal import Synchronization
internal import WeirCore
internal import WeirDispatch

/// Events that are handled on the publisher's thread.
enum Inline {
    /// How the handlers are attached.
    enum Kind {
        case subscribers
        case listeners
    }

    /// Publishes on a channel; returns nanoseconds per event and handler.
    static func publish(to count: Int, _ kind: Kind) -> Double {
        let channel = EventChannel<Sample>()
        let sums = attach(count, kind, channel)
        return measure(count, sums) { publish(on: channel, $0) }
    }

    /// Publishes on a bus, which looks up the channel by the event's type; returns nanoseconds per event and handler.
    static func publishOnBus(to count: Int, _ kind: Kind) -> Double {
        let bus = EventBus()
        let sums = attach(count, kind, bus.channel(of: Sample.self))
        return measure(count, sums) { publish(on: bus, $0) }
    }

    /// Calls closures in an array; returns nanoseconds per event and closure.
    static func byHand(_ count: Int) -> Double {
        let sums = (0..<count).map { _ in PlainCounter() }
        let handlers: [@Sendable (Sample) -> Void] = sums.map { sum in { sum.add($0.number) } }
        return measure(count, sums) { call(handlers, $0) }
    }

    /// Two atomic exchanges, which nobody else asks for: what keeping others out costs at least.
    static func exchanges() -> Double {
        let total = 10_000_000
        let state = Atomic<UInt32>(0)
        return nanoseconds(per: total) {
            for _ in 0..<total {
                _ = state.compareExchange(expected: 0, desired: 1, ordering: .acquiring)
                _ = state.compareExchange(expected: 1, desired: 0, ordering: .releasing)
            }
        }
    }

    /// Reads the monotonic clock; returns nanoseconds.
    static func clock() -> Double {
        let total = 5_000_000
        var last: Int64 = 0
        let time = nanoseconds(per: total) {
            for _ in 0..<total { last = max(last, cbench_now()) }
        }
        check(last > 0, "the clock stands still")
        return time
    }

    private static func attach(_ count: Int, _ kind: Kind, _ channel: EventChannel<Sample>) -> [PlainCounter] {
        let sums = (0..<count).map { _ in PlainCounter() }
        for sum in sums {
            switch kind {
            case .subscribers: channel.subscribe { sum.add($0.number) }
            case .listeners: channel.listen { sample, _ in sum.add(sample.number) }
            }
        }
        return sums
    }

    static func measure(_ count: Int, _ sums: [PlainCounter], total: Int = 5_000_000, _ body: (Int) -> Void) -> Double {
        let total = total / count
        let time = nanoseconds(per: total * count) { body(total) }
        let expected = UInt64(total) * UInt64(total - 1) / 2
        check(sums.allSatisfy { $0.value.pointee == expected }, "a handler has missed events")
        return time
    }

    @inline(never)
    private static func publish(on channel: EventChannel<Sample>, _ total: Int) {
        for number in 0..<UInt64(total) { channel.publish(Sample(number)) }
    }

    @inline(never)
    private static func publish(on bus: EventBus, _ total: Int) {
        for number in 0..<UInt64(total) { bus.publish(Sample(number)) }
    }

    @inline(never)
    private static func call(_ handlers: [@Sendable (Sample) -> Void], _ total: Int) {
        for number in 0..<UInt64(total) {
            for handler in handlers { handler(Sample(number)) }
        }
    }
}
