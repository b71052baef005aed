import TestStreams
import TestThreads
import Testing
import WeirCore
import WeirCreation
import WeirFlow
import WeirSelection
import WeirTesting

/// Sends what comes to a subject, one by one.
private struct SubjectSink: Sink {
    let subject: PassthroughSubject<Keyed>

    mutating func receive(_ element: borrowing Keyed, at time: Timestamp) { subject.send(copy element, at: time) }
    mutating func advance(to watermark: Timestamp) { subject.advance(to: watermark) }
    mutating func finish(_ completion: Completion) { subject.finish(completion) }
}

@Suite struct FlatMapTests {
    private struct Broken: Error {}

    private func keyed(_ key: Int, at time: Int64 = 0) -> Keyed {
        Keyed(timestamp: milliseconds(time), key: key, value: key)
    }

    @Test(
        arguments: [.merge(limit: 1), .merge(limit: 2), .merge(limit: 9), .concat, .latest, .first]
            as [FlatteningStrategy]
    )
    func agreesWithAModel(strategy: FlatteningStrategy) {
        for policy in [LimitPolicy.dropNewest, .dropOldest, .fail] {
            for limit in [0, 2] {
                compare(inputs: 4, rounds: 300) { channels in
                    let subjects = channels.dropFirst().map { channel in
                        let subject = PassthroughSubject<Keyed>()
                        channel.attach(SubjectSink(subject: subject))
                        return subject
                    }
                    return channels[0].flatMap(strategy, overflowPolicy: policy, limit: limit) { subjects[$0.key] }
                } aside: {
                    strategy == .latest ? $0.replaced : $0.refused
                } with: { arrivals in
                    var model = FlatMapModel(strategy, policy, limit: limit)
                    for arrival in arrivals { model.take(arrival) }
                    return model.outcome
                }
            }
        }
    }

    @Test func streamsThatEmitWhileTheyAreAttachedNeedNoRoom() {
        let channel = EventChannel<Keyed>()
        let stream = channel.flatMap(.concat) { outer in Values(0..<10_000) { _ in outer.timestamp } }
        let recorder = Recorder(stream)
        channel.publish(keyed(1))
        channel.publish(keyed(2))
        channel.finish()
        #expect(recorder.elements == Array(0..<10_000) + Array(0..<10_000))
        #expect(recorder.isFinished && stream.refused.count == 0)
    }

    @Test func streamsThatFollowEachOtherTakeNoStack() {
        let channel = EventChannel<Keyed>()
        let gate = PassthroughSubject<Int>()
        let recorder = Recorder(
            channel.flatMap(.concat, limit: 100_000) { outer in
                outer.key == 0 ? gate.erased : Values([(outer.key, outer.timestamp)]).erased
            }
        )
        for key in 0..<50_000 { channel.publish(keyed(key)) }
        channel.finish()
        #expect(recorder.elements.isEmpty)
        gate.finish()
        #expect(recorder.elements == Array(1..<50_000))
        #expect(recorder.isFinished)
    }

    @Test func thousandsAtOnceAreDetachedTogether() {
        let channel = EventChannel<Keyed>()
        let begun = Locked(0)
        let ended = Locked(0)
        let inner = PassthroughSubject<Int>()
        let stream = channel.flatMap(.merge(limit: 3_000), overflowPolicy: .dropNewest, limit: 10) { _ in
            inner.tap(onAttach: { begun.withLock { $0 += 1 } }, onDetach: { ended.withLock { $0 += 1 } })
        }
        let recorder = Recorder<Int>()
        let subscription = stream.attach(recorder.sink)
        for key in 0..<4_000 { channel.publish(keyed(key, at: Int64(key))) }
        #expect(begun.withLock { $0 } == 3_000 && stream.refused.count == 990)
        channel.advance(to: milliseconds(4_000))
        inner.send(7, at: milliseconds(4_000))
        #expect(recorder.elements.count == 3_000)
        inner.advance(to: milliseconds(3_500))
        // Ten still wait, the first of which is the 3,000th.
        #expect(recorder.signals.last == .watermark(milliseconds(3_000)))
        subscription.cancel()
        #expect(ended.withLock { $0 } == 3_000)
        inner.send(8, at: milliseconds(6_000))
        channel.publish(keyed(1, at: 7_000))
        #expect(recorder.elements.count == 3_000 && begun.withLock { $0 } == 3_000)
    }

    @Test func streamsThatNeverEndKeepTheirPlacesAndNoMore() {
        for policy in [LimitPolicy.dropNewest, .dropOldest, .fail] {
            let channel = EventChannel<Keyed>()
            let stream = channel.flatMap(.concat, overflowPolicy: policy, limit: 3) { _ in SilentStream<Int>() }
            let recorder = Recorder(stream)
            let refused = Locked<[Int]>([])
            stream.refused.subscribe { element in refused.withLock { $0.append(element.key) } }
            for key in 0..<8 { channel.publish(keyed(key)) }
            #expect(recorder.isFinished == (policy == .fail))
            let expected = [LimitPolicy.dropNewest: [4, 5, 6, 7], .dropOldest: [1, 2, 3, 4], .fail: [4]]
            #expect(refused.withLock { $0 } == expected[policy])
        }
    }

    @Test func aFailureInsideEndsAllUnlessItIsHandledThere() {
        let channel = EventChannel<Keyed>()
        let (broken, other) = (PassthroughSubject<Int>(), PassthroughSubject<Int>())
        let detached = Locked(0)
        let strict = Recorder(
            channel.flatMap(.merge(limit: 9)) { outer in
                (outer.key == 0 ? broken : other).tap(onDetach: { detached.withLock { $0 += 1 } })
            }
        )
        let lenient = Recorder(
            channel.flatMap(.merge(limit: 9)) { outer in
                (outer.key == 0 ? broken : other).replaceError(with: -1)
            }
        )
        channel.publish(keyed(0))
        channel.publish(keyed(1))
        broken.send(5, at: .epoch)
        broken.finish(.failed(Broken()))
        other.send(6, at: .epoch)
        #expect(strict.signals == [.element(5, .epoch), .completion(.failed(Broken()))])
        #expect(detached.withLock { $0 } == 1)
        #expect(lenient.elements == [5, -1, 6] && !lenient.isFinished)
        other.finish(.interrupted)
        #expect(lenient.signals.last == .completion(.interrupted))
    }

    @Test func aCycleIsBoundedByTheLimits() {
        // Each element leads to two more, in the stream that it came from.
        let channel = EventChannel<Keyed>()
        let stream = channel.flatMap(.concat, overflowPolicy: .dropNewest, limit: 4) { outer in
            Values(of: [outer, outer])
        }
        let count = Locked(0)
        stream.subscribe { element in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number < 2_000 { channel.publish(element) }
        }
        channel.publish(keyed(1))
        #expect(count.withLock { $0 } >= 2_000)
    }

    @Test func asynchronousFunctionsAreStreamsOfOneValue() async {
        let channel = EventChannel<Keyed>()
        let gates = Gates()
        let recorder = Recorder(
            channel.flatMap(.merge(limit: 2)) { outer in
                TaskValue(at: { _ in outer.timestamp }) {
                    try await gates.pass(outer.key)
                    return outer.key * 10
                }
            }
        )
        for key in 1...3 { channel.publish(keyed(key, at: Int64(key))) }
        channel.advance(to: milliseconds(4))
        channel.finish()
        #expect(await eventually { gates.waiting == [1, 2] })
        gates.open(2)
        #expect(await eventually { gates.waiting == [1, 3] })
        gates.open(3)
        #expect(await eventually { recorder.elements == [20, 30] })
        gates.open(1)
        #expect(await eventually { recorder.isFinished })
        #expect(recorder.elements == [20, 30, 10])
        // No element came after a watermark of a later time.
        #expect(recorder.signals.first == .watermark(milliseconds(1)))
    }

    @Test func theLatestAsynchronousFunctionWins() async {
        let channel = EventChannel<Keyed>()
        let gates = Gates()
        let stream = channel.flatMap(.latest) { outer in
            TaskValue(at: { _ in outer.timestamp }) {
                try await gates.pass(outer.key)
                return outer.key
            }
        }
        let recorder = Recorder(stream)
        channel.publish(keyed(1))
        #expect(await eventually { gates.waiting == [1] })
        channel.publish(keyed(2))
        channel.finish()
        gates.open(1)
        gates.open(2)
        #expect(await eventually { recorder.isFinished })
        #expect(recorder.elements == [2] && stream.replaced.count == 1)
    }

    @Test func innerStreamsMayRunOnSeveralThreads() {
        let channel = EventChannel<Keyed>()
        let subjects = (0..<4).map { _ in PassthroughSubject<Int>() }
        let sum = Locked(0)
        let completion = Locked(0)
        channel.flatMap(.merge(limit: 3)) { subjects[$0.key] }.subscribeWithTime(
            { value, _ in sum.withLock { $0 += value } },
            onCompletion: { _ in completion.withLock { $0 += 1 } }
        )
        for key in 0..<3 { channel.publish(keyed(key)) }
        var bodies: [@Sendable () -> Void] = subjects.prefix(3).map { subject in
            {
                for value in 1...10_000 { subject.send(value, at: .epoch) }
                subject.finish()
            }
        }
        let last = keyed(3)
        bodies.append { channel.publish(last) }
        TestThreads.run(bodies)
        #expect(sum.withLock { $0 } == 3 * 50_005_000)
        subjects[3].send(1, at: .epoch)
        channel.finish()
        #expect(completion.withLock { $0 } == 0)
        subjects[3].finish()
        #expect(sum.withLock { $0 } == 3 * 50_005_000 + 1 && completion.withLock { $0 } == 1)
    }

    @Test func streamsOfStreamsSwitch() {
        let sources = PassthroughSubject<PassthroughSubject<Int>>()
        let stream = sources.switchToLatest()
        let recorder = Recorder(stream)
        let (first, second) = (PassthroughSubject<Int>(), PassthroughSubject<Int>())
        sources.send(first, at: .epoch)
        first.send(1, at: .epoch)
        sources.send(second, at: .epoch)
        first.send(2, at: .epoch)
        second.send(3, at: .epoch)
        sources.finish()
        second.finish()
        // With the end of the outer stream, only the inner one can say more.
        #expect(
            recorder.signals == [
                .element(1, .epoch), .element(3, .epoch), .watermark(.epoch), .completion(.finished),
            ]
        )
        #expect(stream.replaced.count == 1)
    }

    @Test func timesAtTheEndOfTimePass() {
        let channel = EventChannel<Keyed>()
        let recorder = Recorder(channel.flatMap(.concat) { Values(of: [$0]) })
        let last = Keyed(timestamp: .distantFuture, key: 1, value: 1)
        channel.publish(last)
        channel.advance(to: .distantFuture)
        channel.finish()
        #expect(
            recorder.signals == [
                .element(last, .distantFuture), .watermark(.distantFuture), .completion(.finished),
            ]
        )
    }
}

extension EventStream {
    /// The stream behind a closure, so that two kinds have one type.
    fileprivate var erased: ErasedStream<Element> {
        ErasedStream { handle in self.attach(HandleSink(handle: handle)) }
    }
}

private struct ErasedStream<Element: Sendable>: EventStream {
    let attachHandle: @Sendable (SinkHandle<Element>) -> Subscription

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        attachHandle(SinkHandle(sink))
    }
}

private struct HandleSink<Input: Sendable>: Sink {
    let handle: SinkHandle<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) { handle.receive(copy element, time) }
    mutating func advance(to watermark: Timestamp) { handle.advance(watermark) }
    mutating func finish(_ completion: Completion) { handle.finish(completion) }
}
