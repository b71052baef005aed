public import WeirCore

/// A rule with its partial matches on one stream, behind closures that were formed where its types were known.
@usableFromInline
final class RuleEngine<Element: Sendable>: Sendable {
    @usableFromInline let rule: PatternRule
    @usableFromInline let effects: EventEffects

    /// Takes an event with the truth values of the conditions, and returns whether there are partial matches.
    @usableFromInline let receive: @Sendable (borrowing Element, UInt64, Timestamp) -> Bool

    /// Moves time on, and returns the same.
    @usableFromInline let advance: @Sendable (Timestamp) -> Bool

    /// Takes the end of the stream.
    @usableFromInline let finish: @Sendable (Completion) -> Void

    /// Saves the partial matches, or gives them back, and returns whether there are any.
    @usableFromInline let exchange: @Sendable (inout StateExchange) throws(StateError) -> Bool

    @inlinable
    init<Strategy: PatternStrategy & ~Copyable, Key>(
        _ rule: PatternRule,
        _ front: consuming PatternFront<Strategy, Key, RuleOutput<Element>>
    ) where Strategy.Element == Element {
        var front = front
        effects = front.strategy.eventEffects()
        self.rule = rule
        let cell = SharedCell(driven: front)
        receive = { (element: borrowing Element, truths: UInt64, time: Timestamp) in
            cell.withValue(element) { front, element in
                guard !front.isFinished else {
                    front.turnAway(element, time, isLate: false)
                    return false
                }
                front.process(element, truths, time)
                return front.hasPartialMatches
            }
        }
        advance = { time in
            cell.withValue { front in
                guard !front.isFinished else { return false }
                front.advance(to: time)
                front.showCount()
                return front.hasPartialMatches
            }
        }
        finish = { completion in cell.withValue { $0.finish(completion) } }
        exchange = { state throws(StateError) in try Self.exchangeState(of: cell, &state) }
    }

    @usableFromInline
    static func exchangeState<Strategy: PatternStrategy & ~Copyable, Key>(
        of cell: SharedCell<PatternFront<Strategy, Key, RuleOutput<Element>>>,
        _ state: inout StateExchange
    ) throws(StateError) -> Bool where Strategy.Element == Element {
        try cell.value.exchangeState(&state)
        return !cell.value.isFinished && cell.value.hasPartialMatches
    }
}

/// Passes the matches of a rule to its closure.
@frozen
@usableFromInline
struct RuleOutput<Element: Sendable>: PatternOutput {
    @usableFromInline let rule: PatternRule
    @usableFromInline let body: @Sendable (borrowing FoundMatch<Element>) -> Void

    @inlinable
    init(_ rule: PatternRule, _ body: @escaping @Sendable (borrowing FoundMatch<Element>) -> Void) {
        self.rule = rule
        self.body = body
    }

    @inlinable
    var demand: MatchDemand { .all }

    @inlinable
    mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool {
        rule.noteMatch()
        body(match)
        return true
    }

    @inlinable
    mutating func receive(count: Int, at time: Timestamp) {}

    @inlinable
    mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp) {}

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finish(_ completion: Completion) {
        if let failure = completion.failure as? PatternFailure { rule.note(failure) }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // In the section of the partial matches, which have no meaning for a rule that says something else.
        state.require(describing: rule.program)
        try rule.exchangeState(&state)
    }
}
