import Foundation
import Testing
import WeirCore
import WeirDispatch
import WeirGraphs
import WeirSelection
import WeirTesting

@Suite struct GraphTests {
    @Test func aLineRuns() throws {
        let doubled = Source(1...1000).map { $0 * 2 }
        let total = doubled.filter { $0 % 3 == 0 }.to(.fold(0, +)).run()
        #expect(try total.wait() == (1...1000).map { $0 * 2 }.filter { $0 % 3 == 0 }.reduce(0, +))
    }

    @Test func operatorsOfStreamsRunInAGraph() throws {
        let texts = Source(1...1000).operators { $0.filter { $0 % 2 == 0 }.map { "\($0)" } }
        #expect(try texts.to(.collect(limit: 1000)).run().wait() == (1...1000).filter { $0 % 2 == 0 }.map { "\($0)" })
    }

    /// The elements that a sink collects must not be copied for each batch: a list would take quadratic time.
    @Test func whatASinkFoldsIsInOnePlace() throws {
        final class Mark: Sendable {}
        struct Folded: Sendable {
            var mark = Mark()
            var copies = 0
        }
        let sink: GraphSink<Int, GraphResult<Folded>> = .fold(into: Folded()) { folded, _ in
            if !isKnownUniquelyReferenced(&folded.mark) { folded.copies += 1 }
            folded.mark = Mark()
        }
        #expect(try Source(1...1000).to(sink).run(GraphSettings(batch: 8)).wait().copies <= 1)
    }

    /// Random lines, in batches of all sizes, with boundaries at random places.
    @Test func randomLinesAgreeWithArrays() throws {
        for seed in 0..<400 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var expected = (0..<Int.random(in: 0...40, using: &generator)).map { $0 }
            var source = Source(expected)
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                switch Int.random(in: 0..<9, using: &generator) {
                case 0:
                    source = source.map { $0 &* 3 &+ 1 }
                    expected = expected.map { $0 &* 3 &+ 1 }
                case 1:
                    source = source.filter { $0 % 3 != 0 }
                    expected = expected.filter { $0 % 3 != 0 }
                case 2:
                    source = source.scan(into: 0) { $0 &+= $1 }
                    var sum = 0
                    expected = expected.map { value in
                        sum &+= value
                        return sum
                    }
                case 3:
                    source = source.flatMap { Array(repeating: $0, count: abs($0 % 3)) }
                    expected = expected.flatMap { Array(repeating: $0, count: abs($0 % 3)) }
                case 4:
                    let limit = Int.random(in: 0...20, using: &generator)
                    source = source.take(limit)
                    expected = Array(expected.prefix(limit))
                case 5:
                    source = source.async(capacity: .random(in: 1...8, using: &generator))
                case 6:
                    source = source.buffer(.random(in: 1...8, using: &generator))
                case 7:
                    source = source.operators { $0.map { $0 &+ 1 }.filter { $0 % 2 == 0 }.flatMap { [$0, $0 &+ 5] } }
                    expected = expected.map { $0 &+ 1 }.filter { $0 % 2 == 0 }.flatMap { [$0, $0 &+ 5] }
                default:
                    source = source.compactMap { $0 % 5 == 0 ? nil : $0 / 2 }
                    expected = expected.compactMap { $0 % 5 == 0 ? nil : $0 / 2 }
                }
            }
            let batch = Int.random(in: 1...7, using: &generator)
            let result = source.to(.collect(limit: .max)).run(GraphSettings(batch: batch, execution: .inline))
            guard case .success(expected)? = result.current else {
                Issue.record("seed \(seed): \(String(describing: result.current)) instead of \(expected)")
                return
            }
        }
    }

    @Test func timesAndWatermarksComeThrough() throws {
        let (queue, probe) = Source<Int, SourceQueue<Int>>.queue(capacity: 64).map { $0 }.async().operators {
            Watermarked(upstream: $0)
        }.probe(GraphSettings(execution: .inline))
        probe.request(100)
        queue.offer(1, at: Timestamp(secondsSinceEpoch: 1))
        queue.advance(to: Timestamp(secondsSinceEpoch: 5))
        queue.offer(2, at: Timestamp(secondsSinceEpoch: 6))
        queue.finish()
        #expect(probe.elements == ["1 at 1", "watermark 5", "2 at 6", "end"])
        #expect(probe.state.isComplete)
    }

    @Test func aSinkAsksForNoMoreThanItNeeds() throws {
        for (limit, batch) in [(1, 256), (3, 2), (7, 256), (10, 10)] {
            let made = Tally()
            let numbers = Source(1...).map { number in
                made.add()
                return number
            }
            let taken = numbers.take(limit).to(.collect(limit: 100)).run(GraphSettings(batch: batch))
            #expect(try taken.wait() == Array(1...limit))
            #expect(made.count == limit, "a source is not asked for more than is taken")
        }
        #expect(try Source(1...).to(.first()).run().wait() == 1)
    }

    @Test func aSlowSinkSlowsTheSource() {
        for capacity in [1, 4, 16] {
            let made = Tally()
            let numbers = Source(1...).map { number in
                made.add()
                return number
            }
            let buffered = numbers.buffer(capacity).async(capacity: capacity).buffer(capacity)
            let (_, probe) = buffered.probe(GraphSettings(batch: 4, execution: .inline))
            for step in 1...50 {
                probe.request(1)
                #expect(probe.elements.count == step)
                // Two buffers, the ring, and at most a batch on each of the wires between.
                #expect(made.count - step <= 3 * capacity + 4 * 4, "\(made.count) made for \(step)")
            }
            probe.cancel()
        }
    }

    @Test func aCollectingSinkHasALimit() {
        #expect(throws: GraphError.tooMany(limit: 10)) { try Source(1...11).to(.collect(limit: 10)).run().wait() }
        #expect(throws: GraphError.noElement) { try Source<Int, Void>.empty().to(.last()).run().wait() }
        #expect(throws: Trouble()) { try Source<Int, Void>.failing(Trouble()).to(.last()).run().wait() }
    }

    @Test func whatASinkThrowsCancelsTheSource() {
        let made = Tally()
        let numbers = Source(1...).map { number in
            made.add()
            return number
        }
        let result = numbers.to(.forEach(asking: 1) { if $0 == 5 { throw Trouble() } }).run()
        #expect(throws: Trouble()) { try result.wait() }
        #expect(made.count == 5)
    }

    @Test func aGraphOfAHundredThousandStagesNeedsNoStack() throws {
        try onASmallStack { () throws in
            let graph = try Graph { builder in
                var outlet = builder.add(Source(1...3))
                for _ in 0..<100_000 { outlet = outlet --> Flow<Int, Int, Void>.map { $0 + 1 } }
                return outlet --> .collect(limit: 3)
            }
            #expect(try graph.run().wait() == [100_001, 100_002, 100_003])
        }
    }

    @Test func aChainOfAHundredThousandFlowsNeedsNoStack() throws {
        try onASmallStack { () throws in
            // Composed, run, ended, and released.
            var source = Source(1...3)
            for _ in 0..<50_000 { source = source.map { $0 + 1 } }
            var flow = Flow<Int, Int, Void>.map { $0 + 1 }
            for _ in 1..<50_000 { flow = flow.map { $0 + 1 } }
            let chain = source.via(flow)
            #expect(try chain.to(.collect(limit: 3)).run().wait() == [100_001, 100_002, 100_003])
            // A prefix that is shared stays.
            #expect(try source.take(1).to(.first()).run().wait() == 50_001)
            // Cancelled from the end, and failed from the beginning.
            #expect(try chain.to(.first()).run().wait() == 100_001)
            let failing = Source<Int, Void>.failing(Trouble()).via(flow).to(.ignoring()).run()
            #expect(throws: Trouble()) { try failing.wait() }
        }
    }

    @Test func manyIslandsAreMadeInALine() throws {
        var source = Source(1...3)
        for _ in 0..<5000 { source = source.async(capacity: 1) }
        #expect(try source.to(.collect(limit: 3)).run(GraphSettings(execution: .inline)).wait() == [1, 2, 3])
    }
}

/// Runs `body` on a thread with a stack of 256 KiB.
private func onASmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
    let done = Parker()
    let failure = Locked<(any Error)?>(nil)
    let thread = Thread {
        do { try body() } catch { failure.withLock { $0 = error } }
        done.unpark()
    }
    thread.stackSize = 256 << 10
    thread.start()
    done.park()
    if let error = failure.withLock({ $0 }) { throw error }
}

/// Turns watermarks and the end into elements.
private struct Watermarked<Upstream: EventStream<Int>>: EventStream {
    typealias Element = String

    let upstream: Upstream

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == String {
        upstream.attach(WatermarkedSink(downstream: sink))
    }
}

private struct WatermarkedSink<Downstream: Sink<String>>: Sink {
    typealias Input = Int

    var downstream: Downstream

    private func seconds(_ time: Timestamp) -> Int64 { time.nanosecondsSinceEpoch / 1_000_000_000 }

    mutating func receive(_ element: borrowing Int, at time: Timestamp) {
        downstream.receive("\(copy element) at \(seconds(time))", at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.receive("watermark \(seconds(watermark))", at: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.receive("end", at: .epoch)
        downstream.finish(completion)
    }
}
