import TestThreads
import Testing
import WeirCore
import WeirCreation
import WeirDispatch
import WeirFlow
import WeirSelection
import WeirTesting

/// Fails the first times that it is attached to.
private final class Flaky: EventStream {
    typealias Element = Int
    private let failures: Int
    private let attempts = Locked(0)

    init(failures: Int) { self.failures = failures }

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        sink.receive(attempt, at: .epoch)
        sink.advance(to: .epoch)
        sink.finish(attempt <= failures ? .failed(FlowError.overflow(limit: attempt)) : .finished)
        return Subscription()
    }
}

/// Sends nothing, and counts the attached sinks.
private final class Silent: EventStream {
    typealias Element = Int
    let attached = Locked(0)

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        attached.withLock { $0 += 1 }
        return Subscription { [self] in attached.withLock { $0 -= 1 } }
    }
}

/// Fails the first times, on another thread, before `attach` returns.
private final class FailingElsewhere: EventStream {
    typealias Element = Int
    private let failures: Int
    private let attempts = Locked(0)

    init(failures: Int) { self.failures = failures }

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        if attempt > failures {
            sink.receive(attempt, at: .epoch)
            sink.finish(.finished)
        } else {
            let handle = Locked(sink)
            TestThreads.run([{ handle.withLock { $0.finish(.failed(MarbleFailure())) } }])
        }
        return Subscription()
    }
}

@Suite struct ErrorTests {
    @Test func aTimeoutDetaches() {
        let channel = EventChannel<Keyed>()
        let silent = Silent()
        let recorder = Recorder(channel.map(\.key).union(silent).timeout(after: .seconds(1)))
        channel.publish(Keyed(timestamp: .epoch, key: 1, value: 1))
        #expect(silent.attached.withLock { $0 } == 1)
        channel.publish(Keyed(timestamp: Timestamp(secondsSinceEpoch: 2), key: 1, value: 1))
        #expect(recorder.isFinished)
        #expect(silent.attached.withLock { $0 } == 0)
        let taken = Recorder(silent.take(until: channel))
        channel.publish(Keyed(timestamp: .epoch, key: 1, value: 1))
        #expect(taken.isFinished)
        #expect(silent.attached.withLock { $0 } == 0)
    }

    @Test func whatIsLeftOfAnAttemptIsDetached() {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let silent = Silent()
        let retried = silent.union(Flaky(failures: 3)).retry(9, after: .seconds(1), on: scheduler)
        let subscription = retried.subscribe { _ in }
        clock.advance(by: .seconds(60))
        #expect(silent.attached.withLock { $0 } == 1)
        subscription.cancel()
        #expect(silent.attached.withLock { $0 } == 0)
        silent.union(Flaky(failures: 1)).catch { _ in Silent() }.subscribe { _ in }
        #expect(silent.attached.withLock { $0 } == 0)
    }

    @Test func catchGoesOnWithAnotherStream() {
        compare(inputs: 2) { channels in
            channels[0].catch { _ in channels[1] }
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var current = 0
            var watermark = Timestamp.distantPast
            // A channel tells those who come late how far it is, or how it ended.
            var secondMark = Timestamp.distantPast
            var secondEnd: StreamSignal<Keyed>?
            for arrival in arrivals {
                if arrival.input == 1, current == 0 {
                    if case .completion = arrival.signal { secondEnd = arrival.signal }
                    if case .watermark(let mark) = arrival.signal { secondMark = mark }
                }
                guard arrival.input == current else { continue }
                switch arrival.signal {
                case .watermark(let mark):
                    guard mark > watermark else { continue }
                    watermark = mark
                case .completion(.failed) where current == 0:
                    current = 1
                    if let secondEnd { return Outcome(signals: outcome.signals + [secondEnd]) }
                    guard secondMark > watermark else { continue }
                    watermark = secondMark
                    outcome.signals.append(.watermark(secondMark))
                    continue
                case .completion: return Outcome(signals: outcome.signals + [arrival.signal])
                case .element: break
                }
                outcome.signals.append(arrival.signal)
            }
            return outcome
        }
    }

    @Test func replaceErrorPutsAnElementInPlaceOfAFailure() {
        compare(inputs: 1) {
            $0[0].replaceError(with: Keyed(timestamp: .epoch, key: -1, value: -1))
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var time = Timestamp.distantPast
            for arrival in arrivals {
                switch arrival.signal {
                case .element(_, let elementTime): time = max(time, elementTime)
                case .watermark(let watermark): time = max(time, watermark)
                case .completion(.failed):
                    outcome.emit(Keyed(timestamp: .epoch, key: -1, value: -1), time)
                    return Outcome(signals: outcome.signals + [.completion(.finished)])
                case .completion: break
                }
                outcome.signals.append(arrival.signal)
            }
            return outcome
        }
    }

    @Test func errorsAreToldByTheirType() {
        func outcome(of error: any Error) -> [StreamSignal<Int>] {
            Recorder(
                FailedStream<Int>(error)
                    .catch(FlowError.self) { _ in Values([(1, .epoch)]) }
                    .replaceError { $0 is ChannelError ? 2 : nil }
            ).signals
        }
        #expect(outcome(of: FlowError.overflow(limit: 1)) == [.element(1, .epoch), .completion(.finished)])
        #expect(
            outcome(of: ChannelError.overflow(capacity: 1))
                == [.element(2, .distantPast), .completion(.finished)]
        )
        #expect(outcome(of: MarbleFailure()) == [.completion(.failed(MarbleFailure()))])
    }

    @Test func replaceErrorKnowsTypes() {
        func outcome(of error: any Error) -> [StreamSignal<Int>] {
            let failed = FailedStream<Int>(error)
            return Recorder(failed.replaceError(FlowError.self) { $0 == .overflow(limit: 1) ? 1 : 2 }).signals
        }
        #expect(outcome(of: FlowError.overflow(limit: 1)) == [.element(1, .distantPast), .completion(.finished)])
        #expect(outcome(of: FlowError.overflow(limit: 3)) == [.element(2, .distantPast), .completion(.finished)])
        #expect(outcome(of: MarbleFailure()) == [.completion(.failed(MarbleFailure()))])
    }

    @Test func retryWaitsTwiceAsLongEachTime() {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let recorder = Recorder(Flaky(failures: 2).retry(3, after: .seconds(1), on: scheduler))
        #expect(recorder.elements == [1])
        clock.advance(by: .seconds(1))
        #expect(recorder.elements == [1, 2])
        clock.advance(by: .milliseconds(1_999))
        #expect(recorder.elements == [1, 2])
        clock.advance(by: .milliseconds(1))
        #expect(
            recorder.signals == [
                .element(1, .epoch), .watermark(.epoch), .element(2, .epoch), .element(3, .epoch),
                .completion(.finished),
            ]
        )
    }

    @Test func retryWithoutAPauseTriesAgainAtOnce() {
        #expect(
            Recorder(Flaky(failures: 2).retry(3)).signals == [
                .element(1, .epoch), .watermark(.epoch), .element(2, .epoch), .element(3, .epoch),
                .completion(.finished),
            ]
        )
        #expect(
            Recorder(Flaky(failures: 9).retry(2)).signals.last == .completion(.failed(FlowError.overflow(limit: 3)))
        )
    }

    /// Attaches once more from inside each failure; the stack of a test's thread has no room for that many calls.
    @Test func retryDoesNotRecur() {
        let recorder = Recorder(Flaky(failures: 100_000).retry(.max))
        #expect(recorder.elements.count == 100_001)
        #expect(recorder.isFinished)
    }

    @Test func whatARetryLeavesIsDetached() {
        let silent = Silent()
        let subscription = silent.union(Flaky(failures: 3)).retry(9).subscribe { _ in }
        #expect(silent.attached.withLock { $0 } == 1)
        subscription.cancel()
        #expect(silent.attached.withLock { $0 } == 0)
    }

    @Test func aFailureOnAnotherThreadIsTriedAgain() {
        let recorder = Recorder(FailingElsewhere(failures: 3).retry(5))
        #expect(recorder.elements == [4])
        #expect(recorder.isFinished)
    }

    @Test func retryGivesUpAndCanBeCancelled() {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let recorder = Recorder(Flaky(failures: 9).retry(1, after: .zero, on: scheduler))
        let cancelled = Recorder<Int>()
        Flaky(failures: 9).retry(1, after: .seconds(1), on: scheduler).attach(cancelled.sink).cancel()
        clock.advance(by: .seconds(9))
        #expect(recorder.signals.last == .completion(.failed(FlowError.overflow(limit: 2))))
        #expect(cancelled.elements == [1])
    }

    @Test(arguments: [1, 2, 9])
    func enrichLooksUpTheRowThatArrivedLast(limit: Int) {
        compare(inputs: 2) {
            $0[0].enrich(with: $0[1], limit: limit, by: \.key, and: \.key).map { [$0.0, $0.1] }
        } with: { arrivals in
            var outcome = Outcome<[Keyed?]>()
            var rows: [Int: Keyed] = [:]
            for arrival in arrivals {
                switch (arrival.input, arrival.signal) {
                case (0, .element(let element, let time)): outcome.emit([element, rows[element.key]], time)
                case (1, .element(let row, _)):
                    if rows[row.key] != nil || rows.count < limit { rows[row.key] = row }
                case (0, .watermark(let watermark)): outcome.signals.append(.watermark(watermark))
                case (0, .completion(let completion)):
                    return Outcome(signals: outcome.signals + [.completion(completion)])
                case (_, .completion(let completion)) where !completion.isFinished:
                    return Outcome(signals: outcome.signals + [.completion(completion)])
                default: break
                }
            }
            return outcome
        }
    }
}
