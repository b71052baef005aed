// One overload for each way to write the two sides. The common ones, with a constant on the right, are preferred: without
// that the compiler tries all combinations, and needs seconds for four comparisons.

/// Whether two values are equal.
@inlinable
public func == <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Equal<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Equatable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// Whether two values are equal.
@inlinable
public func == <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Equal<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Equatable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// Whether two values are equal.
@inlinable
@_disfavoredOverload
public func == <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Equal<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Equatable {
    Binary(Field(left), Field(right))
}

/// Whether two values are equal.
@inlinable
@_disfavoredOverload
public func == <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Equal<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Equatable {
    Binary(left, right)
}

/// Whether two values are equal.
@inlinable
@_disfavoredOverload
public func == <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Equal<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Equatable {
    Binary(left, Field(right))
}

/// Whether two values are equal.
@inlinable
@_disfavoredOverload
public func == <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Equal<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Equatable {
    Binary(Field(left), right)
}

/// Whether two values differ.
@inlinable
public func != <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Unequal<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Equatable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// Whether two values differ.
@inlinable
public func != <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Unequal<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Equatable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// Whether two values differ.
@inlinable
@_disfavoredOverload
public func != <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Unequal<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Equatable {
    Binary(Field(left), Field(right))
}

/// Whether two values differ.
@inlinable
@_disfavoredOverload
public func != <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Unequal<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Equatable {
    Binary(left, right)
}

/// Whether two values differ.
@inlinable
@_disfavoredOverload
public func != <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Unequal<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Equatable {
    Binary(left, Field(right))
}

/// Whether two values differ.
@inlinable
@_disfavoredOverload
public func != <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Unequal<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Equatable {
    Binary(Field(left), right)
}
