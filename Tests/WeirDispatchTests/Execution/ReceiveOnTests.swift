import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@Suite struct ReceiveOnTests {
    private func virtual() -> (VirtualClock, ExecutionContext) {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        return (clock, .scheduler(scheduler))
    }

    @Test func everySignalComesLaterInOrder() {
        let (clock, context) = virtual()
        let subject = Multicast<Int>()
        let recorder = Recorder<Int>(subject.receive(on: context))
        subject.send(1, at: .epoch)
        subject.advance(to: Timestamp(secondsSinceEpoch: 3))
        subject.send(2, at: Timestamp(secondsSinceEpoch: 4))
        subject.finish()
        #expect(recorder.signals.isEmpty)
        clock.advance(by: .zero)
        #expect(
            recorder.signals == [
                .element(1, .epoch), .watermark(Timestamp(secondsSinceEpoch: 3)),
                .element(2, Timestamp(secondsSinceEpoch: 4)), .completion(.finished),
            ]
        )
    }

    @Test func policiesDropWhatTheySay() {
        let cases: [(OverflowPolicy, [Int], [Int])] = [
            (.dropNewest, [0, 1, 2, 3], [4, 5]), (.block, [0, 1, 2, 3], [4, 5]),
            (.dropOldest, [2, 3, 4, 5], [0, 1]), (.latest, [5], [0, 1, 2, 3, 4]), (.fail, [0, 1, 2, 3], [4]),
        ]
        for (policy, expected, lost) in cases {
            let (clock, context) = virtual()
            let subject = Multicast<Int>()
            let received = subject.receive(on: context, capacity: 4, overflowPolicy: policy)
            let recorder = Recorder<Int>(received)
            let dropped = Recorder<Int>()
            received.dropped.subscribeWithTime { number, time in
                var sink = dropped.sink
                sink.receive(number, at: time)
            }
            for number in 0..<6 { subject.send(number, at: .epoch) }
            // Without a place, but not lost.
            subject.advance(to: Timestamp(secondsSinceEpoch: 1))
            clock.advance(by: .zero)
            #expect(recorder.elements == expected, "\(policy)")
            #expect(dropped.elements == lost, "\(policy)")
            if policy == .fail {
                #expect(recorder.signals.last == .completion(.failed(ChannelError.overflow(capacity: 4))))
            } else {
                #expect(recorder.signals.last == .watermark(Timestamp(secondsSinceEpoch: 1)), "\(policy)")
            }
        }
    }

    @Test(arguments: [OverflowPolicy.dropOldest, .latest])
    func aWatermarkThatMakesRoomComesLater(policy: OverflowPolicy) {
        let (clock, context) = virtual()
        let subject = Multicast<Int>()
        let received = subject.receive(on: context, capacity: 2, overflowPolicy: policy)
        let recorder = Recorder<Int>(received)
        subject.advance(to: Timestamp(secondsSinceEpoch: 1))
        for number in 2...3 { subject.send(number, at: Timestamp(secondsSinceEpoch: 2)) }
        clock.advance(by: .zero)
        #expect(recorder.signals.last == .watermark(Timestamp(secondsSinceEpoch: 1)))
        #expect(recorder.elements == (policy == .latest ? [3] : [2, 3]))
        #expect(received.dropped.count == (policy == .latest ? 1 : 0))
    }

    @Test func watermarksThatMakeRoomNeverGoBack() {
        let (clock, context) = virtual()
        let subject = Multicast<Int>()
        let recorder = Recorder<Int>(subject.receive(on: context, capacity: 4, overflowPolicy: .dropOldest))
        for second in 1...3 as ClosedRange<Int64> { subject.advance(to: Timestamp(secondsSinceEpoch: second)) }
        for number in 4...5 { subject.send(number, at: Timestamp(secondsSinceEpoch: Int64(number))) }
        clock.advance(by: .zero)
        let later = [2, 3].map { StreamSignal<Int>.watermark(Timestamp(secondsSinceEpoch: $0)) }
        #expect(recorder.signals == later + [4, 5].map { .element($0, Timestamp(secondsSinceEpoch: Int64($0))) })
    }

    @Test func nothingComesAfterTheCancellation() {
        let (clock, context) = virtual()
        let subject = Multicast<Int>()
        let recorder = Recorder<Int>()
        let subscription = subject.receive(on: context).attach(recorder.sink)
        subject.send(1, at: .epoch)
        clock.advance(by: .zero)
        subject.send(2, at: .epoch)
        subscription.cancel()
        clock.advance(by: .zero)
        subject.send(3, at: .epoch)
        clock.advance(by: .zero)
        #expect(recorder.elements == [1])
    }

    @Test func aFullRingMakesThePublisherWaitForTheProcessor() throws {
        let processor = EventProcessor(name: "receiving")
        try processor.start()
        let subject = Multicast<Int>()
        let done = Parker()
        let received = Locked<[Int]>([])
        let wrongThread = Locked(0)
        let stream = subject.receive(on: .processor(processor), capacity: 2)
        stream.subscribeWithTime(
            { number, _ in
                if processor.isIsolatingCurrentContext() != true { wrongThread.withLock { $0 += 1 } }
                received.withLock { $0.append(number) }
            },
            onCompletion: { _ in done.unpark() }
        )
        for number in 0..<20_000 { subject.send(number, at: .epoch) }
        subject.finish()
        done.park(until: MonotonicClock().now() + .seconds(300))
        #expect(received.withLock { $0 } == Array(0..<20_000))
        #expect(stream.dropped.count == 0 && wrongThread.withLock { $0 } == 0)
        processor.stop(.now)
    }

    @Test func attachingHappensInTheContext() {
        let (clock, context) = virtual()
        let subject = Multicast<Int>()
        let recorder = Recorder<Int>(subject.attach(on: context))
        let cancelled = Recorder<Int>()
        let subscription = subject.attach(on: context).attach(cancelled.sink)
        subscription.cancel()
        subject.send(1, at: .epoch)
        clock.advance(by: .zero)
        subject.send(2, at: .epoch)
        #expect(recorder.elements == [2])
        #expect(cancelled.elements.isEmpty)
    }
}
