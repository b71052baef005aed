import Testing
import WeirCore
import WeirDispatch
import WeirFlow
import WeirTesting

@Suite struct DelayArrivalTests {
    private let clock = VirtualClock()
    private let scheduler: Scheduler
    private let channel = EventChannel<Keyed>()

    init() {
        scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
    }

    private func publish(_ value: Int, at time: Int64 = 0) {
        channel.publish(Keyed(timestamp: milliseconds(time), key: 0, value: value))
    }

    @Test func everythingArrivesThatMuchLater() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let clock = VirtualClock()
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            let channel = EventChannel<Keyed>()
            let delay = Int64.random(in: 0...5, using: &generator)
            let notes = Locked<[String]>([])
            channel.delay(arrivalBy: .milliseconds(delay), on: scheduler).subscribeWithTime(
                { element, time in notes.withLock { $0.append("\(element.value) of \(time) at \(clock.now())") } },
                onCompletion: { completion in notes.withLock { $0.append("\(completion) at \(clock.now())") } }
            )
            var expected: [String] = []
            for value in 0..<Int.random(in: 0...12, using: &generator) {
                let now = clock.now()
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    channel.advance(to: now)
                } else {
                    let time = now + .milliseconds(Int64.random(in: -3...3, using: &generator))
                    channel.publish(Keyed(timestamp: time, key: 0, value: value))
                    expected.append("\(value) of \(time) at \(now + .milliseconds(delay))")
                }
                clock.advance(by: .milliseconds(Int64.random(in: 0...2, using: &generator)))
            }
            channel.finish()
            expected.append("finished at \(clock.now() + .milliseconds(delay))")
            for _ in 0...delay { clock.advance(by: .milliseconds(1)) }
            #expect(notes.withLock { $0 } == expected, "seed \(seed)")
        }
    }

    @Test func watermarksStayBehindTheElementsBeforeThem() {
        let recorder = Recorder(channel.delay(arrivalBy: .milliseconds(10), on: scheduler))
        publish(1)
        channel.advance(to: milliseconds(1))
        clock.advance(by: .milliseconds(5))
        channel.advance(to: milliseconds(2))
        publish(2, at: 3)
        clock.advance(by: .milliseconds(5))
        #expect(recorder.elements.map(\.value) == [1] && recorder.signals.last == .watermark(milliseconds(2)))
        clock.advance(by: .milliseconds(5))
        #expect(recorder.elements.map(\.value) == [1, 2])
    }

    @Test func failuresDoNotWait() {
        let recorder = Recorder(channel.delay(arrivalBy: .milliseconds(10), on: scheduler))
        publish(1)
        channel.finish(.interrupted)
        #expect(recorder.signals == [.completion(.interrupted)])
        clock.advance(by: .milliseconds(20))
        #expect(recorder.signals.count == 1)
        #expect(scheduler.pendingCount == 0)
    }

    @Test func theRoomIsLimited() {
        for policy in [LimitPolicy.dropNewest, .dropOldest, .fail] {
            let channel = EventChannel<Keyed>()
            let stream = channel.delay(
                arrivalBy: .milliseconds(10),
                on: scheduler,
                overflowPolicy: policy,
                limit: 2
            )
            let recorder = Recorder(stream)
            for value in 1...4 { channel.publish(Keyed(timestamp: .epoch, key: 0, value: value)) }
            #expect(stream.refused.count == (policy == .fail ? 1 : 2))
            clock.advance(by: .milliseconds(10))
            #expect(recorder.isFinished == (policy == .fail))
            let kept = [LimitPolicy.dropNewest: [1, 2], .dropOldest: [3, 4], .fail: []]
            #expect(recorder.elements.map(\.value) == kept[policy])
        }
    }

    @Test func cancellingStopsTheTimer() {
        let subscription = channel.delay(arrivalBy: .milliseconds(10), on: scheduler).subscribe { _ in
            Issue.record("an element has come after the end of the subscription")
        }
        publish(1)
        #expect(scheduler.pendingCount == 1)
        subscription.cancel()
        #expect(scheduler.pendingCount == 0)
        clock.advance(by: .milliseconds(20))
    }

    /// Also where what it was set for was given up.
    @Test func oneTimerIsSetAtATime() {
        let stream = channel.delay(
            arrivalBy: .milliseconds(10),
            on: scheduler,
            overflowPolicy: .dropOldest,
            limit: 1
        )
        let recorder = Recorder(stream)
        for number in 1...1_000 {
            publish(number)
            clock.advance(by: .microseconds(1))
            #expect(scheduler.pendingCount == 1)
        }
        clock.advance(by: .milliseconds(10))
        #expect(recorder.elements.map(\.value) == [1_000])
        #expect(scheduler.pendingCount == 0)
    }

    @Test func aFullSchedulerFailsTheStream() {
        let full = Scheduler(clock: EventClock(clock), limit: 1)
        _ = try? full.schedule(after: .seconds(1)) { _ in }
        let recorder = Recorder(channel.delay(arrivalBy: .milliseconds(10), on: full))
        publish(1)
        #expect(recorder.isFinished && recorder.elements.isEmpty)
    }

    @Test func whatWaitsIsSaved() throws {
        func stream(_ channel: EventChannel<Keyed>) -> DelayArrival<EventChannel<Keyed>> {
            channel.delay(arrivalBy: .milliseconds(10), on: scheduler)
        }
        let old = EventChannel<Keyed>()
        let first = Recorder<Keyed>()
        let subscription = stream(old).attach(first.sink)
        old.publish(Keyed(timestamp: .epoch, key: 0, value: 1))
        clock.advance(by: .milliseconds(4))
        old.publish(Keyed(timestamp: .epoch, key: 0, value: 2))
        let checkpoint = try old.checkpoint()
        subscription.cancel()
        let new = EventChannel<Keyed>()
        let second = Recorder(stream(new))
        try new.restore(checkpoint)
        #expect(try new.checkpoint().bytes == checkpoint.bytes)
        clock.advance(by: .milliseconds(6))
        #expect(second.elements.map(\.value) == [1])
        clock.advance(by: .milliseconds(4))
        #expect(second.elements.map(\.value) == [1, 2] && first.elements.isEmpty)
    }
}
