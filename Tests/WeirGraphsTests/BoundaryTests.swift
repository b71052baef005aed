import Testing
import WeirCore
import WeirGraphs
import WeirTesting

/// Islands on threads of their own.
@Suite struct BoundaryTests {
    @Test func everythingComesThroughInOrder() throws {
        for capacity in [1, 2, 7, 64, 1024] {
            let count = capacity < 8 ? 2000 : 50_000
            let crossing = Source(0..<count).async(capacity: capacity).map { $0 + 1 }.async(capacity: capacity)
            let next = crossing.to(
                .fold(into: 0) { (expected: inout Int, number: Int) throws in
                    guard number == expected + 1 else { throw Trouble(number: number) }
                    expected = number
                }
            )
            #expect(try next.run().wait() == count)
        }
    }

    @Test func whoWakesAnotherIslandIsNeverTooLateToKeepTheRunGoing() throws {
        // Two islands that sleep and wake each other all the time.
        for round in 0..<40 {
            let numbers = Source(0..<2_000).async(capacity: 1 << (round % 3))
            #expect(try numbers.to(.fold(into: 0) { $0 &+= $1 }).run().wait() == 1_999_000, "round \(round)")
        }
    }

    @Test func aDiamondOfIslandsLosesNothing() throws {
        let graph = try Graph { builder in
            let split = builder.balance(Int.self, to: 2)
            let merge = builder.merge(Int.self, from: 2)
            builder.add(Source(1...20_000)) --> split.inlet
            for place in 0..<2 {
                split.outlets[place] --> Flow<Int, Int, Void>.async(capacity: 16)
                    --> Flow<Int, Int, Void>.map { $0 * 2 }
                    --> Flow<Int, Int, Void>.async(capacity: 16) --> merge.inlets[place]
            }
            return merge.outlet --> GraphSink<Int, GraphResult<Int>>.fold(0, +)
        }
        for _ in 0..<3 { #expect(try graph.run().wait() == 20_000 * 20_001) }
    }

    @Test func failuresAndCancellationsCross() throws {
        let failing = Source(1...100).map { number throws(Trouble) in
            guard number < 50 else { throw Trouble(number: number) }
            return number
        }
        #expect(throws: Trouble(number: 50)) { try failing.async().to(.collect(limit: 100)).run().wait() }
        let made = Tally()
        let numbers = Source(1...).map { number in
            made.add()
            return number
        }
        #expect(try numbers.async(capacity: 4).take(3).to(.collect(limit: 3)).run().wait() == [1, 2, 3])
    }

    @Test func manyThreadsMayOffer() async throws {
        let source = Source<Int, SourceQueue<Int>>.queue(capacity: 4096)
        let (queue, result) = source.async().to(.fold(0, +)) { ($0, $1) }.run()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 1...5000 {
                        while queue.offer(number) == .dropped { await Task.yield() }
                    }
                }
            }
        }
        queue.finish()
        #expect(try await result.value() == 4 * 5000 * 5001 / 2)
    }

    @Test func aGraphThatNobodyFeedsAnyMoreEnds() throws {
        let result: GraphResult<[Int]>
        do {
            let source = Source<Int, SourceQueue<Int>>.queue(capacity: 8)
            let (queue, kept) = source.async().to(.collect(limit: 8)) { ($0, $1) }.run()
            queue.offer(1)
            result = kept
        }
        #expect(try result.wait() == [1])
    }
}
