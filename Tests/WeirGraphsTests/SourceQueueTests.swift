import Testing
import WeirCore
import WeirGraphs
import WeirTesting

@Suite struct SourceQueueTests {
    @Test func aQueueSaysWhatBecameOfAnOffer() {
        for (policy, expected) in [
            (OverflowPolicy.dropNewest, [0, 1, 2, 3]), (.dropOldest, [4, 5, 6, 7]), (.latest, [7]),
        ] {
            let source = Source<Int, SourceQueue<Int>>.queue(capacity: 4, overflowPolicy: policy)
            let (queue, probe) = source.probe(GraphSettings(batch: 1, execution: .inline))
            let offers = (0..<8).map { queue.offer($0) }
            #expect(
                policy == .latest
                    || offers == Array(repeating: .accepted, count: 4) + Array(repeating: .dropped, count: 4)
            )
            probe.request(20)
            #expect(probe.elements == expected, "\(policy)")
            #expect(Int(queue.droppedCount) == 8 - expected.count)
            probe.cancel()
            #expect(queue.offer(9) == .closed)
        }
    }

    /// Random offers, watermarks and requests, at a queue that is mostly full: no watermark gets lost, none comes before an
    /// element that was offered before it, none goes back.
    @Test func aFullQueueKeepsItsWatermark() {
        for seed in 0..<400 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let policy = [OverflowPolicy.dropNewest, .dropOldest, .latest][Int(seed % 3)]
            let queueSource = Source<Int, SourceQueue<Int>>.queue(capacity: 4, overflowPolicy: policy)
            let marked = queueSource.operators { Marked(upstream: $0) }
            let (queue, probe) = marked.probe(GraphSettings(batch: 1, execution: .inline))
            var second: Int64 = 0
            var lastWatermark: Int64 = -1
            for _ in 0..<60 {
                second += 1
                switch Int.random(in: 0..<6, using: &generator) {
                case 0...2: queue.offer(Int(second), at: Timestamp(secondsSinceEpoch: second))
                case 3, 4:
                    lastWatermark = second
                    queue.advance(to: Timestamp(secondsSinceEpoch: second))
                default: probe.request(.random(in: 1...3, using: &generator))
                }
            }
            queue.finish()
            probe.request(1000)
            let elements = probe.elements
            var watermark = -1
            for signal in elements {
                if abs(signal) <= watermark { Issue.record("seed \(seed): \(elements)") }
                if signal < 0 { watermark = -signal }
            }
            #expect(watermark == Int(lastWatermark), "seed \(seed): \(elements)")
            #expect(probe.state.isComplete, "seed \(seed)")
        }
    }

    @Test func aWatermarkThatFoundNoRoomComesWithoutDemand() {
        let source = Source<Int, SourceQueue<Int>>.queue(capacity: 1)
        let (queue, probe) = source.operators { Marked(upstream: $0) }.probe(
            GraphSettings(batch: 1, execution: .inline)
        )
        probe.request(2)
        queue.offer(1, at: Timestamp(secondsSinceEpoch: 1))
        for second in 2...9 as ClosedRange<Int64> { queue.advance(to: Timestamp(secondsSinceEpoch: second)) }
        #expect(probe.elements == [1, -2])
        probe.request(10)
        #expect(probe.elements.last == -9)
        probe.cancel()
    }
}

/// Turns each watermark into the negative number of its seconds.
private struct Marked<Upstream: EventStream<Int>>: EventStream {
    typealias Element = Int

    let upstream: Upstream

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        upstream.attach(MarkedSink(downstream: sink))
    }
}

private struct MarkedSink<Downstream: Sink<Int>>: Sink {
    typealias Input = Int

    var downstream: Downstream

    mutating func receive(_ element: borrowing Int, at time: Timestamp) {
        downstream.receive(element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.receive(-Int(watermark.nanosecondsSinceEpoch / 1_000_000_000), at: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }
}
