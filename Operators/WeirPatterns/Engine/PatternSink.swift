public import WeirCore

/// Hands on the matches of a pattern, found with the runs strategy.
///
/// Copies of the sink share one state.
@frozen
@usableFromInline
struct PatternSink<Input: Sendable, Key: Hashable & Sendable, Downstream: Sink>: Sink {
    @usableFromInline let state: SharedCell<PatternState<Input, Key, Downstream>>

    @inlinable
    init(_ engine: consuming PatternEngine<Input, Key>, _ output: MatchForwarder<Input, Downstream>) {
        state = SharedCell(PatternState(engine, output))
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        state.withValue(element) { state, element in state.receive(element, at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        state.withValue { $0.advance(to: watermark) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        state.withValue { $0.finish(completion) }
    }
}

/// The state of a ``PatternSink``.
@frozen
@usableFromInline
struct PatternState<Input: Sendable, Key: Hashable & Sendable, Downstream: Sink>: ~Copyable, Sendable {
    @usableFromInline var engine: PatternEngine<Input, Key>
    @usableFromInline var output: MatchForwarder<Input, Downstream>
    @usableFromInline var isFinished = false

    @inlinable
    init(_ engine: consuming PatternEngine<Input, Key>, _ output: MatchForwarder<Input, Downstream>) {
        self.engine = engine
        self.output = output
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isFinished else { return }
        engine.receive(element, at: time, into: &output)
        if engine.failure != nil { fail() }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard !isFinished else { return }
        engine.advance(to: watermark, into: &output)
        if engine.failure != nil {
            fail()
        } else {
            output.advance(to: watermark)
        }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        engine.finish(completion, into: &output)
        if engine.failure != nil {
            fail()
        } else {
            isFinished = true
            output.finish(completion)
        }
    }

    @usableFromInline
    mutating func fail() {
        guard let failure = engine.failure else { return }
        isFinished = true
        output.finish(.failed(failure))
    }
}

/// Makes results of matches, and hands them on; detaches from the events when the matches have come to their end.
@frozen
@usableFromInline
struct MatchForwarder<Element: Sendable, Downstream: Sink>: MatchReceiver, Sendable {
    @usableFromInline let demand: MatchDemand
    @usableFromInline let read: @Sendable (borrowing FoundMatch<Element>) -> Downstream.Input
    @usableFromInline let sides: PatternSides<Element>
    @usableFromInline let names: [String]
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ read: @escaping @Sendable (borrowing FoundMatch<Element>) -> Downstream.Input,
        _ demand: MatchDemand,
        _ sides: PatternSides<Element>,
        _ names: [String],
        _ downstream: consuming Downstream,
        _ own: DeferredSubscription = DeferredSubscription()
    ) {
        self.read = read
        self.demand = demand
        self.sides = sides
        self.names = names
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool {
        downstream.receive(read(match), at: time)
        return true
    }

    @inlinable
    mutating func receive(count: Int, at time: Timestamp) {}

    @inlinable
    mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp) {
        sides.timeouts.send(PartialMatch(match.entries, names), at: time)
    }

    @inlinable
    mutating func release(slot: Int) {}
}
