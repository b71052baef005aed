public import WeirExpressions

/// That a stage can be left out.
@frozen
public enum Optionality: Sendable, Hashable {
    /// It can be left out.
    case optional
}

/// How often a stage matches, and how closely the events of its loop follow each other.
///
///     let begun = Pattern<Order>.first { $0.kind == .order }
///     begun.followedBy(.oneOrMore.consecutive) { $0.kind == .retry }
///     begun.followedBy(.times(2...4).greedy) { $0.kind == .retry }
///     begun.followedBy(.oneOrMore.until { $0.kind == .end }) { $0.kind == .retry }
public struct Repetition<Element: Sendable>: Sendable {
    @usableFromInline var quantifier: PlanQuantifier
    @usableFromInline var end: StageCondition<Element>?
    @usableFromInline var gap: Duration?

    private init(_ least: Int, _ most: Int?) {
        quantifier = PlanQuantifier(
            least: max(least, 1),
            most: most,
            isOptional: least == 0,
            isCounted: true
        )
        isImpossible = least < 0 || most.map { $0 < max(least, 1) } ?? false
    }

    private var isImpossible: Bool

    @usableFromInline
    func mistake(_ stage: String) -> PatternError? {
        isImpossible ? .invalidCount(stage: stage, least: quantifier.least, most: quantifier.most) : nil
    }

    /// Exactly that number of times.
    public static func times(_ count: Int) -> Repetition { Repetition(count == 0 ? -1 : count, count) }

    /// A number of times in the range; if it begins at 0, the stage can be left out.
    public static func times(_ range: ClosedRange<Int>) -> Repetition { Repetition(range.lowerBound, range.upperBound) }

    /// That number of times or more.
    public static func atLeast(_ count: Int) -> Repetition { Repetition(count, nil) }

    /// Once or more.
    public static var oneOrMore: Repetition { Repetition(1, nil) }

    /// Any number of times, also none.
    public static var zeroOrMore: Repetition { Repetition(0, nil) }

    /// Once: for a group.
    public static var once: Repetition {
        var once = Repetition(1, 1)
        once.quantifier.isCounted = false
        return once
    }

    /// It can be left out.
    public var optional: Repetition {
        var copy = self
        copy.quantifier.isOptional = true
        return copy
    }

    /// It takes all that it can before the next stage may go on.
    public var greedy: Repetition {
        var copy = self
        copy.quantifier.isGreedy = true
        return copy
    }

    /// Nothing may lie between its events.
    public var consecutive: Repetition {
        var copy = self
        copy.quantifier.inner = .consecutive
        return copy
    }

    /// Every combination of events is a match of its own.
    public var allowCombinations: Repetition {
        var copy = self
        copy.quantifier.inner = .combinations
        return copy
    }

    /// It ends for good with the first event that satisfies a condition.
    ///
    /// - Parameter condition: Takes the event; for loops without a greatest number of times.
    /// - Returns: The repetition.
    public func until(_ condition: @escaping @Sendable (Element) -> Bool) -> Repetition {
        var copy = self
        copy.end = .unary(condition)
        return copy
    }

    /// It ends for good with the first event that satisfies a condition.
    ///
    /// - Parameter condition: The expression; for loops without a greatest number of times.
    /// - Returns: The repetition.
    public func until<Condition: ElementExpression>(_ condition: Condition) -> Repetition
    where Condition.Root == Element, Condition.Value == Bool {
        var copy = self
        copy.end = .expression(condition)
        return copy
    }

    /// It ends for good with the first event that satisfies a condition.
    ///
    /// - Parameter condition: The expression; for loops without a greatest number of times.
    /// - Returns: The repetition.
    public func until(_ condition: StageCondition<Element>) -> Repetition {
        var copy = self
        copy.end = condition
        return copy
    }

    /// How far the events of a counted loop may be apart; exclusive.
    ///
    /// - Parameter duration: How long after the event before it each event must come.
    /// - Returns: The same with that bound.
    public func within(_ duration: Duration) -> Repetition {
        var copy = self
        copy.gap = duration
        return copy
    }
}
