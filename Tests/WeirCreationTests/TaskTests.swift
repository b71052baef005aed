import TestThreads
import Testing
import WeirCore
import WeirCreation
import WeirTesting

/// Streams from tasks, asynchronous sequences and continuations.
@Suite struct TaskTests {
    @Test func aTaskHasOneValue() async {
        let recorder = Recorder(TaskValue(at: { Timestamp(secondsSinceEpoch: Int64($0)) }) { 7 })
        #expect(await eventually { recorder.isFinished })
        #expect(recorder.signals == [.element(7, Timestamp(secondsSinceEpoch: 7)), .completion(.finished)])
    }

    @Test func whatHasNoTimeGetsThatOfItsArrival() async {
        let clock = VirtualClock(at: Timestamp(secondsSinceEpoch: 5))
        let value = Recorder(TaskValue(stampedBy: EventClock(clock)) { 7 })
        let sequence = AsyncStream<Int> { continuation in
            continuation.yield(1)
            continuation.finish()
        }
        let values = Recorder(AsyncValues(sequence, stampedBy: EventClock(clock)))
        #expect(await eventually { value.isFinished && values.isFinished })
        let time = Timestamp(secondsSinceEpoch: 5)
        #expect(value.signals == [.element(7, time), .completion(.finished)])
        #expect(values.signals == [.element(1, time), .completion(.finished)])
    }

    @Test func aTaskThatThrowsHasNone() async {
        let failed = Recorder(TaskValue<Int>(at: { _ in .epoch }) { throw Trouble.some })
        let interrupted = Recorder(TaskValue<Int>(at: { _ in .epoch }) { throw CancellationError() })
        #expect(await eventually { failed.isFinished && interrupted.isFinished })
        #expect(failed.signals == [.completion(.failed(Trouble.some))])
        #expect(interrupted.signals == [.completion(.interrupted)])
    }

    @Test func cancellingTheSubscriptionCancelsTheTask() async {
        let gates = Gates()
        let recorder = Recorder<Int>()
        let subscription = TaskValue(at: { _ in .epoch }) {
            try await gates.pass(1)
            return 1
        }.attach(recorder.sink)
        #expect(await eventually { gates.waiting == [1] })
        subscription.cancel()
        #expect(await eventually { gates.cancelled == [1] })
        #expect(recorder.signals.isEmpty)
    }

    @Test func aSequenceThatIsCancelledIsInterrupted() async {
        let recorder = Recorder(
            AsyncValues(AsyncThrowingStream<Int, any Error> { $0.finish(throwing: CancellationError()) }) { _ in .epoch
            }
        )
        #expect(await eventually { recorder.isFinished })
        #expect(recorder.signals == [.completion(.interrupted)])
    }

    @Test func aContinuationSendsFromAnyThread() {
        let kept = Locked<StreamContinuation<Int>?>(nil)
        let ends = Locked(0)
        let stream = ContinuationStream<Int> { continuation in
            continuation.send(-1, at: .epoch)
            continuation.onEnd { ends.withLock { $0 += 1 } }
            kept.withLock { $0 = continuation }
        }
        let recorder = Recorder(stream)
        guard let continuation = kept.withLock({ $0 }) else { return }
        TestThreads.run(
            (0..<4).map { thread in
                { for number in 0..<100 { continuation.send(thread * 100 + number, at: .epoch) } }
            }
        )
        continuation.advance(to: .epoch)
        #expect(!continuation.hasEnded)
        continuation.finish(.interrupted)
        continuation.finish()
        continuation.send(0, at: .epoch)
        #expect(recorder.elements.first == -1)
        #expect(recorder.elements.dropFirst().sorted() == Array(0..<400))
        #expect(recorder.signals.suffix(2) == [.watermark(.epoch), .completion(.interrupted)])
        #expect(continuation.hasEnded)
        continuation.onEnd { ends.withLock { $0 += 10 } }
        #expect(ends.withLock { $0 } == 11)
    }

    @Test func cancellingTheSubscriptionEndsTheContinuation() {
        let ends = Locked(0)
        let stream = ContinuationStream<Int> { $0.onEnd { ends.withLock { $0 += 1 } } }
        let subscription = stream.subscribe { _ in }
        #expect(ends.withLock { $0 } == 0)
        subscription.cancel()
        #expect(ends.withLock { $0 } == 1)
    }
}
