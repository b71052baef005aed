// One overload for each way to write the two sides. The common ones, with a constant on the right, are preferred: without
// that the compiler tries all combinations, and needs seconds for four comparisons.

/// The product of two values.
@inlinable
public func * <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Product<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Numeric & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// The product of two values.
@inlinable
public func * <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Product<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Numeric & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// The product of two values.
@inlinable
@_disfavoredOverload
public func * <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Product<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Numeric {
    Binary(Field(left), Field(right))
}

/// The product of two values.
@inlinable
@_disfavoredOverload
public func * <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Product<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Numeric {
    Binary(left, right)
}

/// The product of two values.
@inlinable
@_disfavoredOverload
public func * <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Product<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Numeric {
    Binary(left, Field(right))
}

/// The product of two values.
@inlinable
@_disfavoredOverload
public func * <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Product<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Numeric {
    Binary(Field(left), right)
}

/// The product of two values.
@inlinable
@_disfavoredOverload
public func * <Root, Value>(left: Value, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Product<Value>, Literal<Root, Value>, Field<Root, Value>
> where Value: Numeric & Hashable & Sendable {
    Binary(Literal(left), Field(right))
}

/// The product of two values.
@inlinable
@_disfavoredOverload
public func * <Right: TypedExpression>(left: Right.Value, right: Right) -> Binary<
    BinaryOperations.Product<Right.Value>, Literal<Right.Root, Right.Value>, Right
> where Right.Value: Numeric & Hashable & Sendable {
    Binary(Literal(left), right)
}

/// The quotient of two values.
@inlinable
public func / <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Quotient<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Divisible & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// The quotient of two values.
@inlinable
public func / <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Quotient<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Divisible & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// The quotient of two values.
@inlinable
@_disfavoredOverload
public func / <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Quotient<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: Divisible {
    Binary(Field(left), Field(right))
}

/// The quotient of two values.
@inlinable
@_disfavoredOverload
public func / <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Quotient<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Divisible {
    Binary(left, right)
}

/// The quotient of two values.
@inlinable
@_disfavoredOverload
public func / <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Quotient<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Divisible {
    Binary(left, Field(right))
}

/// The quotient of two values.
@inlinable
@_disfavoredOverload
public func / <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Quotient<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Divisible {
    Binary(Field(left), right)
}

/// The quotient of two values.
@inlinable
@_disfavoredOverload
public func / <Root, Value>(left: Value, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Quotient<Value>, Literal<Root, Value>, Field<Root, Value>
> where Value: Divisible & Hashable & Sendable {
    Binary(Literal(left), Field(right))
}

/// The quotient of two values.
@inlinable
@_disfavoredOverload
public func / <Right: TypedExpression>(left: Right.Value, right: Right) -> Binary<
    BinaryOperations.Quotient<Right.Value>, Literal<Right.Root, Right.Value>, Right
> where Right.Value: Divisible & Hashable & Sendable {
    Binary(Literal(left), right)
}

/// The remainder of a division.
@inlinable
public func % <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Remainder<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: BinaryInteger & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// The remainder of a division.
@inlinable
public func % <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Remainder<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: BinaryInteger & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// The remainder of a division.
@inlinable
@_disfavoredOverload
public func % <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Remainder<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: BinaryInteger {
    Binary(Field(left), Field(right))
}

/// The remainder of a division.
@inlinable
@_disfavoredOverload
public func % <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Remainder<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: BinaryInteger {
    Binary(left, right)
}

/// The remainder of a division.
@inlinable
@_disfavoredOverload
public func % <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Remainder<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: BinaryInteger {
    Binary(left, Field(right))
}

/// The remainder of a division.
@inlinable
@_disfavoredOverload
public func % <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Remainder<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: BinaryInteger {
    Binary(Field(left), right)
}

/// The remainder of a division.
@inlinable
@_disfavoredOverload
public func % <Root, Value>(left: Value, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Remainder<Value>, Literal<Root, Value>, Field<Root, Value>
> where Value: BinaryInteger & Hashable & Sendable {
    Binary(Literal(left), Field(right))
}

/// The remainder of a division.
@inlinable
@_disfavoredOverload
public func % <Right: TypedExpression>(left: Right.Value, right: Right) -> Binary<
    BinaryOperations.Remainder<Right.Value>, Literal<Right.Root, Right.Value>, Right
> where Right.Value: BinaryInteger & Hashable & Sendable {
    Binary(Literal(left), right)
}
