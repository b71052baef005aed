public import WeirExpressions

/// A condition of a stage: a closure or an expression, on the event alone or with what has been captured.
@frozen
public struct StageCondition<Element: Sendable>: Sendable {
    @usableFromInline
    enum Meaning: Sendable {
        case unary(ConditionTable<Element>.Unary)
        case contextual(ConditionTable<Element>.Contextual)
        // On the summary of a value of the loop's events so far.
        case summary(
            capture: Int,
            @Sendable (borrowing Element) -> FieldValue,
            @Sendable (borrowing Element, SummaryState) -> Bool
        )
    }

    @usableFromInline var planned: PlanCondition
    @usableFromInline var meaning: Meaning
    @usableFromInline var keyOfEvent: (@Sendable (borrowing Element) -> UInt64)?
    @usableFromInline var keyOfCapture: (@Sendable (borrowing Element) -> UInt64)?
    // Equal expressions are one condition; closures are equal to nothing.
    @usableFromInline var identity: AnyIdentity?
    @usableFromInline var hint: ConditionHint<Element>?

    @inlinable
    init(_ planned: PlanCondition, _ meaning: Meaning) {
        self.planned = planned
        self.meaning = meaning
    }

    /// A condition on the event alone.
    @inlinable
    static func unary(_ condition: @escaping @Sendable (Element) -> Bool) -> StageCondition {
        StageCondition(PlanCondition(captures: [], text: ""), .unary { element in condition(copy element) })
    }

    /// A typed expression on the event alone.
    @inlinable
    static func expression<Condition: ElementExpression>(_ condition: Condition) -> StageCondition
    where Condition.Root == Element, Condition.Value == Bool {
        var result = StageCondition(
            PlanCondition(captures: [], text: "\(condition)"),
            .unary { element in condition.value(of: element) }
        )
        result.identity = AnyIdentity(condition)
        result.hint = ConditionHint(condition)
        return result
    }

    /// A condition on the event and all captures so far.
    @inlinable
    static func contextual(
        _ captures: Int,
        _ condition: @escaping @Sendable (borrowing Element, borrowing Captures<Element>) -> Bool
    ) -> StageCondition {
        StageCondition(PlanCondition(captures: Array(0..<captures), text: ""), .contextual(condition))
    }

    /// The condition for a stage that looks at its own loop, now that the number of its capture is known.
    @inlinable
    func looking(at capture: Int) -> StageCondition {
        guard case .summary(_, let value, let meaning) = meaning else { return self }
        var result = self
        result.planned.captures = [capture]
        result.meaning = .summary(capture: capture, value, meaning)
        return result
    }
}
