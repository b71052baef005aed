public import WeirExpressions

extension StageCondition {
    /// Both of two conditions.
    @usableFromInline
    static func both(_ left: StageCondition, _ right: StageCondition) -> StageCondition {
        joined(left, "&&", right) { left, right in left && right() }
    }

    /// One of two conditions, or both.
    @usableFromInline
    static func any(_ left: StageCondition, _ right: StageCondition) -> StageCondition {
        joined(left, "||", right) { left, right in left || right() }
    }

    private static func joined(
        _ left: StageCondition,
        _ symbol: String,
        _ right: StageCondition,
        _ join: @escaping @Sendable (Bool, () -> Bool) -> Bool
    ) -> StageCondition {
        let captures = Set(left.planned.captures + right.planned.captures).sorted()
        let text = "\(left.operand(of: symbol)) \(symbol) \(right.operand(of: symbol))"
        var condition = StageCondition(
            PlanCondition(captures: captures, text: text),
            meaning(left.meaning, right.meaning, join)
        )
        if let left = left.identity, let right = right.identity {
            condition.identity = AnyIdentity([AnyIdentity(symbol), left, right])
        }
        // Both must hold, so the equality of either is one of the whole.
        guard symbol == "&&" else { return condition }
        for side in [left, right] where condition.planned.equality == nil {
            condition.planned.equality = side.planned.equality
            condition.keyOfEvent = side.keyOfEvent
            condition.keyOfCapture = side.keyOfCapture
        }
        return condition
    }

    private func operand(of symbol: String) -> String {
        planned.text.contains(" || ") && symbol == "&&" ? "(\(planned.text))" : planned.text
    }

    private static func meaning(
        _ left: Meaning,
        _ right: Meaning,
        _ join: @escaping @Sendable (Bool, () -> Bool) -> Bool
    ) -> Meaning {
        switch (left, right) {
        case (.unary(let left), .unary(let right)):
            return .unary { element in
                let rightHolds = right(element)
                return join(left(element)) { rightHolds }
            }
        case (.summary(_, _, _), .summary(_, _, _)):
            preconditionFailure("a condition can look at one summary of its loop; write two loops, or a closure")
        case (.summary(let capture, let value, let meaning), let other):
            return .summary(capture: capture, value) { element, state in
                let otherHolds = alone(other, element)
                return join(meaning(element, state)) { otherHolds }
            }
        case (let other, .summary(let capture, let value, let meaning)):
            return .summary(capture: capture, value) { element, state in
                let meaningHolds = meaning(element, state)
                return join(alone(other, element)) { meaningHolds }
            }
        default:
            return .contextual { element, captures in
                let rightHolds = holds(right, element, captures)
                return join(holds(left, element, captures)) { rightHolds }
            }
        }
    }

    private static func alone(_ meaning: Meaning, _ element: borrowing Element) -> Bool {
        guard case .unary(let condition) = meaning else {
            preconditionFailure("a summary of a loop can be joined with conditions on the event, not with captures")
        }
        return condition(element)
    }

    private static func holds(
        _ meaning: Meaning,
        _ element: borrowing Element,
        _ captures: borrowing Captures<Element>
    ) -> Bool {
        switch meaning {
        case .unary(let condition): condition(element)
        case .contextual(let condition): condition(element, captures)
        case .summary: false
        }
    }
}

/// Whether both conditions hold.
public func && <Left: ElementExpression>(left: Left, right: StageCondition<Left.Root>) -> StageCondition<Left.Root>
where Left.Value == Bool {
    .both(.expression(left), right)
}

/// Whether both conditions hold.
public func && <Right: ElementExpression>(left: StageCondition<Right.Root>, right: Right) -> StageCondition<Right.Root>
where Right.Value == Bool {
    .both(left, .expression(right))
}

/// Whether both conditions hold.
public func && <Element>(left: StageCondition<Element>, right: StageCondition<Element>) -> StageCondition<Element> {
    .both(left, right)
}

/// Whether one of two conditions holds, or both.
public func || <Left: ElementExpression>(left: Left, right: StageCondition<Left.Root>) -> StageCondition<Left.Root>
where Left.Value == Bool {
    .any(.expression(left), right)
}

/// Whether one of two conditions holds, or both.
public func || <Right: ElementExpression>(left: StageCondition<Right.Root>, right: Right) -> StageCondition<Right.Root>
where Right.Value == Bool {
    .any(left, .expression(right))
}

/// Whether one of two conditions holds, or both.
public func || <Element>(left: StageCondition<Element>, right: StageCondition<Element>) -> StageCondition<Element> {
    .any(left, right)
}
