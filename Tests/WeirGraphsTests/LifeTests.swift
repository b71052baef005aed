import Testing
import WeirCore
import WeirDispatch
import WeirGraphs
import WeirTesting

/// Cycles, failures, and ends.
@Suite struct LifeTests {
    private let settings = GraphSettings(execution: .inline)

    // MARK: Cycles

    @Test func feedbackThroughADroppingBufferLives() throws {
        // Each number comes back halved until it is zero.
        let graph = try Graph { builder in
            let merge = builder.merge(Int.self, from: 2, ending: .all)
            let split = builder.broadcast(Int.self, to: 2)
            builder.add(Source([8, 5])) --> merge.inlets[0]
            merge.outlet --> split.inlet
            split.outlets[0] --> Flow<Int, Int, Void>.filter { $0 > 0 } --> Flow<Int, Int, Void>.map { $0 / 2 }
                --> Flow<Int, Int, Void>.buffer(8, overflowPolicy: .dropOldest) --> merge.inlets[1]
            return split.outlets[1] --> Flow<Int, Int, Void>.take(9) --> .collect(limit: 100)
        }
        #expect(try graph.run(GraphSettings(batch: 4)).wait().sorted() == [0, 0, 1, 1, 2, 2, 4, 5, 8])
    }

    @Test func aZipWithAFirstElementLives() throws {
        // Each number is zipped with the sum that comes back round.
        let graph = try Graph { builder in
            let zip = builder.zip { (number: Int, sum: Int) in number + sum }
            let split = builder.broadcast(Int.self, to: 2)
            let start = builder.concat(Int.self, from: 2)
            builder.add(Source(1...6)) --> zip.first
            builder.add(Source([0])) --> start.inlets[0]
            start.outlet --> zip.second
            zip.outlet --> split.inlet
            split.outlets[0] --> Flow<Int, Int, Void>.buffer(4) --> start.inlets[1]
            return split.outlets[1] --> Flow<Int, Int, Void>.take(6) --> .collect(limit: 6)
        }
        #expect(try graph.run().wait() == [1, 3, 6, 10, 15, 21])
    }

    @Test func aCycleThatCannotBeginIsDiagnosed() throws {
        let graph = try Graph { builder in
            let zip = builder.zip { (number: Int, other: Int) in number + other }
            let split = builder.broadcast(Int.self, to: 2)
            builder.add(Source(1...3)) --> zip.first
            zip.outlet --> split.inlet
            split.outlets[0] --> Flow<Int, Int, Void>.buffer(4) --> zip.second
            return split.outlets[1] --> .collect(limit: 10)
        }
        for execution in [GraphSettings.Execution.inline, .processors] {
            let error = #expect(throws: GraphError.self) {
                try graph.run(GraphSettings(execution: execution)).wait()
            }
            guard case .deadlock(let ports)? = error else { return }
            #expect(ports.contains("zip.in2 waits for an element"), "\(ports)")
            #expect(ports.contains("broadcast.in waits for an element"), "\(ports)")
            #expect(!ports.contains { $0.contains("source") || $0.contains("collect") }, "only what is on the cycle")
        }
    }

    @Test func aCycleAcrossABoundaryIsDiagnosed() throws {
        let graph = try Graph { builder in
            let zip = builder.zip { (number: Int, other: Int) in number + other }
            let split = builder.broadcast(Int.self, to: 2)
            builder.add(Source(1...3)) --> Flow<Int, Int, Void>.async() --> zip.first
            zip.outlet --> Flow<Int, Int, Void>.async() --> split.inlet
            split.outlets[0] --> Flow<Int, Int, Void>.async() --> zip.second
            return split.outlets[1] --> .collect(limit: 10)
        }
        for execution in [GraphSettings.Execution.inline, .processors] {
            let error = #expect(throws: GraphError.self) { try graph.run(GraphSettings(execution: execution)).wait() }
            guard case .deadlock(let ports)? = error else { return }
            #expect(!ports.isEmpty)
        }
    }

    @Test func waitingForTheOutsideIsNoDeadlock() {
        let (queue, result) = Source<Int, SourceQueue<Int>>.queue(capacity: 8).to(.collect(limit: 8)) { ($0, $1) }.run()
        #expect(result.current == nil)
        queue.offer(1)
        queue.finish()
        #expect((try? result.wait()) == [1])
    }

    // MARK: Failures

    @Test func supervisionStopsResumesAndRestarts() throws {
        let numbers = [1, 2, -1, 3, 4]
        let result = Source(numbers).map { number throws(Trouble) in
            guard number > 0 else { throw Trouble(number: number) }
            return number
        }
        #expect(throws: Trouble(number: -1)) { try result.to(.collect(limit: 9)).run().wait() }
        for (supervision, expected) in [(Supervision.resume, [1, 3, 6, 10]), (.restart, [1, 3, 3, 7])] {
            let sums = Source(numbers).scan(into: 0, supervision: supervision) { sum, number throws(Trouble) in
                sum += number
                guard number > 0 else { throw Trouble(number: number) }
            }
            #expect(try sums.to(.collect(limit: 9)).run().wait() == expected)
            #expect(supervision.leftOut.count == 1)
        }
        let mixed = Supervision { ($0 as? Trouble)?.number == -1 ? .resume : .stop }
        let filtered = Source([1, -1, 2, -2, 3]).filter(supervision: mixed) { number throws(Trouble) in
            guard number > 0 else { throw Trouble(number: number) }
            return true
        }
        let seen = Tally()
        #expect(throws: Trouble(number: -2)) { try filtered.to(.forEach { seen.add($0) }).run().wait() }
        #expect(seen.count == 3, "what was sent before the failure arrives")
    }

    @Test func recoverEndsWithAReplacement() throws {
        let failing = Source(1...5).map { number throws(Trouble) in
            guard number < 4 else { throw Trouble(number: number) }
            return number
        }
        let recovered = failing.recover { ($0 as? Trouble).map { -$0.number } }
        #expect(try recovered.to(.collect(limit: 9)).run().wait() == [1, 2, 3, -4])
        #expect(throws: Trouble(number: 4)) { try failing.recover { _ in nil }.to(.collect(limit: 9)).run().wait() }
    }

    @Test func aSourceRestartsWithBackoff() throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let tries = Locked<[Int64]>([])
        let failures = SideOutput<any Error>()
        let source = Source<Int, Void>.restarting(
            Backoff(first: .seconds(1), longest: .seconds(5)),
            failures: failures
        ) {
            let number = tries.withLock { tries in
                tries.append(clock.now().nanosecondsSinceEpoch / 1_000_000_000)
                return tries.count
            }
            // The fourth try sends something before it fails, and the sixth ends well.
            switch number {
            case 4: return Source([40]).map { $0 }.via(Flow { Failing(upstream: $0) })
            case 6: return Source([60, 61]).map { $0 }
            default: return .failing(Trouble(number: number))
            }
        }
        let result = source.to(.collect(limit: 9)).run(GraphSettings(scheduler: scheduler))
        clock.advance(by: .seconds(100))
        #expect(try result.wait() == [40, 60, 61])
        #expect(tries.withLock { $0 } == [0, 1, 3, 7, 8, 10])
        #expect(failures.count == 5)
    }

    @Test func theWatermarksOfASourceThatRestartsDoNotGoBack() throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let tries = [Multicast<Int>(), Multicast<Int>()]
        let tried = Tally()
        let source = Source<Int, Void>.restarting(Backoff(first: .seconds(1), longest: .seconds(1))) {
            tried.add()
            return Source.stream(tries[tried.count - 1])
        }
        let recorder = Recorder<Int>()
        let sink = recorder.sink
        let recorded = source.via(Flow { Recording(upstream: $0, sink: sink) })
        let result = recorded.to(.collect(limit: 9)).run(GraphSettings(execution: .inline, scheduler: scheduler))
        func at(_ second: Int64) -> Timestamp { Timestamp(secondsSinceEpoch: second) }
        tries[0].send(1, at: at(11))
        tries[0].advance(to: at(10))
        tries[0].finish(.failed(Trouble()))
        clock.advance(by: .seconds(2))
        tries[1].advance(to: at(5))
        tries[1].send(2, at: at(12))
        tries[1].advance(to: at(12))
        tries[1].finish()
        #expect(try result.wait() == [1, 2])
        #expect(
            recorder.signals == [
                .element(1, at(11)), .watermark(at(10)), .element(2, at(12)), .watermark(at(12)),
                .completion(.finished),
            ]
        )
    }

    @Test func aSourceThatFailsTooOftenFails() throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let tries = Tally()
        let source = Source<Int, Void>.restarting(Backoff(first: .seconds(1), longest: .seconds(1), limit: 3)) {
            tries.add()
            return .failing(Trouble())
        }
        let result = source.to(.collect(limit: 9)).run(GraphSettings(scheduler: scheduler))
        clock.advance(by: .seconds(100))
        #expect(throws: Trouble()) { try result.wait() }
        #expect(tries.count == 4)
    }

    @Test func backoffGrowsToItsLongest() {
        let backoff = Backoff(first: .seconds(1), longest: .seconds(10), factor: 3)
        #expect(
            [1, 2, 3, 4, 1_000_000].map { backoff.wait(afterFailures: $0) } == [1, 3, 9, 10, 10].map { .seconds($0) }
        )
    }

    // MARK: Ends

    @Test func aKillSwitchEndsItsFlows() throws {
        for isAbort in [false, true] {
            let made = Tally()
            let source = Source<Int, SourceQueue<Int>>.queue(capacity: 8).via(.killSwitch()) { ($0, $1) }
            let graph = source.to(GraphSink<Int, GraphResult<[Int]>>.collect(limit: 9)) { ($0.0, $0.1, $1) }
            let (queue, killSwitch, result) = graph.run()
            queue.offer(1)
            #expect(result.current == nil)
            if isAbort { killSwitch.abort() } else { killSwitch.finish() }
            #expect(queue.offer(2) == .closed)
            #expect(made.count == 0)
            if isAbort {
                #expect(throws: GraphError.stopped) { try result.wait() }
            } else {
                #expect(try result.wait() == [1])
            }
        }
    }

    @Test func oneSwitchEndsSeveralGraphs() throws {
        let killSwitch = KillSwitch()
        let results = (0..<3).map { _ in
            Source<Int, Void>.never().via(.killSwitch(killSwitch)).to(.collect(limit: 1)).run()
        }
        killSwitch.finish()
        for result in results { #expect(try result.wait().isEmpty) }
    }

    @Test func aStreamIsASourceAndAGraphPublishes() throws {
        struct Reading: Event, Equatable {
            var timestamp: Timestamp
            var value: Int
        }
        let input = EventChannel<Reading>()
        let output = EventChannel<Reading>()
        let recorder = Recorder<Reading>(output)
        let source = Source<Reading, Subscription>.stream(input)
        let (subscription, result) = source.map { Reading(timestamp: $0.timestamp, value: $0.value * 2) }
            .to(.channel(output)) { ($0, $1) }.run()
        for value in 1...3 { input.publish(Reading(timestamp: .epoch, value: value)) }
        #expect(recorder.elements.map(\.value) == [2, 4, 6])
        subscription.cancel()
        input.publish(Reading(timestamp: .epoch, value: 4))
        #expect(recorder.elements.count == 3)
        try result.wait()
    }

    @Test func aCancelledGraphDetachesItsStream() {
        let subject = Multicast<Int>()
        let result = Source<Int, Subscription>.stream(subject).take(2).to(.collect(limit: 9)).run()
        for number in 1...5 { subject.send(number, at: .epoch) }
        #expect((try? result.wait()) == [1, 2])
    }

    @Test func cancellingDuringDeliveryTakesEffectAtOnce() {
        let publisher = Source(1...100).to(GraphSink<Int, GraphPublisher<Int>>.publisher()).run()
        let probe = Probe<Int> { number, probe in
            if number == 3 { probe.cancel() }
        }
        publisher.subscribe(probe)
        probe.request(100)
        #expect(probe.elements == [1, 2, 3])
        #expect(!probe.isOver)
    }
}

/// Fails where its upstream ends.
private struct Failing<Upstream: EventStream>: EventStream {
    typealias Element = Upstream.Element

    let upstream: Upstream

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(FailingSink(downstream: sink))
    }
}

private struct FailingSink<Downstream: Sink>: Sink {
    typealias Input = Downstream.Input

    var downstream: Downstream

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.finish(.failed(Trouble()))
    }
}
