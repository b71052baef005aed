internal import CommonStream
internal import Comparing
internal import Synchronization
internal import WeirCore
internal import WeirDispatch

/// A million timers at random times: set, and then fired in order.
enum Timers {
    static let count = 1_000_000

    /// In a timer queue; returns nanoseconds per timer.
    static func queue() throws -> Double {
        var queue = try TimerQueue<UInt64>(limit: count)
        var random = SplitMix64(seed: 42)
        var fired = 0
        let time = try Comparing.nanoseconds(per: count) {
            for number in 0..<UInt64(count) { try queue.add(at: deadline(&random), number) }
            while queue.popDue(upTo: .distantFuture) != nil { fired += 1 }
        }
        check(fired == count, "timers were lost")
        return time
    }

    /// Through a scheduler, whose clock is moved by hand; returns nanoseconds per timer.
    static func scheduler() throws -> Double {
        let clock = HandMovedClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        var random = SplitMix64(seed: 42)
        let fired = PlainCounter()
        let time = try Comparing.nanoseconds(per: count) {
            for _ in 0..<count { try scheduler.schedule(at: deadline(&random)) { _ in fired.add(1) } }
            clock.nanoseconds.store(.max, ordering: .relaxed)
            scheduler.runDue()
        }
        check(fired.value.pointee == UInt64(count), "schedules were lost")
        return time
    }

    /// Events that are dispatched later, to one subscriber; returns nanoseconds per event.
    static func bus() throws -> Double {
        let clock = HandMovedClock()
        let bus = EventBus(clock: EventClock(clock))
        let fired = PlainCounter()
        bus.channel(of: Sample.self).subscribe { _ in fired.add(1) }
        var random = SplitMix64(seed: 42)
        let time = try Comparing.nanoseconds(per: count) {
            for number in 0..<UInt64(count) { try bus.queue(Sample(number), at: deadline(&random)) }
            clock.nanoseconds.store(.max, ordering: .relaxed)
            bus.scheduler.runDue()
        }
        check(fired.value.pointee == UInt64(count), "schedules were lost")
        return time
    }

    /// Within a thousand seconds.
    private static func deadline(_ random: inout SplitMix64) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: nanoseconds(&random))
    }

    static func nanoseconds(_ random: inout SplitMix64) -> Int64 {
        Int64(random.next() % 1_000_000_000_000)
    }
}

/// A clock that shows what it was set to.
private final class HandMovedClock: TimeSource {
    let nanoseconds = Atomic<Int64>(0)

    func now() -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: nanoseconds.load(ordering: .relaxed))
    }
}
