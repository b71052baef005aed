// Each operator takes a constant or another value; calculations take a constant on either side.

/// Whether a value is less than a constant.
@inlinable
public func < <Root, Value: Comparable & Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageCondition<Root> {
    left.compared("<", right) { $0 < right }
}

/// Whether a value is less than another.
@inlinable
public func < <Root, Value: Comparable>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageCondition<Root> {
    left.compared("<", with: right) { $0 < $1 }
}

/// Whether a value is at most a constant.
@inlinable
public func <= <Root, Value: Comparable & Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageCondition<Root> {
    left.compared("<=", right) { $0 <= right }
}

/// Whether a value is at most another.
@inlinable
public func <= <Root, Value: Comparable>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageCondition<Root> {
    left.compared("<=", with: right) { $0 <= $1 }
}

/// Whether a value is greater than a constant.
@inlinable
public func > <Root, Value: Comparable & Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageCondition<Root> {
    left.compared(">", right) { $0 > right }
}

/// Whether a value is greater than another.
@inlinable
public func > <Root, Value: Comparable>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageCondition<Root> {
    left.compared(">", with: right) { $0 > $1 }
}

/// Whether a value is at least a constant.
@inlinable
public func >= <Root, Value: Comparable & Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageCondition<Root> {
    left.compared(">=", right) { $0 >= right }
}

/// Whether a value is at least another.
@inlinable
public func >= <Root, Value: Comparable>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageCondition<Root> {
    left.compared(">=", with: right) { $0 >= $1 }
}

/// Whether a value equals a constant.
@inlinable
public func == <Root, Value: Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageCondition<Root> {
    left.compared("==", right) { $0 == right }
}

/// Whether a value equals another; an equality of the event and a capture is looked up.
@inlinable
public func == <Root, Value: Hashable>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageCondition<Root> {
    left.equal(to: right)
}

/// Whether a value is different from a constant.
@inlinable
public func != <Root, Value: Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageCondition<Root> {
    left.compared("!=", right) { $0 != right }
}

/// Whether a value is different from another.
@inlinable
public func != <Root, Value: Equatable>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageCondition<Root> {
    left.compared("!=", with: right) { $0 != $1 }
}
