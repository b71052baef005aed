import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirSignals
import WeirTesting

@Suite struct SamplingTests {
    private struct Broken: Error, Equatable {}

    private func second(_ number: Int64) -> Timestamp { Timestamp(secondsSinceEpoch: number) }

    @Test func aSampleIsTheValueAtThatMoment() {
        let (pressure, ticks) = (MutableSignal(1), Multicast<Void>())
        let recorder = Recorder<Int>(pressure.sampled(by: ticks))
        ticks.send((), at: second(1))
        pressure.value = 2
        pressure.value = 3
        ticks.send((), at: second(2))
        ticks.send((), at: second(3))
        ticks.advance(to: second(3))
        transaction {
            pressure.value = 4
            // The change is not carried yet.
            ticks.send((), at: second(4))
        }
        ticks.send((), at: second(5))
        ticks.finish()
        #expect(
            recorder.signals == [
                .element(1, second(1)), .element(3, second(2)), .element(3, second(3)), .watermark(second(3)),
                .element(3, second(4)), .element(4, second(5)), .completion(.finished),
            ]
        )
    }

    @Test func samplesEndWithTheSignal() {
        let ticks = Multicast<Void>()
        var pressure: MutableSignal<Int>? = MutableSignal(1)
        let samples = pressure?.sampled(by: ticks)
        let recorder = samples.map { Recorder<Int>($0) }
        ticks.send((), at: second(1))
        pressure = nil
        ticks.send((), at: second(2))
        ticks.send((), at: second(3))
        #expect(recorder?.signals == [.element(1, second(1)), .completion(.finished)])
    }

    @Test func samplesAreTakenOnAnyThread() {
        let (pressure, ticks) = (MutableSignal(0), EventChannel<Int>())
        let (samples, count) = (pressure.sampled(by: ticks), 5000)
        let seen = Locked<[Int]>([])
        samples.subscribe { value in seen.withLock { $0.append(value) } }
        let pool = ThreadPool(limit: 1, idleTime: .milliseconds(1))
        let isDone = Locked(false)
        pool.perform {
            for number in 0..<count { ticks.publish(number) }
            isDone.withLock { $0 = true }
        }
        for value in 1...count { pressure.value = value }
        while !isDone.withLock({ $0 }) { pressure.value += 1 }
        let values = seen.withLock { $0 }
        #expect(values.count == count)
        #expect(values == values.sorted())
    }

    @Test func aCheckpointHasTheValue() throws {
        let (ticks, pressure) = (EventChannel<Int>(), MutableSignal(1))
        pressure.sampled(by: ticks).subscribe { _ in }
        pressure.value = 5
        let checkpoint = try ticks.checkpoint()
        let (others, another) = (EventChannel<Int>(), MutableSignal(1))
        let seen = Locked<[Int]>([])
        another.sampled(by: others).subscribe { value in seen.withLock { $0.append(value) } }
        try others.restore(checkpoint)
        others.publish(0)
        #expect(seen.withLock { $0 } == [5])
    }

    @Test @MainActor func timeIsASignal() async throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        var now: Signal<Timestamp>? = try Signal.time(every: .seconds(10), by: scheduler)
        let start = clock.now()
        #expect(now?() == start)
        let elapsed = now.map { now in Signal { now() - start } }
        clock.advance(by: .seconds(10))
        #expect(await eventually { elapsed?() == .seconds(10) })
        clock.advance(by: .seconds(35))
        #expect(await eventually { now?() == start + .seconds(40) })
        #expect(scheduler.pendingCount == 1)
        now = nil
    }

    @Test @MainActor func theScheduleOfATimeEndsWithIt() async throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        do {
            let now = try Signal.time(every: .seconds(1), by: scheduler)
            #expect(scheduler.pendingCount == 1)
            withExtendedLifetime(now) {}
        }
        #expect(await eventually { scheduler.pendingCount == 0 })
    }

    @Test @MainActor func aSignalEndsWithItsStream() async {
        let subject = Multicast<Int>()
        let phase = subject.phases(initial: 0)
        let text = phase.map { phase in
            switch phase.completion {
            case nil: "\(phase.value)"
            case .failed(let error): "\(phase.value) \(error)"
            case .finished, .interrupted: "\(phase.value)."
            }
        }
        #expect(text() == "0")
        subject.send(1, at: .epoch)
        #expect(await eventually { text() == "1" })
        // The newest value comes with the end, though nothing had time to come before.
        for number in 2...100 { subject.send(number, at: .epoch) }
        subject.finish(.failed(Broken()))
        #expect(await eventually { text() == "100 Broken()" })
    }

    @Test func aStreamEndsWithItsSignal() {
        let phase = MutableSignal(SignalPhase(0))
        let recorder = Recorder<Int>(phase.changesUntilEnd(stampedBy: EventClock(VirtualClock())))
        phase.value = SignalPhase(1)
        phase.value = SignalPhase(1)
        phase.value.value = 2
        phase.value = SignalPhase(3, .failed(Broken()))
        phase.value = SignalPhase(4)
        #expect(recorder.elements == [1, 2, 3])
        guard case .completion(.failed(let error))? = recorder.signals.last else {
            Issue.record("the stream has not failed")
            return
        }
        #expect(error is Broken)

        let other = MutableSignal(SignalPhase(0))
        let finished = Recorder<Int>(other.changesUntilEnd())
        other.value.completion = .finished
        #expect(finished.elements.isEmpty)
        #expect(finished.isFinished)
    }

    @Test func aStreamOfASignalThatHasEndedEndsAtOnce() {
        let phase = MutableSignal(SignalPhase(0))
        phase.value = SignalPhase(1, .finished)
        let recorder = Recorder<Int>(phase.changesUntilEnd())
        #expect(recorder.signals == [.completion(.finished)])
        phase.value = SignalPhase(2)
        #expect(recorder.signals == [.completion(.finished)])

        let broken = MutableSignal(SignalPhase(0, .failed(Broken())))
        let failed = Recorder<Int>(broken.changesUntilEnd())
        #expect(failed.signals == [.completion(.failed(Broken()))])
    }

    /// What an expression cannot compute is a value that says why.
    @Test func anExpressionHoldsItsError() {
        let line = MutableSignal("7")
        let number = Signal {
            Result { () throws(Broken) -> Int in
                guard let number = Int(line()) else { throw Broken() }
                return number
            }
        }
        let double = number.map { $0.map { $0 * 2 } }
        #expect(double() == .success(14))
        line.value = "seven"
        #expect(double() == .failure(Broken()))
        line.value = "8"
        #expect(double() == .success(16))
    }
}
