import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirGraphs

/// Graphs as asynchronous sequences: demand goes up to the source, and so does cancellation.
@Suite struct ValuesTests {
    private struct Broken: Error {}

    /// Counts what it was asked for.
    private final class Counted: Sendable {
        let made = Locked(0)

        func source(_ count: Int) -> Source<Int, Void> {
            Source(0..<count).map { number in
                self.made.withLock { $0 += 1 }
                return number
            }
        }
    }

    @Test(arguments: [1, 2, 3, 64])
    func allComeInOrder(capacity: Int) async throws {
        for execution in [GraphSettings.Execution.automatic, .processors] {
            var found: [Int] = []
            let settings = GraphSettings(batch: 3, execution: execution)
            for try await number in Source(0..<1_000).values(capacity: capacity, settings) { found.append(number) }
            #expect(found == Array(0..<1_000))
        }
        var none = Source<Int, Void>.empty().values(capacity: capacity).makeAsyncIterator()
        #expect(try await none.next() == nil)
    }

    @Test func noMoreIsRequestedThanThereIsRoomFor() async throws {
        for capacity in 1...5 {
            let counted = Counted()
            let numbers = counted.source(100).to(.values(capacity: capacity)).run(GraphSettings(batch: 1))
            #expect(counted.made.withLock { $0 } == capacity)
            var taken = 0
            for try await number in numbers {
                #expect(number == taken)
                taken += 1
                let made = counted.made.withLock { $0 }
                #expect(made <= taken + capacity && made >= min(100, taken + capacity / 2))
            }
            #expect(taken == 100)
        }
    }

    @Test func theEndOfTheIterationCancelsTheSource() async throws {
        let counted = Counted()
        let (killSwitch, numbers) = counted.source(1_000).via(.killSwitch(), keeping: { $1 })
            .to(.values(capacity: 4)) { ($0, $1) }.run()
        for try await number in numbers where number == 10 { break }
        let made = counted.made.withLock { $0 }
        #expect(made <= 15)
        killSwitch.finish()
        #expect(counted.made.withLock { $0 } == made)
    }

    @Test func aSequenceThatGoesAwayCancelsTheSource() {
        let (queue, _) = Source<Int, SourceQueue<Int>>.queue(capacity: 4).to(.values(capacity: 1)) { ($0, $1) }.run()
        #expect(queue.isCancelled)
        #expect(queue.offer(1) == .closed)
    }

    @Test func aCancelledTaskCancelsTheSource() async throws {
        let (queue, numbers) = Source<Int, SourceQueue<Int>>.queue(capacity: 4).to(.values(capacity: 1)) { ($0, $1) }
            .run()
        let found = Locked<[Int]>([])
        let task = Task { for try await number in numbers { found.withLock { $0.append(number) } } }
        queue.offer(1)
        #expect(await eventually { found.withLock { $0 } == [1] })
        task.cancel()
        #expect(await eventually { queue.isCancelled })
        _ = await task.result
    }

    @Test func theErrorFollowsWhatCameBefore() async {
        let numbers = Source(0..<10).map { number throws(Broken) in
            if number == 3 { throw Broken() }
            return number
        }
        var found: [Int] = []
        await #expect(throws: Broken.self) {
            for try await number in numbers.values(capacity: 2) { found.append(number) }
        }
        #expect(found == [0, 1, 2])
        let (killSwitch, interrupted) = Source<Int, Void>.never().via(.killSwitch(), keeping: { $1 })
            .to(.values()) { ($0, $1) }.run()
        killSwitch.interrupt()
        await #expect(throws: CancellationError.self) { for try await _ in interrupted {} }
    }

    /// From one asynchronous sequence to another, through a graph: neither end waits for more than is asked for.
    @Test func sequencesThroughAGraph() async throws {
        let asked = Locked(0)
        let numbers = AsyncStream {
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            return count <= 50 ? count : nil
        }
        let doubled = Source(awaiting: numbers) { _ in .epoch }.mapAsync(limit: 2) { $0 * 2 }
        var found: [Int] = []
        for try await number in doubled.values(capacity: 3, GraphSettings(batch: 2)) {
            found.append(number)
            // What waits at most: three here, two at work, and two asked for.
            #expect(asked.withLock { $0 } <= found.count + 8)
        }
        #expect(found == (1...50).map { $0 * 2 })
    }
}
