import Testing
import WeirCore
import WeirGraphs
import WeirTesting

/// How junctions handle watermarks, completions, failures and cancellations.
@Suite struct JunctionLifeTests {
    private let settings = GraphSettings(execution: .inline)

    private typealias Queue = SourceQueue<Int>

    /// A junction of two inlets and one outlet.
    private static let fanIns: [(name: String, make: @Sendable (GraphBuilder) -> ([Inlet<Int>], Outlet<Int>))] = [
        ("merge", { builder in ports(builder.merge(Int.self, from: 2)) }),
        ("mergePreferred", { builder in ports(builder.mergePreferred(Int.self, from: 2)) }),
        ("mergeByTime", { builder in ports(builder.mergeByTime(Int.self, from: 2)) }),
        ("concat", { builder in ports(builder.concat(Int.self, from: 2)) }),
        ("interleave", { builder in ports(builder.interleave(Int.self, from: 2)) }),
        (
            "zip",
            { builder in
                let zip = builder.zip { (first: Int, second: Int) in max(first, second) }
                return ([zip.first, zip.second], zip.outlet)
            }
        ),
    ]

    private static func ports(_ junction: FanIn<Int, Int>) -> ([Inlet<Int>], Outlet<Int>) {
        (junction.inlets, junction.outlet)
    }

    /// A junction of one inlet and two outlets.
    private static let fanOuts: [(name: String, make: @Sendable (GraphBuilder) -> (Inlet<Int>, [Outlet<Int>]))] = [
        ("broadcast", { builder in ports(builder.broadcast(Int.self, to: 2)) }),
        ("balance", { builder in ports(builder.balance(Int.self, to: 2)) }),
        ("partition", { builder in ports(builder.partition(Int.self, to: 2) { $0 % 2 }) }),
        (
            "unzip",
            { builder in
                let unzip = builder.unzip { (number: Int) in (number, number) }
                return (unzip.inlet, [unzip.first, unzip.second])
            }
        ),
    ]

    private static func ports(_ junction: FanOut<Int>) -> (Inlet<Int>, [Outlet<Int>]) {
        (junction.inlet, junction.outlets)
    }

    private func time(_ second: Int) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(second)) }

    /// Runs a fan-in with two queues in front, a recorder behind it, and a probe at the end.
    private func running(
        _ junction: @escaping @Sendable (GraphBuilder) -> ([Inlet<Int>], Outlet<Int>),
        batch: Int = 4
    ) throws -> (queues: [Queue], recorder: Recorder<Int>, probe: Probe<Int>) {
        let recorder = Recorder<Int>()
        let graph = try Graph { builder in
            let (inlets, outlet) = junction(builder)
            let queues = inlets.map { inlet in
                let (outlet, queue) = builder.addKeepingHandle(Source<Int, Queue>.queue(capacity: 64))
                outlet --> inlet
                return queue
            }
            let recorded = outlet --> Flow<Int, Int, Void> { Recording(upstream: $0, sink: recorder.sink) }
            return (queues, recorded --> GraphSink<Int, GraphPublisher<Int>>.publisher())
        }
        let (queues, publisher) = graph.run(GraphSettings(batch: batch, execution: .inline))
        let probe = Probe<Int>()
        publisher.subscribe(probe)
        return (queues, recorder, probe)
    }

    /// Random elements and watermarks in order of time; the output is never older than its watermarks.
    @Test func noElementIsOlderThanAWatermarkBeforeIt() throws {
        for (name, make) in Self.fanIns {
            for seed in 0..<60 as Range<UInt64> {
                var generator = SeededGenerator(seed: seed)
                let (queues, recorder, probe) = try running(make, batch: .random(in: 1...5, using: &generator))
                for second in 1...60 {
                    let queue = queues[Int.random(in: 0...1, using: &generator)]
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: queue.advance(to: time(second))
                    case 1: probe.request(.random(in: 1...3, using: &generator))
                    default: queue.offer(second, at: time(second))
                    }
                }
                probe.request(1000)
                for queue in queues {
                    queue.advance(to: time(100))
                    queue.finish()
                }
                var watermark = Timestamp.distantPast
                for signal in recorder.signals {
                    switch signal {
                    case .element(_, let time):
                        if time < watermark { Issue.record("\(name), seed \(seed): \(recorder.signals)") }
                    case .watermark(let next):
                        if next <= watermark { Issue.record("\(name), seed \(seed): \(next) after \(watermark)") }
                        watermark = next
                    case .completion: break
                    }
                }
                #expect(recorder.isFinished && probe.state.isComplete, "\(name), seed \(seed)")
                // A zip may end before both have said so.
                #expect(name == "zip" || watermark == time(100), "\(name), seed \(seed)")
            }
        }
    }

    @Test func aFailingInletFailsTheWholeAndCancelsTheOther() throws {
        for (name, make) in Self.fanIns {
            for failing in 0...1 {
                let (queues, _, probe) = try running(make)
                probe.request(10)
                // A concatenation does not ask its second inlet before the first has ended, and hears of its end all the same.
                queues[failing].finish(.failed(Trouble(number: failing)))
                #expect(probe.state.error as? Trouble == Trouble(number: failing), "\(name), inlet \(failing)")
                #expect(queues[1 - failing].offer(1) == .closed, "\(name), inlet \(failing)")
            }
        }
    }

    @Test func aCancelledOutletCancelsAllInlets() throws {
        for (name, make) in Self.fanIns {
            let (queues, _, probe) = try running(make)
            probe.request(1)
            probe.cancel()
            #expect(queues.allSatisfy { $0.offer(1) == .closed }, "\(name)")
        }
    }

    private func running(
        _ junction: @escaping @Sendable (GraphBuilder) -> (Inlet<Int>, [Outlet<Int>])
    ) throws -> (queue: Queue, recorders: [Recorder<Int>], probes: [Probe<Int>]) {
        let recorders = [Recorder<Int>(), Recorder<Int>()]
        let graph = try Graph { builder in
            let (inlet, outlets) = junction(builder)
            let (source, queue) = builder.addKeepingHandle(Source<Int, Queue>.queue(capacity: 64))
            source --> inlet
            let publishers = zip(outlets, recorders).map { outlet, recorder in
                outlet --> Flow<Int, Int, Void> { Recording(upstream: $0, sink: recorder.sink) }
                    --> GraphSink<Int, GraphPublisher<Int>>.publisher()
            }
            return (queue, publishers)
        }
        let (queue, publishers) = graph.run(settings)
        let probes = publishers.map { publisher in
            let probe = Probe<Int>()
            publisher.subscribe(probe)
            return probe
        }
        return (queue, recorders, probes)
    }

    @Test func allOutletsHearOfWatermarksAndOfTheEnd() throws {
        for (name, make) in Self.fanOuts {
            for completion in [Completion.finished, .failed(Trouble()), .interrupted] {
                let (queue, recorders, probes) = try running(make)
                for probe in probes { probe.request(10) }
                for second in 1...6 {
                    queue.offer(second, at: time(second))
                    queue.advance(to: time(second))
                }
                queue.finish(completion)
                for (recorder, probe) in zip(recorders, probes) {
                    var last = 0
                    for case .element(let number, _) in recorder.signals { last = number }
                    let marks = recorder.signals.compactMap { signal -> Timestamp? in
                        guard case .watermark(let time) = signal else { return nil }
                        return time
                    }
                    #expect(marks == marks.sorted() && marks.last == time(6) && last > 0, "\(name)")
                    #expect(probe.isOver, "\(name)")
                    #expect((probe.state.error != nil) == !probe.state.isComplete, "\(name)")
                }
            }
        }
    }

    @Test func theSourceIsCancelledWithTheLastOutlet() throws {
        for (name, make) in Self.fanOuts {
            let (queue, _, probes) = try running(make)
            for probe in probes { probe.request(10) }
            probes[0].cancel()
            queue.offer(1)
            queue.offer(2)
            queue.offer(3)
            #expect(probes[0].elements.isEmpty && !probes[1].elements.isEmpty, "\(name)")
            probes[1].cancel()
            #expect(queue.offer(4) == .closed, "\(name)")
        }
    }
}
