extension StageCondition {
    /// That a Boolean value is true.
    @inlinable
    init(_ value: StageValue<Element, Bool>) {
        let read = value.read
        self = value.condition(value.text, value.identity, value.captures) { element, captures in
            read(element, captures) ?? false
        }
    }
}

/// Whether both hold.
@inlinable
public func && <Root>(left: StageCondition<Root>, right: StageCondition<Root>) -> StageCondition<Root> {
    .all(left, right)
}

/// Whether both hold.
@inlinable
public func && <Root>(left: StageValue<Root, Bool>, right: StageCondition<Root>) -> StageCondition<Root> {
    .all(StageCondition(left), right)
}

/// Whether both hold.
@inlinable
public func && <Root>(left: StageCondition<Root>, right: StageValue<Root, Bool>) -> StageCondition<Root> {
    .all(left, StageCondition(right))
}

/// Whether both hold.
@inlinable
public func && <Root>(left: StageValue<Root, Bool>, right: StageValue<Root, Bool>) -> StageCondition<Root> {
    .all(StageCondition(left), StageCondition(right))
}

/// Whether one of the two holds, or both.
@inlinable
public func || <Root>(left: StageCondition<Root>, right: StageCondition<Root>) -> StageCondition<Root> {
    .any(left, right)
}

/// Whether one of the two holds, or both.
@inlinable
public func || <Root>(left: StageValue<Root, Bool>, right: StageCondition<Root>) -> StageCondition<Root> {
    .any(StageCondition(left), right)
}

/// Whether one of the two holds, or both.
@inlinable
public func || <Root>(left: StageCondition<Root>, right: StageValue<Root, Bool>) -> StageCondition<Root> {
    .any(left, StageCondition(right))
}

/// Whether one of the two holds, or both.
@inlinable
public func || <Root>(left: StageValue<Root, Bool>, right: StageValue<Root, Bool>) -> StageCondition<Root> {
    .any(StageCondition(left), StageCondition(right))
}

/// Whether a condition does not hold; so also where it looks at what was left out.
@inlinable
public prefix func ! <Root>(condition: StageCondition<Root>) -> StageCondition<Root> {
    .not(condition)
}

/// Whether a value is false, or was left out.
@inlinable
public prefix func ! <Root>(value: StageValue<Root, Bool>) -> StageCondition<Root> {
    .not(StageCondition(value))
}
