import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirGraphs

@Suite("A queue that ends while others offer")
struct QueueEndTests {
    @Test func whatIsAcceptedComesOut() async throws {
        for run in 0..<100 {
            let accepted = Atomic<Int>(0)
            let refused = Atomic<Int>(0)
            let graph = Source<Int, SourceQueue<Int>>.queue(capacity: 1024)
                .to(GraphSink<Int, GraphResult<Int>>.fold(into: 0) { count, _ in count += 1 }) { ($0, $1) }
            let (queue, result) = graph.run()
            let offers: @Sendable () -> Void = {
                for number in 0..<100 {
                    switch queue.offer(number) {
                    case .accepted: accepted.wrappingAdd(1, ordering: .relaxed)
                    case .dropped, .closed: refused.wrappingAdd(1, ordering: .relaxed)
                    }
                }
            }
            TestThreads.run(
                Array(repeating: offers, count: 4) + [
                    {
                        for _ in 0..<(run * 7) { TestThreads.yield() }
                        queue.finish()
                    }
                ]
            )
            let count = try await result.value()
            #expect(count == accepted.load(ordering: .relaxed), "run \(run)")
            #expect(accepted.load(ordering: .relaxed) + refused.load(ordering: .relaxed) == 400, "run \(run)")
        }
    }

    @Test func waitingForAResultEndsWithItsTask() async throws {
        let (queue, result) = Source<Int, SourceQueue<Int>>.queue(capacity: 16)
            .to(GraphSink<Int, GraphResult<Int>>.fold(into: 0) { count, _ in count += 1 }) { ($0, $1) }.run()
        let task = Task { try await result.value() }
        for _ in 0..<10 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        queue.offer(1)
        queue.finish()
        #expect(try await result.value() == 1)
        // A present result is returned even when the task was cancelled.
        let late = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await result.value()
        }
        #expect(try await late.value == 1)
    }
}
