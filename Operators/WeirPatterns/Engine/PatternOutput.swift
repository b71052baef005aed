public import WeirCore

/// Takes the matches of a pattern, and what else its stream has to say.
public protocol PatternOutput: MatchReceiver, Sendable {
    /// Takes a watermark: no event that is older will follow.
    mutating func advance(to watermark: Timestamp)

    /// Takes the completion; called once.
    mutating func finish(_ completion: Completion)

    /// Saves the state of what the matches go to, or gives it back; by default a checkpoint is refused.
    ///
    /// - Parameter state: Takes the fields, and says what goes on.
    /// - Throws: `StateError`.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension PatternOutput {
    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        throw .unsaveable(operator: "\(Self.self)")
    }
}

/// Makes results of matches, and hands them on; detaches from the events when the matches have come to their end.
@frozen
@usableFromInline
struct MatchForwarder<Element: Sendable, Downstream: Sink>: PatternOutput {
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
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
