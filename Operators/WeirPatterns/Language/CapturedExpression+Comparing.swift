public import WeirExpressions

extension StageCondition {
    /// Compares a value of the event with a captured one.
    @usableFromInline
    static func comparison<Left: ElementExpression, Value>(
        _ left: Left,
        _ symbol: String,
        _ right: CapturedExpression<Element, Value>,
        _ holds: @escaping @Sendable (Value, Value) -> Bool
    ) -> StageCondition where Left.Root == Element, Left.Value == Value {
        let (capture, isFirst, value) = (right.capture, right.isFirst, right.value)
        var condition = StageCondition(
            PlanCondition(captures: [capture], text: "\(left) \(symbol) \(right.text)"),
            .contextual { element, captures in
                guard let picked = isFirst ? captures.first(capture) : captures.last(capture) else { return false }
                return holds(left.value(of: element), value(picked))
            }
        )
        condition.identity = AnyIdentity([AnyIdentity(symbol), AnyIdentity(left), right.identity])
        return condition
    }

    /// Compares for equality, which partial matches can be found by.
    @usableFromInline
    static func equality<Left: ElementExpression, Value: Hashable>(
        _ left: Left,
        _ right: CapturedExpression<Element, Value>
    ) -> StageCondition where Left.Root == Element, Left.Value == Value {
        var condition = comparison(left, "==", right) { $0 == $1 }
        guard !right.isFirst else { return condition }
        let value = right.value
        condition.planned.equality = PlanEquality(capture: right.capture)
        condition.keyOfEvent = { element in UInt64(bitPattern: Int64(left.value(of: element).hashValue)) }
        condition.keyOfCapture = { element in UInt64(bitPattern: Int64(value(element).hashValue)) }
        return condition
    }
}

/// Whether a value of the event is less than a captured one.
public func < <Root, Value: Comparable>(
    left: SendableKeyPath<Root, Value>,
    right: CapturedExpression<Root, Value>
) -> StageCondition<Root> {
    .comparison(Field(left), "<", right) { $0 < $1 }
}

/// Whether a value of the event is less than a captured one.
public func < <Left: ElementExpression>(
    left: Left,
    right: CapturedExpression<Left.Root, Left.Value>
) -> StageCondition<Left.Root> where Left.Value: Comparable {
    .comparison(left, "<", right) { $0 < $1 }
}

/// Whether a value of the event is at most a captured one.
public func <= <Root, Value: Comparable>(
    left: SendableKeyPath<Root, Value>,
    right: CapturedExpression<Root, Value>
) -> StageCondition<Root> {
    .comparison(Field(left), "<=", right) { $0 <= $1 }
}

/// Whether a value of the event is at most a captured one.
public func <= <Left: ElementExpression>(
    left: Left,
    right: CapturedExpression<Left.Root, Left.Value>
) -> StageCondition<Left.Root> where Left.Value: Comparable {
    .comparison(left, "<=", right) { $0 <= $1 }
}

/// Whether a value of the event is greater than a captured one.
public func > <Root, Value: Comparable>(
    left: SendableKeyPath<Root, Value>,
    right: CapturedExpression<Root, Value>
) -> StageCondition<Root> {
    .comparison(Field(left), ">", right) { $0 > $1 }
}

/// Whether a value of the event is greater than a captured one.
public func > <Left: ElementExpression>(
    left: Left,
    right: CapturedExpression<Left.Root, Left.Value>
) -> StageCondition<Left.Root> where Left.Value: Comparable {
    .comparison(left, ">", right) { $0 > $1 }
}

/// Whether a value of the event is at least a captured one.
public func >= <Root, Value: Comparable>(
    left: SendableKeyPath<Root, Value>,
    right: CapturedExpression<Root, Value>
) -> StageCondition<Root> {
    .comparison(Field(left), ">=", right) { $0 >= $1 }
}

/// Whether a value of the event is at least a captured one.
public func >= <Left: ElementExpression>(
    left: Left,
    right: CapturedExpression<Left.Root, Left.Value>
) -> StageCondition<Left.Root> where Left.Value: Comparable {
    .comparison(left, ">=", right) { $0 >= $1 }
}

/// Whether a value of the event is different from a captured one.
public func != <Root, Value: Equatable>(
    left: SendableKeyPath<Root, Value>,
    right: CapturedExpression<Root, Value>
) -> StageCondition<Root> {
    .comparison(Field(left), "!=", right) { $0 != $1 }
}

/// Whether a value of the event is different from a captured one.
public func != <Left: ElementExpression>(
    left: Left,
    right: CapturedExpression<Left.Root, Left.Value>
) -> StageCondition<Left.Root> where Left.Value: Equatable {
    .comparison(left, "!=", right) { $0 != $1 }
}

/// Whether a value of the event equals a captured one.
public func == <Root, Value: Hashable>(
    left: SendableKeyPath<Root, Value>,
    right: CapturedExpression<Root, Value>
) -> StageCondition<Root> {
    .equality(Field(left), right)
}

/// Whether a value of the event equals a captured one.
public func == <Left: ElementExpression>(
    left: Left,
    right: CapturedExpression<Left.Root, Left.Value>
) -> StageCondition<Left.Root> where Left.Value: Hashable {
    .equality(left, right)
}
