// One overload for each way to write the two sides. The common ones, with a constant on the right, are preferred: without
// that the compiler tries all combinations, and needs seconds for four comparisons.

/// Whether the left value is less than the right one.
@inlinable
public func < <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Less<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Comparable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// Whether the left value is less than the right one.
@inlinable
public func < <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Less<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Comparable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// Whether the left value is less than the right one.
@inlinable
@_disfavoredOverload
public func < <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Less<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Comparable {
    Binary(Field(left), Field(right))
}

/// Whether the left value is less than the right one.
@inlinable
@_disfavoredOverload
public func < <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Less<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Binary(left, right)
}

/// Whether the left value is less than the right one.
@inlinable
@_disfavoredOverload
public func < <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Less<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Comparable {
    Binary(left, Field(right))
}

/// Whether the left value is less than the right one.
@inlinable
@_disfavoredOverload
public func < <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Less<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Comparable {
    Binary(Field(left), right)
}

/// Whether the left value is at most the right one.
@inlinable
public func <= <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.AtMost<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Comparable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// Whether the left value is at most the right one.
@inlinable
public func <= <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.AtMost<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Comparable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// Whether the left value is at most the right one.
@inlinable
@_disfavoredOverload
public func <= <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.AtMost<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Comparable {
    Binary(Field(left), Field(right))
}

/// Whether the left value is at most the right one.
@inlinable
@_disfavoredOverload
public func <= <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.AtMost<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Binary(left, right)
}

/// Whether the left value is at most the right one.
@inlinable
@_disfavoredOverload
public func <= <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.AtMost<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Comparable {
    Binary(left, Field(right))
}

/// Whether the left value is at most the right one.
@inlinable
@_disfavoredOverload
public func <= <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.AtMost<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Comparable {
    Binary(Field(left), right)
}

/// Whether the left value is greater than the right one.
@inlinable
public func > <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Greater<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Comparable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// Whether the left value is greater than the right one.
@inlinable
public func > <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Greater<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Comparable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// Whether the left value is greater than the right one.
@inlinable
@_disfavoredOverload
public func > <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Greater<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Comparable {
    Binary(Field(left), Field(right))
}

/// Whether the left value is greater than the right one.
@inlinable
@_disfavoredOverload
public func > <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Greater<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Binary(left, right)
}

/// Whether the left value is greater than the right one.
@inlinable
@_disfavoredOverload
public func > <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Greater<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Comparable {
    Binary(left, Field(right))
}

/// Whether the left value is greater than the right one.
@inlinable
@_disfavoredOverload
public func > <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Greater<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Comparable {
    Binary(Field(left), right)
}

/// Whether the left value is at least the right one.
@inlinable
public func >= <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.AtLeast<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Comparable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// Whether the left value is at least the right one.
@inlinable
public func >= <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.AtLeast<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Comparable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// Whether the left value is at least the right one.
@inlinable
@_disfavoredOverload
public func >= <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.AtLeast<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Comparable {
    Binary(Field(left), Field(right))
}

/// Whether the left value is at least the right one.
@inlinable
@_disfavoredOverload
public func >= <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.AtLeast<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Binary(left, right)
}

/// Whether the left value is at least the right one.
@inlinable
@_disfavoredOverload
public func >= <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.AtLeast<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Comparable {
    Binary(left, Field(right))
}

/// Whether the left value is at least the right one.
@inlinable
@_disfavoredOverload
public func >= <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.AtLeast<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Comparable {
    Binary(Field(left), right)
}
