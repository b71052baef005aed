import TestStreams
import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirGraphs
import WeirSelection
import WeirTesting

/// What a test does with a graph, in order.
private enum Deed {
    case offer(Int, Timestamp)
    case watermark(Timestamp)
    case request(Int)
    case wait(Duration)
    case finish(Completion)
}

/// A graph that is saved and started again at a position, against the same graph that is not.
private struct GraphTrial {
    let deeds: [Deed]

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var deeds: [Deed] = []
        var last: Int64 = 0
        for number in 0..<Int.random(in: 1...24, using: &generator) {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                last += Int64.random(in: 0...2, using: &generator)
                deeds.append(.offer(number, Timestamp(secondsSinceEpoch: last)))
            case 5: deeds.append(.watermark(Timestamp(secondsSinceEpoch: last)))
            case 6: deeds.append(.wait(.milliseconds(Int.random(in: 1...700, using: &generator))))
            default: deeds.append(.request(Int.random(in: 1...4, using: &generator)))
            }
        }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: deeds.append(.finish(.failed(Trouble(number: 1))))
        default: deeds.append(.finish(.finished))
        }
        deeds.append(.request(Int.random(in: 0...3, using: &generator)))
        deeds.append(.request(1_000))
        self.deeds = deeds
    }

    /// Signals as text; of an error, that is what is left after a restart.
    private static func texts<Element>(_ signals: [StreamSignal<Element>]) -> [String] {
        signals.map { signal in
            if case .completion(.failed(let error)) = signal { "failed: \(error)" } else { "\(signal)" }
        }
    }

    /// What the end of the graph is told, when it is saved, dropped and started again before some of the deeds.
    func run<Element>(
        restartingAt positions: Set<Int>,
        batch: Int,
        _ flow: (Source<Int, SourceQueue<Int>>) -> Source<Element, SourceQueue<Int>>
    ) throws -> [String] {
        let clock = VirtualClock()
        // One for each run: a graph that was dropped ends, and is told so.
        let recorder = Locked(Recorder<Element>())
        var signals: [String] = []
        let graph = flow(.queue(capacity: 64))
            .via(Flow<Element, Element, Void> { Recording(upstream: $0, sink: recorder.withLock { $0.sink }) })
            .to(GraphSink<Element, GraphPublisher<Element>>.publisher()) { ($0, $1) }
        func settings() -> GraphSettings {
            // The timers of what was dropped are dropped with it.
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            return GraphSettings(batch: batch, execution: .inline, scheduler: scheduler)
        }
        var running = graph.start(settings())
        var probe = Probe<Element>()
        running.value.1.subscribe(probe)
        var (requested, received) = (0, 0)
        for (position, deed) in deeds.enumerated() {
            if positions.contains(position) {
                let checkpoint = try running.checkpoint()
                received += probe.elements.count
                signals += Self.texts(recorder.withLock { $0.signals })
                recorder.withLock { $0 = Recorder() }
                running = try graph.start(settings(), from: Checkpoint(bytes: checkpoint.bytes))
                #expect(running.restored?.isComplete == true)
                probe = Probe()
                running.value.1.subscribe(probe)
                if requested > received { probe.request(requested - received) }
            }
            switch deed {
            case .offer(let number, let time): running.value.0.offer(number, at: time)
            case .watermark(let time): running.value.0.advance(to: time)
            case .request(let count):
                requested += count
                probe.request(count)
            case .wait(let duration): clock.advance(by: duration)
            case .finish(let completion): running.value.0.finish(completion)
            }
        }
        clock.advance(by: .seconds(100))
        return signals + Self.texts(recorder.withLock { $0.signals })
    }
}

@Suite struct GraphStateTests {
    /// Restarts at each position, and at all of them.
    private func survives<Element>(
        _ name: String,
        trials: UInt64 = 60,
        _ flow: (Source<Int, SourceQueue<Int>>) -> Source<Element, SourceQueue<Int>>
    ) throws {
        for seed in seeds(trials) {
            let trial = GraphTrial(seed: seed)
            let batch = [1, 2, 256][Int(seed % 3)]
            let expected = try trial.run(restartingAt: [], batch: batch, flow)
            let places = trial.deeds.indices.map { Set([$0]) } + [Set(trial.deeds.indices)]
            for positions in places {
                let found = try trial.run(restartingAt: positions, batch: batch, flow)
                try #require(
                    found == expected,
                    "\(name), seed \(seed), restarted at \(positions.count > 1 ? "all" : "\(positions)")"
                )
            }
        }
    }

    @Test func flowsGoOnWhereTheyWere() throws {
        try survives("map") { $0.via(.map { $0 * 3 }).via(.filter { $0 % 2 == 0 }) }
        try survives("scan") { $0.via(.scan(into: 0) { $0 += $1 }) }
        try survives("flatMap") { $0.via(.flatMap { Array(repeating: "\($0)", count: $0 % 5) }) }
        try survives("flatMap that fails") { source in
            source.via(
                .flatMap(supervision: .resume) { number throws(Trouble) -> [Int] in
                    if number % 3 == 0 { throw Trouble() }
                    return [number, number + 1]
                }
            )
        }
        try survives("take") { $0.via(.take(4)) }
        try survives("recover") { $0.via(.recover { _ in -1 }) }
        for policy in [BufferOverflow.block, .dropOldest, .dropLast, .dropAll, .dropNewest, .fail] {
            try survives("buffer, \(policy)") { $0.via(.buffer(3, overflowPolicy: policy)) }
        }
        try survives("conflate") { $0.via(.conflate { $0 + $1 }) }
        try survives("batch") { $0.via(.batch(limit: 3)) }
        try survives("expand") { $0.via(.expand { number in (1...3).map { number * 10 + $0 } }) }
        try survives("throttle") { $0.via(.throttle(2, per: .seconds(1))) }
        try survives("killSwitch") { $0.via(.killSwitch(KillSwitch())) }
    }

    @Test func chainsOfOperatorsGoOnWhereTheyWere() throws {
        try survives("chain") { source in
            source.via(
                Flow<Int, Int, Void> { (numbers: ChainEntry<Int>) in
                    numbers.drop(2).scan(into: 0) { $0 += $1 }.filter { $0 % 3 != 0 }
                }
            )
        }
        try survives("takeLast") { source in
            source.via(Flow<Int, Int, Void> { (numbers: ChainEntry<Int>) in numbers.takeLast(3) })
        }
    }

    @Test func boundariesGoOnWhereTheyWere() throws {
        try survives("async") { $0.via(.async(capacity: 4)) }
        try survives("two of them") { source in
            source.via(.async(capacity: 2)).via(.scan(into: 0) { $0 += $1 }).via(.async(capacity: 2))
        }
    }

    @Test func junctionsGoOnWhereTheyWere() throws {
        typealias Parts = Flow<Int, Int, Void>
        func junction(
            _ join: @escaping @Sendable (GraphBuilder) -> FanIn<Int, Int>,
            _ part: @escaping @Sendable (GraphBuilder) -> FanOut<Int> = { $0.broadcast(Int.self, to: 2) }
        ) throws -> Parts {
            try Parts { builder in
                let parted = part(builder)
                let joined = join(builder)
                parted.outlets[0] --> Parts.map { $0 * 100 } --> joined.inlets[0]
                parted.outlets[1] --> Parts.buffer(2) --> joined.inlets[1]
                return (FlowPorts(parted.inlet, joined.outlet), ())
            }
        }
        let merge = try junction { $0.merge(Int.self, from: 2) }
        try survives("merge") { $0.via(merge) }
        let preferred = try junction { $0.mergePreferred(Int.self, from: 2, ending: .any) }
        try survives("mergePreferred") { $0.via(preferred) }
        let byTime = try junction { $0.mergeByTime(Int.self, from: 2) }
        try survives("mergeByTime") { $0.via(byTime) }
        let interleave = try junction { $0.interleave(Int.self, from: 2, segment: 2) }
        try survives("interleave") { $0.via(interleave) }
        let balance = try junction({ $0.merge(Int.self, from: 2) }, { $0.balance(Int.self, to: 2) })
        try survives("balance") { $0.via(balance) }
        let partition = try junction({ $0.merge(Int.self, from: 2) }, { $0.partition(Int.self, to: 2) { $0 % 3 } })
        try survives("partition") { $0.via(partition) }
        let concat = try Parts { builder in
            let joined = builder.concat(Int.self, from: 2)
            builder.add(Source([-3, -2, -1])) --> joined.inlets[0]
            return (FlowPorts(joined.inlets[1], joined.outlet), ())
        }
        try survives("concat") { $0.via(concat) }
        let zip = try Flow<Int, Int, Void> { builder in
            let parted = builder.unzip { (number: Int) in (number, "\(number)") }
            let paired = builder.zip { (one: Int, other: String) in one * 1_000 + other.count }
            parted.first --> Parts.buffer(3) --> paired.first
            parted.second --> paired.second
            return (FlowPorts(parted.inlet, paired.outlet), ())
        }
        try survives("zip") { $0.via(zip) }
    }

    /// A sequence goes on behind what was sent, with any demand and other settings.
    @Test func sequencesGoOnBehindWhatTheyHaveSent() throws {
        let graph = Source(0..<20).via(.flatMap { [$0, -$0] }).to(GraphSink<Int, GraphPublisher<Int>>.publisher())
        for seed in seeds(100) {
            var generator = SeededGenerator(seed: seed)
            func settings() -> GraphSettings { GraphSettings(batch: Int.random(in: 1...5, using: &generator)) }
            var running = graph.start(settings())
            var elements: [Int] = []
            var isComplete = false
            while !isComplete {
                let probe = Probe<Int>()
                running.value.subscribe(probe)
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    probe.request(Int.random(in: 1...7, using: &generator))
                }
                elements += probe.elements
                isComplete = probe.isOver
                let checkpoint = try running.checkpoint()
                running = try graph.start(settings(), from: checkpoint)
            }
            try #require(elements == (0..<20).flatMap { [$0, -$0] }, "seed \(seed)")
        }
    }

    /// A sink has its result again, also one that has ended before.
    @Test func resultsComeAgain() throws {
        typealias Queue = SourceQueue<Int>
        typealias Results = (Queue, GraphResult<Int>, GraphResult<[Int]>, GraphResult<Int>, GraphResult<Void>)
        let graph = try Graph { builder -> Results in
            let split = builder.broadcast(Int.self, to: 4)
            let (outlet, queue) = builder.addKeepingHandle(Source<Int, Queue>.queue(capacity: 8))
            outlet --> split.inlet
            let sum = split.outlets[0] --> GraphSink<Int, GraphResult<Int>>.fold(0) { $0 + $1 }
            let all = split.outlets[1] --> GraphSink<Int, GraphResult<[Int]>>.collect()
            let first = split.outlets[2] --> GraphSink<Int, GraphResult<Int>>.first()
            let failed =
                split.outlets[3]
                --> GraphSink<Int, GraphResult<Void>>.forEach { number in
                    if number == 2 { throw Trouble(number: number) }
                }
            return (queue, sum, all, first, failed)
        }
        var running = graph.start()
        func restart() throws {
            running = try graph.start(from: Checkpoint(bytes: running.checkpoint().bytes))
        }
        for number in 1...5 {
            running.value.0.offer(number)
            if number == 1 { #expect(try running.value.3.current?.get() == 1) }
            try restart()
            #expect(running.value.1.current == nil)
            #expect(try running.value.3.current?.get() == 1)
            #expect((running.value.4.current == nil) == (number < 2))
        }
        running.value.0.finish()
        for _ in 0..<2 {
            #expect(try running.value.1.wait() == 15)
            #expect(try running.value.2.wait() == [1, 2, 3, 4, 5])
            #expect(running.value.0.offer(6) == .closed)
            // Its text is what is left of an error.
            let failure = #expect(throws: (any Error).self) { try running.value.4.wait() }
            #expect("\(try #require(failure))".hasPrefix("Trouble"))
            try restart()
        }
    }

    /// What was counted beside the stream is counted on.
    @Test func sideOutputsCountOn() throws {
        let (dropped, rejected, supervision) = (SideOutput<Int>(), SideOutput<Int>(), Supervision.resume)
        func graph(_ dropped: SideOutput<Int>, _ rejected: SideOutput<Int>, _ supervision: Supervision) throws
            -> Graph<(SourceQueue<Int>, GraphPublisher<Int>)>
        {
            try Graph { builder in
                let (outlet, queue) = builder.addKeepingHandle(Source<Int, SourceQueue<Int>>.queue(capacity: 8))
                let parted = builder.partition(Int.self, to: 1, rejected: rejected) { $0 == 0 ? 1 : 0 }
                outlet --> parted.inlet
                let publisher =
                    parted.outlets[0]
                    --> Flow<Int, Int, Void>.map(supervision: supervision) { (number: Int) throws(Trouble) in
                        if number == 1 { throw Trouble() }
                        return number
                    } --> Flow<Int, Int, Void>.buffer(1, overflowPolicy: .dropNewest, dropped: dropped)
                    --> GraphSink<Int, GraphPublisher<Int>>.publisher()
                return (queue, publisher)
            }
        }
        let running = try graph(dropped, rejected, supervision).start()
        let probe = Probe<Int>()
        running.value.1.subscribe(probe)
        for number in [0, 1, 2, 3, 4, 1] { running.value.0.offer(number) }
        let again = (SideOutput<Int>(), SideOutput<Int>(), Supervision.resume)
        let resumed = try graph(again.0, again.1, again.2).start(from: running.checkpoint())
        #expect([again.0.count, again.1.count, again.2.leftOut.count] == [2, 1, 2])
        for number in [0, 1, 5] { resumed.value.0.offer(number) }
        #expect([again.0.count, again.1.count, again.2.leftOut.count] == [3, 2, 3])
    }

    /// A switch that was used ends the flow that was saved, and no other one.
    @Test func aRestoredGraphLeavesTheSwitchAlone() throws {
        let shared = KillSwitch()
        func graph(_ killSwitch: KillSwitch) -> Graph<(SourceQueue<Int>, GraphResult<[Int]>)> {
            Source<Int, SourceQueue<Int>>.queue(capacity: 8).via(.killSwitch(killSwitch)).to(.collect()) { ($0, $1) }
        }
        let first = graph(KillSwitch())
        let running = first.start()
        running.value.0.offer(1)
        let before = try running.checkpoint()
        let used = KillSwitch()
        let ended = graph(used).start()
        ended.value.0.offer(2)
        used.finish()
        let after = try ended.checkpoint()
        let other = graph(shared).start()
        #expect(try graph(shared).start(from: after).value.1.wait() == [2])
        let resumed = try graph(shared).start(from: before)
        #expect(resumed.value.0.offer(9) == .accepted && resumed.value.1.current == nil)
        #expect(other.value.0.offer(3) == .accepted && other.value.1.current == nil)
        shared.finish()
        #expect(try other.value.1.wait() == [3])
        #expect(try resumed.value.1.wait() == [1, 9])
    }

    @Test func ticksGoOn() throws {
        let clock = VirtualClock()
        func settings() -> GraphSettings {
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            return GraphSettings(scheduler: scheduler)
        }
        let graph = Source<Timestamp, Void>.ticks(every: .seconds(2)) { $0 }.take(3).to(.collect(limit: 3))
        var running = graph.start(settings())
        for _ in 0..<3 {
            clock.advance(by: .seconds(1))
            running = try graph.start(settings(), from: running.checkpoint())
        }
        clock.advance(by: .seconds(10))
        #expect(try running.value.wait() == [2, 4, 6].map { Timestamp(secondsSinceEpoch: $0) })
    }

    /// A source that is restarted goes on with the try that ran, or the wait for the next.
    @Test func restartingSourcesGoOn() throws {
        let clock = VirtualClock()
        func settings() -> GraphSettings {
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            return GraphSettings(batch: 2, scheduler: scheduler)
        }
        let graph = Source<Int, Void>.restarting(Backoff(first: .seconds(2), longest: .seconds(8), limit: 3)) {
            Source(1...5).via(
                .map { (number: Int) throws(Trouble) -> Int in
                    if number == 5 { throw Trouble(number: number) }
                    return number
                }
            )
        }
        .to(GraphSink<Int, GraphPublisher<Int>>.publisher())
        var running = graph.start(settings())
        var (found, times) = ([Int](), [Int64]())
        for _ in 0..<60 {
            let probe = Probe<Int>()
            running.value.subscribe(probe)
            probe.request(1)
            clock.advance(by: .milliseconds(700))
            if probe.elements == [1] { times.append(clock.now().nanosecondsSinceEpoch) }
            found += probe.elements
            running = try graph.start(settings(), from: Checkpoint(bytes: running.checkpoint().bytes))
        }
        #expect(found.count > 12)
        #expect(found == found.indices.map { $0 % 4 + 1 })
        // An element in between makes the wait short again.
        let waits = zip(times, times.dropFirst()).map { Double($1 - $0) / 1_000_000_000 }
        #expect(waits.allSatisfy { (2...6).contains($0) }, "\(waits)")
    }

    /// Nothing is left of what a graph keeps when it is over.
    @Test func nothingIsLeftOfAGraph() throws {
        for isStarted in [false, true] {
            let census = Token.Census()
            do {
                let graph = Source(1...10).via(.async(capacity: 2))
                    .via(.scan(into: Token(0, in: census)) { $0 = Token($0.number + $1, in: census) })
                    .via(.async(capacity: 2)).to(.last())
                let settings = GraphSettings(execution: .inline)
                if isStarted {
                    #expect(try graph.start(settings).value.wait().number == 55)
                } else {
                    #expect(try graph.run(settings).wait().number == 55)
                }
            }
            #expect(census.count == 0, "started: \(isStarted)")
        }
    }

    /// Elements that tasks work on are worked on again; results that wait for their turn are not.
    @Test func tasksBeginAnew() async throws {
        for isOrdered in [true, false] {
            let gates = Locked([Gates(), Gates()])
            let calls = Locked<[Int]>([])
            let run = Locked(0)
            let graph = Source(1...6).mapAsync(limit: 3, ordered: isOrdered) { number in
                calls.withLock { $0.append(number) }
                try await gates.withLock { $0 }[run.withLock { $0 }].pass(number)
                return number * 10
            }.to(.collect())
            let first = graph.start()
            let (before, after) = gates.withLock { ($0[0], $0[1]) }
            #expect(await eventually { before.waiting == [1, 2, 3] })
            before.open(2)
            // It is done when another element may begin.
            #expect(await eventually { isOrdered ? !before.waiting.contains(2) : before.waiting.contains(4) })
            let checkpoint = try first.checkpoint()
            run.withLock { $0 = 1 }
            calls.withLock { $0 = [] }
            for number in 1...6 { after.open(number) }
            let second = try graph.start(from: Checkpoint(bytes: checkpoint.bytes))
            let result = try await second.value.value()
            #expect(isOrdered ? result == [10, 20, 30, 40, 50, 60] : result.sorted() == [10, 20, 30, 40, 50, 60])
            if !isOrdered { #expect(!calls.withLock { $0 }.contains(2)) }
            for number in 1...6 { before.open(number) }
        }
    }

    @Test func valuesThatWaitComeAgain() async throws {
        let graph = Source(1...10).to(.values(capacity: 4))
        let first = graph.start()
        var iterator = first.value.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 2)
        let second = try graph.start(from: first.checkpoint())
        var rest: [Int] = []
        for try await number in second.value { rest.append(number) }
        #expect(rest == Array(3...10))
    }

    @Test func whatASequenceHasGivenIsNotLost() async throws {
        let (numbers, more) = AsyncStream.makeStream(of: Int.self)
        let graph = Source(awaiting: numbers, at: { _ in .epoch }).to(GraphSink<Int, GraphPublisher<Int>>.publisher())
        let first = graph.start()
        let probe = Probe<Int>()
        first.value.subscribe(probe)
        probe.request(3)
        for number in 1...3 { more.yield(number) }
        #expect(await eventually { probe.elements.count == 3 })
        let second = try graph.start(from: first.checkpoint())
        let other = Probe<Int>()
        second.value.subscribe(other)
        probe.cancel()
        other.request(2)
        for number in 4...5 { more.yield(number) }
        #expect(await eventually { other.elements.count == 2 })
        #expect(other.elements == [4, 5])
        more.finish()
    }

    // MARK: Threads

    /// A graph on several threads stands still at any moment, and each of its states goes on to the same end.
    @Test func graphsOnThreadsStandStill() throws {
        let count = 30_000
        let graph = Source(1...count).via(.async(capacity: 64)).via(.scan(into: 0) { $0 &+= $1 }).via(
            .async(capacity: 8)
        )
        .to(
            .fold(into: [0, 0]) { sums, sum in
                sums[0] += 1
                sums[1] &+= sum
            }
        )
        let expected = try graph.run().wait()
        for _ in 0..<3 {
            let running = graph.start()
            var checkpoints: [Checkpoint] = []
            while running.value.current == nil, checkpoints.count < 40 { checkpoints.append(try running.checkpoint()) }
            #expect(try running.value.wait() == expected)
            for checkpoint in checkpoints.prefix(2) + checkpoints.suffix(1) {
                #expect(try graph.start(from: checkpoint).value.wait() == expected)
            }
        }
    }

    /// Offers from several threads wait while a graph is saved, and none is lost; the threads run the graph.
    @Test func offersWaitWhileAGraphIsSaved() throws {
        for execution in [GraphSettings.Execution.inline, .processors] {
            let settings = GraphSettings(execution: execution)
            let graph = Source<Int, SourceQueue<Int>>.queue(capacity: 1 << 16).via(.async(capacity: 16))
                .to(
                    .fold(into: [0, 0]) { sums, number in
                        sums[0] += 1
                        sums[1] += number
                    }
                ) { ($0, $1) }
            let running = graph.start(settings)
            let (queue, result) = running.value
            let (threadCount, each) = (2, 5_000)
            let checkpoints = Locked<[Checkpoint]>([])
            let jobs = (0...threadCount).map { thread -> @Sendable () -> Void in
                {
                    guard thread == threadCount else {
                        for number in 0..<each { #expect(queue.offer(number) == .accepted) }
                        return
                    }
                    for _ in 0..<50 {
                        guard let checkpoint = try? running.checkpoint() else { continue }
                        checkpoints.withLock { $0.append(checkpoint) }
                    }
                }
            }
            TestThreads.run(jobs)
            queue.finish()
            #expect(try result.wait() == [threadCount * each, threadCount * each * (each - 1) / 2])
            #expect(checkpoints.withLock { $0.count } == 50)
            for checkpoint in checkpoints.withLock({ $0.suffix(3) }) {
                let other = try graph.start(settings, from: checkpoint)
                other.value.0.finish()
                let sums = try other.value.1.wait()
                #expect(sums[0] <= threadCount * each)
            }
        }
    }

    // MARK: What cannot be saved, and what does not fit

    @Test func whatCannotBeSavedIsNamed() throws {
        final class Box: Sendable {}
        let boxes = Source<Box, SourceQueue<Box>>.queue(capacity: 4).to(.ignoring()) { queue, _ in queue }.start()
        let error = #expect(throws: StateError.self) { try boxes.checkpoint() }
        #expect("\(try #require(error))".contains("Box"))
    }

    @Test func aStageCannotSaveItsGraph() throws {
        let running = Locked<RunningGraph<(SourceQueue<Int>, GraphResult<Void>)>?>(nil)
        let refusal = Locked<StateError?>(nil)
        let graph = Source<Int, SourceQueue<Int>>.queue(capacity: 4).to(
            .forEach { _ in
                do {
                    _ = try running.withLock { $0 }?.checkpoint()
                } catch let error as StateError {
                    refusal.withLock { $0 = error }
                }
            }
        ) { ($0, $1) }
        let made = graph.start()
        running.withLock { $0 = made }
        made.value.0.offer(1)
        #expect(refusal.withLock { $0 } == .busy("the graph"))
        #expect(try made.checkpoint().bytes.isEmpty == false)
        running.withLock { $0 = nil }
    }

    @Test func anotherGraphIsRefusedOrDropped() throws {
        let running = Source(1...10).via(.scan(into: 0) { $0 += $1 }).via(.buffer(4))
            .to(GraphSink<Int, GraphPublisher<Int>>.publisher()).start()
        let checkpoint = try running.checkpoint()
        let other = Source(1...10).via(.scan(into: 0) { $0 += $1 }).via(.buffer(5))
            .to(GraphSink<Int, GraphPublisher<Int>>.publisher())
        #expect(throws: StateError.self) { try other.start(from: checkpoint) }
        let dropped = try other.start(from: checkpoint, droppingMismatches: true)
        #expect(dropped.restored?.isComplete == false)
        // Damage is noticed.
        var bytes = checkpoint.bytes
        bytes[bytes.count / 2] ^= 1
        #expect(throws: StateError.self) { try Checkpoint(bytes: bytes) }
    }
}
