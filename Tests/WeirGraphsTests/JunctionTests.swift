import Testing
import WeirCore
import WeirGraphs
import WeirTesting

@Suite struct JunctionTests {
    /// The numbers of several inlets: those of inlet 2 are 2,000,000 and following.
    ///
    /// Times ascend.
    private func inputs(_ count: Int, _ generator: inout SeededGenerator) -> [[Int]] {
        (0..<count).map { inlet in
            (0..<Int.random(in: 0...12, using: &generator)).map { inlet * 1_000_000 + $0 }
        }
    }

    private func run(
        _ inputs: [[Int]],
        _ generator: inout SeededGenerator,
        _ junction: @escaping @Sendable (GraphBuilder) -> FanIn<Int, Int>
    ) throws -> [Int] {
        let isAsync = inputs.map { _ in Bool.random(using: &generator) }
        let graph = try Graph { builder in
            let ports = junction(builder)
            for (place, input) in inputs.enumerated() {
                let outlet = builder.add(Source(input) { Timestamp(secondsSinceEpoch: Int64($0 % 1_000_000)) })
                if isAsync[place] {
                    outlet --> Flow<Int, Int, Void>.async(capacity: 2) --> ports.inlets[place]
                } else {
                    outlet --> ports.inlets[place]
                }
            }
            return ports.outlet --> .collect(limit: 1000)
        }
        return try graph.run(GraphSettings(batch: .random(in: 1...5, using: &generator), execution: .inline)).wait()
    }

    @Test func mergesKeepEveryElementAndEachOrder() throws {
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...4, using: &generator)
            let inputs = inputs(count, &generator)
            let prefers = Bool.random(using: &generator)
            let output = try run(inputs, &generator) { builder in
                prefers ? builder.mergePreferred(Int.self, from: count) : builder.merge(Int.self, from: count)
            }
            for (inlet, input) in inputs.enumerated() {
                #expect(output.filter { $0 / 1_000_000 == inlet } == input, "seed \(seed)")
            }
            #expect(output.count == inputs.joined().count, "seed \(seed)")
        }
    }

    @Test func mergeByTimeSorts() throws {
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...4, using: &generator)
            let inputs = inputs(count, &generator)
            let output = try run(inputs, &generator) { $0.mergeByTime(Int.self, from: count) }
            let expected = inputs.joined().sorted { ($0 % 1_000_000, $0) < ($1 % 1_000_000, $1) }
            #expect(output == expected, "seed \(seed)")
        }
    }

    @Test func concatAndInterleaveAgreeWithArrays() throws {
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...4, using: &generator)
            let inputs = inputs(count, &generator)
            #expect(
                try run(inputs, &generator) { $0.concat(Int.self, from: count) } == Array(inputs.joined()),
                "seed \(seed)"
            )
            let segment = Int.random(in: 1...4, using: &generator)
            let output = try run(inputs, &generator) { $0.interleave(Int.self, from: count, segment: segment) }
            var rest = inputs.map { $0[...] }
            var expected: [Int] = []
            while rest.contains(where: { !$0.isEmpty }) {
                for index in rest.indices {
                    expected += rest[index].prefix(segment)
                    rest[index] = rest[index].dropFirst(segment)
                }
            }
            #expect(output == expected, "seed \(seed)")
        }
    }

    @Test func zipPairsInOrder() throws {
        for (first, second) in [(0, 3), (3, 0), (5, 5), (2, 9), (9, 2)] {
            let graph = try Graph { builder in
                let pairing = builder.zip { (number: Int, text: String) in "\(number)\(text)" }
                builder.add(Source(Array(0..<first))) --> pairing.first
                builder.add(Source((0..<second).map { "x\($0)" })) --> pairing.second
                return pairing.outlet --> .collect(limit: 100)
            }
            #expect(try graph.run().wait() == (0..<min(first, second)).map { "\($0)x\($0)" })
        }
    }

    @Test func fanOutsAgreeWithArrays() throws {
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...4, using: &generator)
            let input = (0..<Int.random(in: 0...30, using: &generator)).map { $0 }
            let settings = GraphSettings(batch: .random(in: 1...5, using: &generator), execution: .inline)
            func outputs(
                _ junction: @escaping @Sendable (GraphBuilder) -> FanOut<Int>
            ) throws -> [[Int]] {
                let graph = try Graph { builder in
                    let ports = junction(builder)
                    builder.add(Source(input)) --> ports.inlet
                    return ports.outlets.map { $0 --> GraphSink<Int, GraphResult<[Int]>>.collect(limit: 100) }
                }
                return try graph.run(settings).map { try $0.wait() }
            }
            #expect(
                try outputs { $0.broadcast(Int.self, to: count) } == Array(repeating: input, count: count),
                "seed \(seed)"
            )
            let balanced = try outputs { $0.balance(Int.self, to: count) }
            #expect(balanced.joined().sorted() == input && balanced.allSatisfy { $0 == $0.sorted() }, "seed \(seed)")
            let rejected = SideOutput<Int>()
            let parts = try outputs { $0.partition(Int.self, to: count, rejected: rejected) { $0 % 5 } }
            #expect(parts == (0..<count).map { place in input.filter { $0 % 5 == place } }, "seed \(seed)")
            #expect(Int(rejected.count) == input.count { $0 % 5 >= count }, "seed \(seed)")
        }
    }

    @Test func unzipMakesTwoOfOne() throws {
        let graph = try Graph { builder in
            let parting = builder.unzip { (number: Int) in (number, "\(number)") }
            builder.add(Source(1...5)) --> parting.inlet
            return (
                parting.first --> GraphSink<Int, GraphResult<[Int]>>.collect(limit: 9),
                parting.second --> GraphSink<String, GraphResult<[String]>>.collect(limit: 9)
            )
        }
        let (numbers, texts) = graph.run()
        #expect(try numbers.wait() == [1, 2, 3, 4, 5])
        #expect(try texts.wait() == ["1", "2", "3", "4", "5"])
    }

    @Test func aCancelledOutletDoesNotStopTheOthers() throws {
        let graph = try Graph { builder in
            let split = builder.broadcast(Int.self, to: 2)
            builder.add(Source(1...10)) --> split.inlet
            let first = split.outlets[0] --> GraphSink<Int, GraphResult<Int>>.first()
            return (first, split.outlets[1] --> GraphSink<Int, GraphResult<[Int]>>.collect(limit: 10))
        }
        let (first, all) = graph.run()
        #expect(try first.wait() == 1)
        #expect(try all.wait() == Array(1...10))
    }

    @Test func theWatermarkOfAMergeIsTheEarliest() throws {
        let seen = Recorder<Int>()
        let graph = try Graph { builder in
            let (first, one) = builder.addKeepingHandle(Source<Int, SourceQueue<Int>>.queue(capacity: 8))
            let (second, other) = builder.addKeepingHandle(Source<Int, SourceQueue<Int>>.queue(capacity: 8))
            let merge = builder.merge(Int.self, from: 2)
            first --> merge.inlets[0]
            second --> merge.inlets[1]
            let tapped = merge.outlet --> Flow<Int, Int, Void> { Recording(upstream: $0, sink: seen.sink) }
            return (one, other, tapped --> GraphSink<Int, GraphResult<Void>>.ignoring())
        }
        let (one, other, _) = graph.run()
        one.advance(to: Timestamp(secondsSinceEpoch: 5))
        other.advance(to: Timestamp(secondsSinceEpoch: 3))
        other.advance(to: Timestamp(secondsSinceEpoch: 9))
        one.finish()
        other.finish()
        #expect(
            seen.signals.map { "\($0)" }
                == [3, 5, 9 as Int64].map { "\(StreamSignal<Int>.watermark(Timestamp(secondsSinceEpoch: $0)))" }
                + ["\(StreamSignal<Int>.completion(.finished))"]
        )
    }

    @Test func unconnectedPortsAreNamed() {
        #expect(throws: GraphError.unconnected(port: "merge.in2")) {
            try Graph { builder in
                let merge = builder.merge(Int.self, from: 2)
                builder.add(Source(1...3)) --> merge.inlets[0]
                return merge.outlet --> GraphSink<Int, GraphResult<Void>>.ignoring()
            }
        }
        #expect(throws: GraphError.unconnected(port: "broadcast 2.out1")) {
            try Graph { builder in
                let first = builder.broadcast(Int.self, to: 1)
                let second = builder.broadcast(Int.self, to: 1)
                builder.add(Source(1...3)) --> first.inlet
                first.outlets[0] --> second.inlet
            }
        }
        #expect(throws: GraphError.connectedTwice(port: "ignoring.in")) {
            try Graph { builder in
                let sink = builder.add(GraphSink<Int, GraphResult<Void>>.ignoring())
                builder.add(Source(1...3)) --> sink.inlet
                builder.add(Source(1...3)) --> sink.inlet
            }
        }
        #expect(throws: GraphError.unconnected(port: "zip.in2")) {
            try Flow<Int, Int, Void> { builder in
                let zip = builder.zip { (first: Int, second: Int) in first + second }
                return (FlowPorts(zip.first, zip.outlet), ())
            }
        }
    }

    @Test func portsOfOtherGraphsAreRefused() throws {
        // Both closures run on this thread, one after the other.
        nonisolated(unsafe) var leaked: Outlet<Int>?
        _ = try Graph { builder in
            let outlet = builder.add(Source(1...3))
            outlet --> GraphSink<Int, GraphResult<Void>>.ignoring()
            unsafe leaked = outlet
        }
        #expect(throws: GraphError.foreign(port: "source.out")) {
            try Graph { builder in
                let sink = builder.add(GraphSink<Int, GraphResult<Void>>.ignoring())
                if let outlet = unsafe leaked { builder.connect(outlet, to: sink.inlet) }
            }
        }
    }

    @Test func partialGraphsAreReusable() throws {
        let twice = try Flow<Int, Int, Void> { builder in
            let split = builder.broadcast(Int.self, to: 2)
            let meet = builder.interleave(Int.self, from: 2)
            split.outlets[0] --> meet.inlets[0]
            split.outlets[1] --> Flow<Int, Int, Void>.map { $0 * 10 } --> meet.inlets[1]
            return (FlowPorts(split.inlet, meet.outlet), ())
        }
        let result = Source(1...2).via(twice).via(twice).to(.collect(limit: 100)).run()
        #expect(try result.wait() == [1, 10, 10, 100, 2, 20, 20, 200])
    }
}
