import Testing
import WeirCore
import WeirDispatch
import WeirGraphs
import WeirTesting

@Suite struct RateTests {
    private let settings = GraphSettings(execution: .inline)

    /// Offers and requests in random order, against a model of the buffer.
    @Test func buffersOverflowAsTheySay() {
        let policies: [BufferOverflow] = [.dropOldest, .dropLast, .dropAll, .dropNewest, .fail]
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let policy = policies[Int(seed) % policies.count]
            let capacity = Int.random(in: 1...5, using: &generator)
            let dropped = SideOutput<Int>()
            let lost = Locked<[Int]>([])
            dropped.subscribe { number in lost.withLock { $0.append(number) } }
            let source = Source<Int, SourceQueue<Int>>.queue(capacity: 64)
            let buffer = Flow<Int, Int, Void>.buffer(capacity, overflowPolicy: policy, dropped: dropped)
            let (queue, probe) = source.via(buffer).probe(settings)
            var waiting: [Int] = []
            var expected: [Int] = []
            var expectedLost: [Int] = []
            var demand = 0
            var hasFailed = false
            for number in 0..<40 {
                if Bool.random(using: &generator) {
                    let more = Int.random(in: 1...3, using: &generator)
                    probe.request(more)
                    demand += more
                } else {
                    queue.offer(number)
                    if hasFailed { continue }
                    if demand == 0, waiting.count == capacity {
                        switch policy {
                        case .dropOldest: expectedLost.append(waiting.removeFirst())
                        case .dropLast: expectedLost.append(waiting.removeLast())
                        case .dropAll:
                            expectedLost += waiting
                            waiting = []
                        case .dropNewest, .block:
                            expectedLost.append(number)
                            continue
                        case .fail:
                            hasFailed = true
                            continue
                        }
                    }
                    waiting.append(number)
                }
                if hasFailed { break }
                while demand > 0, !waiting.isEmpty {
                    demand -= 1
                    expected.append(waiting.removeFirst())
                }
            }
            if hasFailed {
                #expect(probe.state.error as? GraphError == .overflow(capacity: capacity), "seed \(seed)")
            } else {
                #expect(probe.elements == expected, "seed \(seed), \(policy)")
                #expect(lost.withLock { $0 } == expectedLost, "seed \(seed), \(policy)")
            }
            probe.cancel()
        }
    }

    /// The same with watermarks: each follows the elements before it that were not dropped, and blocks none.
    @Test func buffersKeepWatermarks() {
        let policies: [BufferOverflow] = [.dropOldest, .dropLast, .dropAll, .dropNewest, .block]
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let policy = policies[Int(seed) % policies.count]
            let capacity = Int.random(in: 1...5, using: &generator)
            let recorder = Recorder<Int>()
            let source = Source<Int, SourceQueue<Int>>.queue(capacity: 64)
            let flow = Flow<Int, Int, Void>.buffer(capacity, overflowPolicy: policy)
                .via(Flow<Int, Int, Void> { Recording(upstream: $0, sink: recorder.sink) })
            let (queue, probe) = source.via(flow).probe(settings)
            // Negative ones are watermarks.
            var waiting: [Int] = []
            var expected: [Int] = []
            var demand = 0
            for number in 1...60 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    let more = Int.random(in: 1...3, using: &generator)
                    probe.request(more)
                    demand += more
                case 1:
                    queue.advance(to: Timestamp(secondsSinceEpoch: Int64(number)))
                    waiting.append(-number)
                default:
                    queue.offer(number, at: Timestamp(secondsSinceEpoch: Int64(number)))
                    waiting.append(number)
                    guard demand == 0, waiting.count(where: { $0 > 0 }) > capacity else { break }
                    switch policy {
                    case .dropOldest: waiting.remove(at: waiting.firstIndex { $0 > 0 } ?? 0)
                    case .dropLast:
                        waiting.removeLast()
                        waiting.remove(at: waiting.lastIndex { $0 > 0 } ?? 0)
                        waiting.append(number)
                    case .dropAll: waiting.removeAll { $0 > 0 && $0 < number }
                    case .dropNewest: waiting.removeLast()
                    case .block, .fail: break
                    }
                }
                while let first = waiting.first, first < 0 || demand > 0 {
                    if first > 0 { demand -= 1 }
                    expected.append(waiting.removeFirst())
                }
            }
            // Of several watermarks in one place the last one counts.
            func coalesced(_ signals: [Int]) -> [Int] {
                signals.indices.filter { index in
                    signals[index] > 0 || index + 1 == signals.count || signals[index + 1] > 0
                }.map { signals[$0] }
            }
            let seen = recorder.signals.compactMap { signal -> Int? in
                switch signal {
                case .element(let number, _): number
                case .watermark(let time): -Int(time.nanosecondsSinceEpoch / 1_000_000_000)
                case .completion: nil
                }
            }
            #expect(coalesced(seen) == coalesced(expected), "seed \(seed), \(policy)")
            probe.cancel()
        }
    }

    @Test func aWatermarkDoesNotMakeASourceWait() {
        for isConflating in [true, false] {
            let recorder = Recorder<[Int]>()
            let source = Source<Int, SourceQueue<Int>>.queue(capacity: 2)
            let gathering =
                isConflating ? source.map { [$0] }.conflate { $0 + $1 } : source.batch(limit: 1000)
            let (queue, probe) = gathering.operators { Recording(upstream: $0, sink: recorder.sink) }.probe(settings)
            var offers: [Offer] = []
            for second in 1...100 {
                offers.append(queue.offer(second, at: Timestamp(secondsSinceEpoch: Int64(second))))
                queue.advance(to: Timestamp(secondsSinceEpoch: Int64(second)))
            }
            #expect(offers.allSatisfy { $0 == .accepted })
            #expect(recorder.signals.isEmpty)
            probe.request(1)
            #expect(probe.elements == [Array(1...100)])
            #expect(
                recorder.signals == [
                    .element(Array(1...100), Timestamp(secondsSinceEpoch: 100)),
                    .watermark(Timestamp(secondsSinceEpoch: 100)),
                ]
            )
            probe.cancel()
        }
    }

    @Test func aBufferSendsWhatItHoldsBeforeItEnds() {
        let (queue, probe) = Source<Int, SourceQueue<Int>>.queue(capacity: 8).buffer(4).probe(settings)
        for number in 0..<3 { queue.offer(number) }
        queue.finish()
        #expect(!probe.isOver)
        probe.request(2)
        #expect(probe.elements == [0, 1] && !probe.isOver)
        probe.request(1)
        #expect(probe.elements == [0, 1, 2] && probe.state.isComplete)
    }

    @Test func conflateMergesElementsWithoutDemand() {
        let (queue, probe) = Source<Int, SourceQueue<Int>>.queue(capacity: 8).conflate { $0 + $1 }.probe(settings)
        for number in 1...5 { queue.offer(number) }
        probe.request(1)
        #expect(probe.elements == [15])
        probe.request(1)
        queue.offer(7)
        queue.offer(8)
        #expect(probe.elements == [15, 7])
        queue.finish()
        probe.request(1)
        #expect(probe.elements == [15, 7, 8])
        #expect(probe.state.isComplete)
    }

    @Test func batchGathersUpToItsLimit() {
        let (queue, probe) = Source<Int, SourceQueue<Int>>.queue(capacity: 16).batch(limit: 3).probe(settings)
        for number in 1...7 { queue.offer(number) }
        probe.request(1)
        #expect(probe.elements == [[1, 2, 3]])
        queue.finish()
        probe.request(5)
        #expect(probe.elements == [[1, 2, 3], [4, 5, 6], [7]])
        #expect(probe.state.isComplete)
    }

    @Test func expandMakesMoreOfTheLastElement() {
        let source = Source<Int, SourceQueue<Int>>.queue(capacity: 8)
        let (queue, probe) = source.expand { last in sequence(first: last + 100) { $0 + 100 } }.probe(settings)
        probe.request(1)
        #expect(probe.elements.isEmpty)
        queue.offer(1)
        probe.request(2)
        #expect(probe.elements == [1, 101, 201])
        queue.offer(2)
        probe.request(2)
        #expect(probe.elements == [1, 101, 201, 2, 102])
        queue.finish()
        #expect(probe.state.isComplete)
    }

    @Test func throttleKeepsToItsRateInVirtualTime() throws {
        for seed in 0..<50 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let clock = VirtualClock()
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            let count = Int.random(in: 1...4, using: &generator)
            let burst = Int.random(in: 1...4, using: &generator)
            let passed = Locked<[Timestamp]>([])
            let throttled = Source(0..<20).throttle(count, per: .seconds(1), burst: burst)
            let result = throttled.to(.forEach { _ in passed.withLock { $0.append(clock.now()) } })
                .run(GraphSettings(scheduler: scheduler))
            clock.advance(by: .seconds(60))
            #expect(result.current != nil, "seed \(seed)")
            let cost = 1_000_000_000 / Int64(count)
            let expected = (0..<20).map { Timestamp(nanosecondsSinceEpoch: max(0, Int64($0 - burst + 1)) * cost) }
            #expect(passed.withLock { $0 } == expected, "seed \(seed)")
        }
    }

    @Test func ticksComeInVirtualTime() throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let ticks = Source<Timestamp, Void>.ticks(every: .seconds(2)) { $0 }
        let result = ticks.take(3).to(.collect(limit: 3)).run(GraphSettings(scheduler: scheduler))
        clock.advance(by: .seconds(5))
        #expect(result.current == nil)
        clock.advance(by: .seconds(5))
        #expect(try result.wait() == [2, 4, 6].map { Timestamp(secondsSinceEpoch: $0) })
    }
}
