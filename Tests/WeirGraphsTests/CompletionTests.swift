import Testing
import WeirCore
import WeirGraphs
import WeirSelection

/// The end of a graph needs no demand: rules 1.5 and 1.7 of Reactive Streams, for every kind of source and flow.
@Suite struct CompletionTests {
    /// How a graph of `count` elements behaves under demand for exactly these.
    private func completes<Handle>(
        _ source: Source<Int, Handle>,
        _ count: Int,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for batch in [1, 2, 3, 64] {
            let settings = GraphSettings(batch: batch, execution: .inline)
            let (_, probe) = source.probe(settings)
            if count > 0 {
                #expect(!probe.isOver, "batch \(batch)", sourceLocation: location)
                for _ in 1..<count { probe.request(1) }
                #expect(!probe.isOver && probe.elements.count == count - 1, "batch \(batch)", sourceLocation: location)
                probe.request(1)
            }
            let signals = ["onSubscribe"] + Array(repeating: "onNext", count: count) + ["onComplete"]
            #expect(probe.state.signals == signals, "batch \(batch)", sourceLocation: location)
            guard count > 0 else { continue }
            let (_, other) = source.probe(settings)
            other.request(count)
            #expect(other.state.signals == signals, "batch \(batch)", sourceLocation: location)
        }
    }

    private struct Tick: Event {
        var timestamp: Timestamp { .epoch }
    }

    @Test(arguments: [0, 1, 2, 3, 10])
    func sequencesEndWithTheirLastElement(count: Int) {
        completes(Source(0..<count), count)
        completes(Source(Array(0..<count)), count)
        completes(Source(Set(0..<count)), count)
        completes(Source(0..<count) { .epoch + .seconds($0) }, count)
        completes(Source(sequence(first: 0) { $0 + 1 < count ? $0 + 1 : nil }.prefix(count)), count)
        completes(Source((0..<count).lazy.map { $0 * 2 }), count)
        completes(Source(of: Array(repeating: Tick(), count: count)).map { _ in 1 }, count)
    }

    @Test(arguments: [0, 1, 3])
    func otherSourcesEndWithTheirLastElement(count: Int) {
        completes(Source<Int, Void>.empty(), 0)
        let elements = Array(0..<count)
        completes(Source.stream(Listed(elements: elements)), count)
        completes(
            Source<Int, Void>.restarting(Backoff(first: .seconds(1), longest: .seconds(1))) { Source(elements) },
            count
        )
        for asked in [count, count + 1] {
            let (queue, probe) = Source<Int, SourceQueue<Int>>.queue(capacity: 16).probe()
            for element in elements { queue.offer(element) }
            if asked > 0 { probe.request(count > 0 ? count : 1) }
            queue.finish()
            #expect(probe.elements == elements && probe.state.isComplete)
            let publisher = Source(elements).to(GraphSink<Int, GraphPublisher<Int>>.publisher()).run()
            let (_, other) = Source(publisher: publisher).probe()
            if count > 0 { other.request(count) }
            #expect(other.elements == elements && other.state.isComplete)
        }
    }

    @Test func watermarksBehindTheLastElementDoNotHoldUpTheEnd() {
        for capacity in [1, 2, 4, 16] {
            for asked in 0...3 {
                let seen = Locked<[Timestamp]>([])
                let flow = Flow<Int, Int, Void> { $0.watermarks { mark in seen.withLock { $0.append(mark) } } }
                let (queue, probe) = Source<Int, SourceQueue<Int>>.queue(capacity: capacity).via(flow).probe()
                if asked > 0 { probe.request(asked) }
                var accepted: [Int] = []
                for element in 0..<3 {
                    if queue.offer(element, at: .epoch + .seconds(element)) == .accepted { accepted.append(element) }
                    queue.advance(to: .epoch + .seconds(element))
                    queue.advance(to: .epoch + .seconds(element))
                }
                queue.finish()
                let missing = accepted.count - asked
                #expect(probe.state.isComplete == (missing <= 0), "capacity \(capacity), asked for \(asked)")
                if missing > 0 { probe.request(missing) }
                #expect(probe.elements == accepted && probe.state.isComplete)
                #expect(seen.withLock { $0.last } == .epoch + .seconds(2))
            }
        }
    }

    @Test func flowsEndWithTheirLastElement() {
        completes(Source(0..<10).take(3), 3)
        completes(Source(sequence(first: 0) { $0 + 1 }).take(3), 3)
        completes(Source(0..<3).take(0), 0)
        completes(Source(0..<3).take(5), 3)
        completes(Source(0..<3).map { $0 }.scan(into: 0) { $0 += $1 }.compactMap { $0 }, 3)
        // The last one passes; whether another follows cannot be known before it is requested.
        completes(Source(0..<4).filter { $0 != 1 }, 3)
        completes(Source(0..<3).flatMap { Array(repeating: $0, count: $0) }, 3)
        completes(Source(0..<4).flatMap { [$0, $0].prefix($0 % 2 == 1 ? 2 : 0) }, 4)
        completes(Source(0..<3).operators { $0.map { $0 } }, 3)
        completes(Source(0..<10).operators { $0.take(3) }, 3)
        completes(Source(0..<3).async(capacity: 2), 3)
        completes(Source(0..<3).buffer(2), 3)
        completes(Source(0..<3).buffer(8), 3)
        completes(Source(0..<3).throttle(100, per: .seconds(1)), 3)
        completes(Source(0..<3).recover { _ in nil }, 3)
        completes(Source(0..<3).conflate { $0 + $1 }.take(1), 1)
    }

    @Test func junctionsEndWithTheirLastElement() throws {
        typealias Join = @Sendable (GraphBuilder) -> FanIn<Int, Int>
        func joined(_ counts: [Int], _ join: @escaping Join) throws -> Source<Int, Void> {
            try Source { builder in
                let ports = join(builder)
                for (count, inlet) in zip(counts, ports.inlets) { builder.add(Source(0..<count)) --> inlet }
                return (ports.outlet, ())
            }
        }
        for counts in [[3, 2], [3, 0], [0, 3], [0, 0], [1, 1]] {
            let all = counts[0] + counts[1]
            completes(try joined(counts) { $0.concat(Int.self, from: 2) }, all)
            completes(try joined(counts) { $0.merge(Int.self, from: 2) }, all)
            completes(try joined(counts) { $0.mergePreferred(Int.self, from: 2) }, all)
            completes(try joined(counts) { $0.mergeByTime(Int.self, from: 2) }, all)
            completes(try joined(counts) { $0.interleave(Int.self, from: 2) }, all)
            completes(
                try Source<Int, Void> { builder in
                    let pairs: Pairing<Int, Int, Int> = builder.zip { $0 + $1 }
                    builder.add(Source(0..<counts[0])) --> pairs.first
                    builder.add(Source(0..<counts[1])) --> pairs.second
                    return (pairs.outlet, ())
                },
                counts.min() ?? 0
            )
        }
    }

    /// An element that takes long, or never comes, must not hold up those before it.
    @Test func whatWasAskedForDoesNotWaitForTheNext() {
        let log = Locked<[String]>([])
        let source = Source(
            sequence(state: 0) { state -> Int? in
                state += 1
                let number = state
                log.withLock { $0.append("made \(number)") }
                return number
            }
        )
        let (_, probe) = source.map { number -> Int in
            log.withLock { $0.append("taken \(number)") }
            return number
        }.probe()
        for _ in 0..<3 { probe.request(1) }
        #expect(
            log.withLock { $0 } == ["made 1", "taken 1", "made 2", "taken 2", "made 3", "taken 3", "made 4"],
            "one is made beforehand, after what was asked for is through"
        )
        #expect(probe.elements == [1, 2, 3])
    }
}

/// A stream of known elements.
private struct Listed: EventStream {
    typealias Element = Int
    let elements: [Int]

    @discardableResult
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        for element in elements { sink.receive(element, at: .epoch) }
        sink.finish(.finished)
        return Subscription()
    }
}

extension EventStream {
    /// Tells of each watermark.
    fileprivate func watermarks(_ body: @escaping @Sendable (Timestamp) -> Void) -> Watched<Self> {
        Watched(upstream: self, body: body)
    }
}

private struct Watched<Upstream: EventStream>: EventStream {
    typealias Element = Upstream.Element
    let upstream: Upstream
    let body: @Sendable (Timestamp) -> Void

    @discardableResult
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(WatchedSink(body: body, downstream: sink))
    }
}

private struct WatchedSink<Downstream: Sink>: Sink {
    let body: @Sendable (Timestamp) -> Void
    var downstream: Downstream

    mutating func receive(_ element: borrowing Downstream.Input, at time: Timestamp) {
        downstream.receive(element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        body(watermark)
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }
}
