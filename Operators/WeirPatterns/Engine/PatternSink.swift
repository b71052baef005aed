public import WeirCore

/// Hands on the matches of a pattern.
@frozen
public struct PatternSink<Input: Sendable, Key: Hashable & Sendable, Downstream: Sink>: Sink {
    @usableFromInline var engine: PatternEngine<Input, Key>
    @usableFromInline var output: MatchForwarder<Input, Downstream>
    @usableFromInline var isFinished = false

    @usableFromInline
    init(
        _ engine: PatternEngine<Input, Key>,
        _ output: MatchForwarder<Input, Downstream>
    ) {
        self.engine = engine
        self.output = output
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isFinished else { return }
        engine.receive(element, at: time, into: &output)
        if engine.failure != nil { fail() }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        guard !isFinished else { return }
        engine.advance(to: watermark, into: &output)
        if engine.failure != nil {
            fail()
        } else {
            output.advance(to: watermark)
        }
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        if case .finished = completion { engine.advance(to: .distantFuture, into: &output) }
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
public struct MatchForwarder<Element: Sendable, Downstream: Sink>: MatchReceiver, Sendable {
    public let demand: MatchDemand
    @usableFromInline let read: @Sendable (borrowing FoundMatch<Element>) -> Downstream.Input
    @usableFromInline let sides: PatternSides<Element>
    @usableFromInline let names: [String]
    @usableFromInline let own: LateSubscription
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ read: @escaping @Sendable (borrowing FoundMatch<Element>) -> Downstream.Input,
        _ demand: MatchDemand,
        _ sides: PatternSides<Element>,
        _ names: [String],
        _ downstream: consuming Downstream,
        _ own: LateSubscription = LateSubscription()
    ) {
        self.read = read
        self.demand = demand
        self.sides = sides
        self.names = names
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool {
        downstream.receive(read(match), at: time)
        return true
    }

    @inlinable
    public mutating func receive(count: Int, at time: Timestamp) {}

    @inlinable
    public mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp) {
        sides.partial.send(PartialMatch(match.entries, names), at: time)
    }

    @inlinable
    public mutating func release(slot: Int) {}
}
