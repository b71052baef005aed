import Testing
import WeirCore
import WeirGraphs
import WeirTesting

/// The rules of the specification "Reactive Streams" 1.0.4 that apply here, by their numbers.
@Suite struct ReactiveStreamsTests {
    private func publisher(_ count: Int) -> GraphPublisher<Int> {
        Source(0..<count).to(GraphSink<Int, GraphPublisher<Int>>.publisher()).run()
    }

    private func probed(_ count: Int, onElement: @escaping @Sendable (Int, Probe<Int>) -> Void = { _, _ in }) -> Probe<
        Int
    > {
        let probe = Probe<Int>(onElement: onElement)
        publisher(count).subscribe(probe)
        return probe
    }

    // MARK: 1, the publisher

    @Test func rule1_1_neverMoreThanRequested() {
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let probe = probed(50)
            while !probe.isOver {
                #expect(probe.elements.count == min(50, probe.state.requested), "seed \(seed)")
                probe.request(.random(in: 1...9, using: &generator))
            }
            #expect(probe.elements == Array(0..<50))
        }
    }

    @Test func rule1_2_mayEndWithLessThanRequested() {
        let probe = probed(3)
        probe.request(10)
        #expect(probe.elements == [0, 1, 2] && probe.state.isComplete)
    }

    @Test func rule1_3_signalsAreSerial() async {
        let subscriber = publisher(20_000)
        let probe = Probe<Int>()
        subscriber.subscribe(probe)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<5000 { probe.request(1) }
                }
            }
        }
        #expect(probe.elements == Array(0..<20_000))
        #expect(probe.state.overlaps == 0 && probe.state.deepest == 1)
    }

    @Test func rule1_4_failureIsSignalled() {
        let probe = Probe<Int>()
        Source<Int, Void>.failing(Trouble()).to(GraphSink<Int, GraphPublisher<Int>>.publisher()).run().subscribe(probe)
        #expect(probe.state.signals == ["onSubscribe", "onError"])
        #expect(probe.state.error as? Trouble == Trouble())
    }

    @Test func rule1_5_completionIsSignalled() {
        let probe = Probe<Int>()
        Source<Int, Void>.empty().to(GraphSink<Int, GraphPublisher<Int>>.publisher()).run().subscribe(probe)
        #expect(probe.state.signals == ["onSubscribe", "onComplete"], "an empty stream needs no demand")
    }

    @Test func rule1_7_nothingFollowsTheEnd() {
        let probe = probed(2)
        probe.request(5)
        let signals = probe.state.signals
        probe.request(5)
        probe.cancel()
        #expect(probe.state.signals == signals)
        #expect(signals == ["onSubscribe", "onNext", "onNext", "onComplete"])
    }

    @Test func rule1_8_cancellationStopsTheSignals() {
        let probe = probed(100)
        probe.request(3)
        probe.cancel()
        probe.request(3)
        #expect(probe.elements == [0, 1, 2] && !probe.isOver)
    }

    @Test func rule1_9_theSubscriptionComesFirst() {
        #expect(probed(1).state.signals.first == "onSubscribe")
        let once = publisher(1)
        once.subscribe(Probe())
        let second = Probe<Int>()
        once.subscribe(second)
        #expect(second.state.signals == ["onSubscribe", "onError"], "also where the publisher refuses")
    }

    @Test func rule1_10_aSubscriberSubscribesOnce() {
        let once = publisher(3)
        let probe = Probe<Int>()
        once.subscribe(probe)
        once.subscribe(probe)
        #expect(probe.state.error as? DemandError == .subscribed)
    }

    // MARK: 2, the subscriber

    @Test func rule2_1_demandIsSignalled() {
        let manual = ManualPublisher()
        Source<Int, Void>(publisher: manual, capacity: 8).to(.ignoring()).run()
        #expect(manual.requested == 8)
        for number in 0..<5 { manual.send(number) }
        #expect(manual.requested == 13, "as much again as was taken")
    }

    @Test func rule2_5_aSecondSubscriptionIsCancelled() {
        let (subscriber, result) = Source<Int, GraphSubscriber<Int>>.subscriber().to(.collect(limit: 9)) { ($0, $1) }
            .run()
        let first = ManualSubscription()
        let second = ManualSubscription()
        subscriber.onSubscribe(first)
        subscriber.onSubscribe(second)
        #expect(!first.isCancelled && second.isCancelled)
        subscriber.onComplete()
        #expect(result.current != nil)
    }

    @Test func rule2_6_cancelsWhenItNeedsNoMore() {
        let manual = ManualPublisher()
        let result = Source<Int, Void>(publisher: manual).take(2).to(.collect(limit: 2)).run()
        manual.send(1)
        #expect(!manual.subscription.isCancelled)
        manual.send(2)
        #expect(manual.subscription.isCancelled)
        #expect((try? result.wait()) == [1, 2])
    }

    @Test func rule2_8_elementsMayComeAfterTheCancellation() {
        let manual = ManualPublisher()
        let result = Source<Int, Void>(publisher: manual).take(1).to(.collect(limit: 9)).run()
        for number in 1...3 { manual.send(number) }
        #expect((try? result.wait()) == [1])
    }

    @Test func rule2_9_completionMayComeWithoutDemand() {
        let manual = ManualPublisher()
        let result = Source<Int, Void>(publisher: manual).to(.collect(limit: 9)).run()
        manual.subscriber?.onComplete()
        #expect((try? result.wait()) == [])
    }

    @Test func rule2_10_errorMayComeWithoutDemand() {
        let manual = ManualPublisher()
        let result = Source<Int, Void>(publisher: manual).to(.collect(limit: 9)).run()
        manual.subscriber?.onError(Trouble())
        #expect(throws: Trouble()) { try result.wait() }
    }

    @Test func aPublisherThatSendsTooMuchIsCancelled() {
        // Rule 1.1, seen from the other side; the element is not lost in silence.
        let (subscriber, result) = Source<Int, GraphSubscriber<Int>>.subscriber(capacity: 2)
            .via(.killSwitch()) { ($0, $1) }
            .to(GraphSink<Int, GraphPublisher<Int>>.publisher()) { ($0, $1) }.run()
        let probe = Probe<Int>()
        result.subscribe(probe)
        let subscription = ManualSubscription()
        subscriber.0.onSubscribe(subscription)
        for number in 0..<3 { subscriber.0.onNext(number) }
        #expect(subscription.isCancelled)
        probe.request(5)
        #expect(probe.elements == [0, 1])
        #expect(probe.state.error as? DemandError == .exceeded(requested: 2))
    }

    // MARK: 3, the subscription

    @Test func rule3_2_requestMayBeCalledFromInside() {
        let probe = probed(1000) { _, probe in probe.request(1) }
        probe.request(1)
        #expect(probe.elements == Array(0..<1000) && probe.state.isComplete)
    }

    @Test func rule3_3_requestsFromInsideDoNotRecurse() {
        let probe = probed(100_000) { _, probe in probe.request(1) }
        probe.request(1)
        #expect(probe.elements.count == 100_000 && probe.state.deepest == 1)
    }

    @Test func rule3_6_requestsAfterTheCancellationDoNothing() {
        let probe = probed(9)
        probe.cancel()
        probe.request(3)
        probe.request(-1)
        #expect(probe.state.signals == ["onSubscribe"])
    }

    @Test func rule3_7_cancellingAgainDoesNothing() {
        let probe = probed(9)
        probe.cancel()
        probe.cancel()
        #expect(probe.state.signals == ["onSubscribe"])
    }

    @Test func rule3_8_requestsAddUp() {
        let probe = probed(9)
        probe.request(2)
        probe.request(3)
        #expect(probe.elements.count == 5)
    }

    @Test func rule3_9_aRequestThatIsNotPositiveIsAnError() {
        for count in [0, -1, .min] {
            let probe = probed(9)
            probe.request(count)
            #expect(probe.state.signals == ["onSubscribe", "onError"])
            #expect(probe.state.error as? DemandError == .notPositive(count))
        }
    }

    @Test func rule3_10_elementsMayComeBeforeRequestReturns() {
        let probe = probed(9)
        probe.request(4)
        #expect(probe.elements == [0, 1, 2, 3])
    }

    @Test func rule3_12_cancellationReachesTheSource() {
        let subject = Multicast<Int>()
        let (subscription, probe) = Source<Int, Subscription>.stream(subject).probe()
        #expect(!subscription.isCancelled)
        probe.cancel()
        #expect(subscription.isCancelled)
    }

    @Test func rule3_13_aCancelledSubscriberIsReleased() {
        let kept = publisher(9)
        var probe: Probe<Int>? = Probe()
        weak let gone = probe
        if let probe { kept.subscribe(probe) }
        probe?.cancel()
        probe = nil
        #expect(gone == nil)
    }

    @Test func rule3_17_demandMayBeUnbounded() {
        let probe = probed(1000)
        probe.request(.max)
        probe.request(.max)
        #expect(probe.elements.count == 1000 && probe.state.isComplete)
    }

    // MARK: 4, the processor

    @Test func rule4_1_aProcessorIsASubscriberAndAPublisher() {
        let processor = Flow<Int, String, Void>.map { "\($0)" }.processor()
        let probe = Probe<String>()
        processor.subscribe(probe)
        publisher(5).subscribe(processor)
        #expect(probe.elements.isEmpty)
        probe.request(3)
        #expect(probe.elements == ["0", "1", "2"])
        probe.request(9)
        #expect(probe.elements.count == 5 && probe.state.isComplete)
    }

    @Test func rule4_2_aProcessorPassesErrorsOn() {
        let processor = Flow<Int, Int, Void>.map { $0 }.processor()
        let probe = Probe<Int>()
        processor.subscribe(probe)
        Source<Int, Void>.failing(Trouble()).to(GraphSink<Int, GraphPublisher<Int>>.publisher()).run().subscribe(
            processor
        )
        #expect(probe.state.error as? Trouble == Trouble())
    }
}
