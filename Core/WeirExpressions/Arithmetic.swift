// One overload for each way to write the two sides. The common ones, with a constant on the right, are preferred: without
// that the compiler tries all combinations, and needs seconds for four comparisons.

/// The sum of two values.
@inlinable
public func + <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Sum<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// The sum of two values.
@inlinable
public func + <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Sum<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// The sum of two values.
@inlinable
@_disfavoredOverload
public func + <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Sum<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: AdditiveArithmetic {
    Binary(Field(left), Field(right))
}

/// The sum of two values.
@inlinable
@_disfavoredOverload
public func + <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Sum<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: AdditiveArithmetic {
    Binary(left, right)
}

/// The sum of two values.
@inlinable
@_disfavoredOverload
public func + <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Sum<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: AdditiveArithmetic {
    Binary(left, Field(right))
}

/// The sum of two values.
@inlinable
@_disfavoredOverload
public func + <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Sum<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: AdditiveArithmetic {
    Binary(Field(left), right)
}

/// The sum of two values.
@inlinable
@_disfavoredOverload
public func + <Root, Value>(left: Value, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Sum<Value>, Literal<Root, Value>, Field<Root, Value>
> where Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(Literal(left), Field(right))
}

/// The sum of two values.
@inlinable
@_disfavoredOverload
public func + <Right: TypedExpression>(left: Right.Value, right: Right) -> Binary<
    BinaryOperations.Sum<Right.Value>, Literal<Right.Root, Right.Value>, Right
> where Right.Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(Literal(left), right)
}

/// The difference of two values.
@inlinable
public func - <Root, Value>(left: SendableKeyPath<Root, Value>, right: Value) -> Binary<
    BinaryOperations.Difference<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// The difference of two values.
@inlinable
public func - <Left: TypedExpression>(left: Left, right: Left.Value) -> Binary<
    BinaryOperations.Difference<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// The difference of two values.
@inlinable
@_disfavoredOverload
public func - <Root, Value>(left: SendableKeyPath<Root, Value>, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Difference<Value>, Field<Root, Value>, Field<Root, Value>
> where Value: AdditiveArithmetic {
    Binary(Field(left), Field(right))
}

/// The difference of two values.
@inlinable
@_disfavoredOverload
public func - <Left: TypedExpression, Right: TypedExpression>(left: Left, right: Right) -> Binary<
    BinaryOperations.Difference<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: AdditiveArithmetic {
    Binary(left, right)
}

/// The difference of two values.
@inlinable
@_disfavoredOverload
public func - <Left: TypedExpression>(left: Left, right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Difference<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: AdditiveArithmetic {
    Binary(left, Field(right))
}

/// The difference of two values.
@inlinable
@_disfavoredOverload
public func - <Right: TypedExpression>(left: SendableKeyPath<Right.Root, Right.Value>, right: Right) -> Binary<
    BinaryOperations.Difference<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: AdditiveArithmetic {
    Binary(Field(left), right)
}

/// The difference of two values.
@inlinable
@_disfavoredOverload
public func - <Root, Value>(left: Value, right: SendableKeyPath<Root, Value>) -> Binary<
    BinaryOperations.Difference<Value>, Literal<Root, Value>, Field<Root, Value>
> where Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(Literal(left), Field(right))
}

/// The difference of two values.
@inlinable
@_disfavoredOverload
public func - <Right: TypedExpression>(left: Right.Value, right: Right) -> Binary<
    BinaryOperations.Difference<Right.Value>, Literal<Right.Root, Right.Value>, Right
> where Right.Value: AdditiveArithmetic & Hashable & Sendable {
    Binary(Literal(left), right)
}
