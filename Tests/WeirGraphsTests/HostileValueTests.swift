import Testing
import WeirCore
import WeirDispatch
import WeirGraphs

/// A clock that jumps.
private final class JumpingClock: TimeSource {
    private let time = Locked(Timestamp.epoch)

    func now() -> Timestamp { time.withLock { $0 } }

    func jump(to new: Timestamp) { time.withLock { $0 = new } }
}

/// Limits without a bound, durations longer than time, and clocks that jump.
@Suite(.timeLimit(.minutes(1))) struct HostileValueTests {
    private let clock = JumpingClock()

    private func settings() -> GraphSettings {
        GraphSettings(execution: .inline, scheduler: Scheduler(clock: EventClock(clock)))
    }

    @Test func aClockThatJumpsMakesOneTick() throws {
        let settings = settings()
        let ticks = Locked<[Timestamp]>([])
        Source<Timestamp, Void>.ticks(every: .nanoseconds(2)) { $0 }
            .to(.forEach { tick in ticks.withLock { $0.append(tick) } }).run(settings)
        let far = Int64(1) << 60
        let times = [2, 3, far, far + 2, .max - 1, .max] as [Int64]
        for time in times {
            clock.jump(to: Timestamp(nanosecondsSinceEpoch: time))
            settings.scheduler?.runDue()
        }
        #expect(ticks.withLock { $0 }.map(\.nanosecondsSinceEpoch) == [2, 4, far + 2, far + 4])
    }

    @Test func durationsLongerThanTime() throws {
        let settings = settings()
        clock.jump(to: Timestamp(nanosecondsSinceEpoch: 1 << 62))
        let long = Duration.seconds(Int64.max)
        Source<Int, Void>.ticks(every: long) { _ in 1 }.to(.ignoring()).run(settings)
        let slow = Locked(0)
        Source(1...3).throttle(1, per: long).to(.forEach { _ in slow.withLock { $0 += 1 } }).run(settings)
        #expect(slow.withLock { $0 } == 1)
        let backoff = Backoff(first: long, longest: long, factor: .infinity)
        let result = Source<Int, Void>.restarting(backoff) { .failing(GraphError.stopped) }.to(.ignoring()).run(
            settings
        )
        #expect(result.current == nil)
        let growing = Backoff(first: .seconds(1), longest: .seconds(9), factor: .infinity)
        #expect((1...3).map(growing.wait(afterFailures:)) == [.seconds(1), .seconds(9), .seconds(9)])
        let steady = Backoff(first: .seconds(1), longest: .seconds(9), factor: 2)
        #expect((1...6).map(steady.wait(afterFailures:)) == [1, 2, 4, 8, 9, 9].map { .seconds($0) })
    }

    @Test func demandWithoutABound() throws {
        let numbers = Array(1...5_000)
        func sum(of source: Source<Int, Void>) throws -> Int {
            let total = Locked(0)
            try source.to(.forEach(asking: .max) { number in total.withLock { $0 += number } }).run(settings()).wait()
            return total.withLock { $0 }
        }
        #expect(try sum(of: Source(numbers)) == 12_502_500)
        #expect(try sum(of: Source(numbers).map { $0 }.async(capacity: 8)) == 12_502_500)
        #expect(try sum(of: Source(numbers).buffer(.max)) == 12_502_500)
        #expect(try sum(of: Source(numbers).buffer(2)) == 12_502_500)
        let graph = try Graph { builder in
            let split = builder.balance(Int.self, to: 2)
            builder.add(Source(numbers)) --> split.inlet
            return split.outlets.map { $0 --> GraphSink.forEach(asking: .max) { _ in } }
        }
        for result in graph.run(settings()) { try result.wait() }
    }
}
