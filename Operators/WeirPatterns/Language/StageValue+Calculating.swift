// Each operator takes another value, or a constant on either side.

/// The sum of a value and a constant.
@inlinable
public func + <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageValue<Root, Value> {
    left.mapped("\(left.text(within: 4)) + \(right)", 4, "+r", right) { $0 + right }
}

/// The sum of a constant and a value.
@inlinable
public func + <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: Value,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    right.mapped("\(left) + \(right.text(within: 5))", 4, "+l", left) { left + $0 }
}

/// The sum of two values.
@inlinable
public func + <Root, Value: AdditiveArithmetic>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    left.combined("+", 4, right) { $0 + $1 }
}

/// The difference of a value and a constant.
@inlinable
public func - <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageValue<Root, Value> {
    left.mapped("\(left.text(within: 4)) - \(right)", 4, "-r", right) { $0 - right }
}

/// The difference of a constant and a value.
@inlinable
public func - <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: Value,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    right.mapped("\(left) - \(right.text(within: 5))", 4, "-l", left) { left - $0 }
}

/// The difference of two values.
@inlinable
public func - <Root, Value: AdditiveArithmetic>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    left.combined("-", 4, right) { $0 - $1 }
}

/// The product of a value and a constant.
@inlinable
public func * <Root, Value: Numeric & Hashable & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageValue<Root, Value> {
    left.mapped("\(left.text(within: 5)) * \(right)", 5, "*r", right) { $0 * right }
}

/// The product of a constant and a value.
@inlinable
public func * <Root, Value: Numeric & Hashable & Sendable>(
    left: Value,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    right.mapped("\(left) * \(right.text(within: 6))", 5, "*l", left) { left * $0 }
}

/// The product of two values.
@inlinable
public func * <Root, Value: Numeric>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    left.combined("*", 5, right) { $0 * $1 }
}

/// The quotient of a value and a constant.
@inlinable
public func / <Root, Value: FloatingPoint & Sendable>(
    left: StageValue<Root, Value>,
    right: Value
) -> StageValue<Root, Value> {
    left.mapped("\(left.text(within: 5)) / \(right)", 5, "/r", right) { $0 / right }
}

/// The quotient of a constant and a value.
@inlinable
public func / <Root, Value: FloatingPoint & Sendable>(
    left: Value,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    right.mapped("\(left) / \(right.text(within: 6))", 5, "/l", left) { left / $0 }
}

/// The quotient of two values.
@inlinable
public func / <Root, Value: FloatingPoint>(
    left: StageValue<Root, Value>,
    right: StageValue<Root, Value>
) -> StageValue<Root, Value> {
    left.combined("/", 5, right) { $0 / $1 }
}
