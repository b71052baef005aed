import TestThreads
import Testing
import WeirCore
import WeirGraphs
import WeirTesting

@Suite struct AsyncTests {
    private struct Broken: Error {}

    private func time(_ seconds: Int) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(seconds)) }

    private func numbers(_ range: ClosedRange<Int>) -> Source<Int, Void> {
        Source(range) { Timestamp(secondsSinceEpoch: Int64($0)) }
    }

    @Test(arguments: [1, 3, 16], [false, true])
    func allComeOnce(limit: Int, ordered: Bool) async throws {
        let running = Locked((now: 0, most: 0))
        let result = numbers(1...300).mapAsync(limit: limit, ordered: ordered) { number in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            running.withLock { $0.now -= 1 }
            return number * 2
        }.to(.collectTimed()).run()
        let found = try await result.value()
        #expect(found.map(\.element).sorted() == (1...300).map { $0 * 2 })
        if ordered { #expect(found.map(\.element) == (1...300).map { $0 * 2 }) }
        for element in found { #expect(element.time == time(element.element / 2)) }
        #expect(running.withLock { $0.most } <= limit)
    }

    @Test func noMoreIsRequestedThanIsAtWork() async throws {
        let gates = Gates()
        let taken = Locked(0)
        let result = Source(1...100).map { number in
            taken.withLock { $0 += 1 }
            return number
        }.mapAsync(limit: 2) { try await gates.pass($0) }.to(.ignoring()).run(GraphSettings(batch: 1))
        #expect(await eventually { gates.waiting == [1, 2] })
        #expect(taken.withLock { $0 } <= 3)
        for number in 1...100 { gates.open(number) }
        try await result.value()
        #expect(taken.withLock { $0 } == 100)
    }

    @Test func anErrorComesInItsPlaceAndCancelsTheRest() async throws {
        let gates = Gates()
        let seen = Locked<[Int]>([])
        let result = numbers(1...9).mapAsync(limit: 3) { number in
            try await gates.pass(number)
            if number == 2 { throw Broken() }
            return number
        }.to(.forEach { number in seen.withLock { $0.append(number) } }).run()
        #expect(await eventually { gates.waiting == [1, 2, 3] })
        gates.open(2)
        gates.open(1)
        await #expect(throws: Broken.self) { try await result.value() }
        #expect(seen.withLock { $0 } == [1])
        #expect(await eventually { gates.cancelled == [3] })
    }

    @Test func supervisionLeavesOut() async throws {
        let supervision = Supervision.resume
        let leftOut = Locked<[Timestamp]>([])
        supervision.leftOut.subscribeWithTime { _, time in leftOut.withLock { $0.append(time) } }
        let result = numbers(1...6).mapAsync(limit: 2, supervision: supervision) { number in
            if number % 3 == 0 { throw Broken() }
            return number
        }.to(.collect()).run()
        #expect(try await result.value() == [1, 2, 4, 5])
        #expect(leftOut.withLock { $0.sorted() } == [time(3), time(6)])
    }

    @Test func aCancellationInterrupts() async throws {
        let result = numbers(1...3).mapAsync { _ in throw CancellationError() }.to(.ignoring()).run()
        await #expect(throws: CancellationError.self) { try await result.value() }
    }

    @Test func watermarksComeAfterWhatWasBeforeThem() async throws {
        let gates = Gates()
        let recorder = Recorder<Int>()
        let (queue, result) = Source<Int, SourceQueue<Int>>.queue(capacity: 16)
            .mapAsync(limit: 4, ordered: false) { number in
                try await gates.pass(number)
                return number
            }
            .operators { Recording(upstream: $0, sink: recorder.sink) }
            .to(.ignoring()) { ($0, $1) }.run()
        queue.offer(1, at: time(1))
        queue.advance(to: time(1))
        queue.offer(2, at: time(2))
        queue.advance(to: time(2))
        queue.finish()
        gates.open(2)
        #expect(await eventually { gates.waiting == [1] })
        #expect(await eventually { recorder.elements == [2] })
        gates.open(1)
        try await result.value()
        #expect(
            recorder.signals == [
                .element(2, time(2)), .element(1, time(1)), .watermark(time(2)), .completion(.finished),
            ]
        )
    }

    @Test func asynchronousSinksWaitForTheirCalls() async throws {
        let gates = Gates()
        let done = Locked<Set<Int>>([])
        let result = Source(1...5).to(
            .forEachAsync(limit: 2) { number in
                try await gates.pass(number)
                done.withLock { _ = $0.insert(number) }
            }
        ).run()
        #expect(await eventually { gates.waiting == [1, 2] })
        #expect(result.current == nil)
        for number in 1...5 { gates.open(number) }
        try await result.value()
        #expect(done.withLock { $0 } == Set(1...5))
    }

    @Test func anAsynchronousSequenceIsAskedForWhatIsRequested() async throws {
        final class Counting: AsyncSequence, Sendable {
            typealias Element = Int
            let made = Locked(0)
            let limit: Int
            init(limit: Int) { self.limit = limit }
            struct Iterator: AsyncIteratorProtocol {
                let counting: Counting
                mutating func next() async throws -> Int? {
                    await Task.yield()
                    let number = counting.made.withLock { made in
                        made += 1
                        return made
                    }
                    return number <= counting.limit ? number : nil
                }
            }
            func makeAsyncIterator() -> Iterator { Iterator(counting: self) }
        }
        let all = Counting(limit: 500)
        let found = try await Source(awaiting: all) { Timestamp(secondsSinceEpoch: Int64($0)) }
            .to(.collectTimed()).run().value()
        #expect(found.map(\.element) == Array(1...500))
        #expect(found.map(\.time) == (1...500).map(time))
        let some = Counting(limit: .max)
        let first = try await Source(awaiting: some) { _ in .epoch }.take(7).to(.collect()).run().value()
        #expect(first == Array(1...7))
        // The task ends with the graph.
        let made = some.made.withLock { $0 }
        for _ in 0..<100 { await Task.yield() }
        #expect(some.made.withLock { $0 } <= made + 1)
    }

    @Test func aSequenceThatThrowsFails() async throws {
        func failing(_ error: any Error) -> AsyncThrowingStream<Int, any Error> {
            AsyncThrowingStream { continuation in
                continuation.yield(1)
                continuation.finish(throwing: error)
            }
        }
        for error in [Broken(), CancellationError()] as [any Error] {
            let result = Source(awaiting: failing(error)) { _ in .epoch }.to(.collect()).run()
            let found = await #expect(throws: (any Error).self) { try await result.value() }
            #expect(found.map { "\($0)" } == "\(error)")
        }
    }
}
