import Testing
import WeirCore
import WeirCreation
import WeirDispatch
import WeirSelection
import WeirTesting

/// Streams of ticks go on with the time that would have been the next.
@Suite struct TickStateTests {
    private struct Run {
        let clock = VirtualClock()
        let scheduler: Scheduler
        let recorder: Recorder<String>

        init(_ plan: Int) throws {
            scheduler = Scheduler(clock: EventClock(clock))
            let ticks =
                switch plan {
                case 0: Ticks(every: .seconds(7), on: scheduler)
                case 1: Ticks(at: [3, 3, 20, 41, 41, 90].map { Timestamp(secondsSinceEpoch: $0) }, on: scheduler)
                default: Ticks(cron: try CronSchedule("*/2 * * * *"), on: scheduler)
                }
            recorder = Recorder(ticks.scan(into: 0) { count, _ in count += 1 }.map { "tick \($0)" })
        }

        func advance(to second: Int64) {
            clock.advance(to: Timestamp(secondsSinceEpoch: second))
            scheduler.runDue()
        }

        var texts: [String] { recorder.signals.map { "\($0)" } }
    }

    @Test(arguments: 0..<3)
    func goOnAtEveryMoment(plan: Int) throws {
        let moments = [0, 2, 3, 5, 7, 14, 20, 40, 41, 60, 90, 121, 240, 400] as [Int64]
        let whole = try Run(plan)
        for moment in moments { whole.advance(to: moment) }
        for cut in moments.indices {
            let first = try Run(plan)
            for moment in moments[...cut] { first.advance(to: moment) }
            let checkpoint = try Checkpoint(bytes: try first.scheduler.checkpoint().bytes)
            let second = try Run(plan)
            // The process was away: its clock has gone on.
            second.clock.advance(to: Timestamp(secondsSinceEpoch: moments[cut]))
            try second.scheduler.restore(checkpoint)
            #expect(try second.scheduler.checkpoint().bytes == checkpoint.bytes, "plan \(plan), cut \(cut)")
            for moment in moments[(cut + 1)...] { second.advance(to: moment) }
            #expect(first.texts + second.texts == whole.texts, "plan \(plan), cut \(cut)")
        }
    }

    /// Times that have passed while the process was away are due at once, each of them.
    @Test func missedTimesAreDueAtOnce() throws {
        let first = try Run(0)
        first.advance(to: 8)
        let checkpoint = try first.scheduler.checkpoint()
        let second = try Run(0)
        second.clock.advance(to: Timestamp(secondsSinceEpoch: 30))
        try second.scheduler.restore(checkpoint)
        second.scheduler.runDue()
        #expect(second.recorder.elements == ["tick 2", "tick 3", "tick 4"])
    }

    @Test func anotherScheduleDoesNotFit() throws {
        let checkpoint = try Run(0).scheduler.checkpoint()
        #expect(throws: StateError.self) { try Run(2).scheduler.restore(checkpoint) }
    }
}
