/// The lesser one of two values.
@inlinable
public func min<Root, Value>(_ left: SendableKeyPath<Root, Value>, _ right: Value) -> Binary<
    BinaryOperations.Minimum<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Comparable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// The lesser one of two values.
@inlinable
public func min<Left: TypedExpression>(_ left: Left, _ right: Left.Value) -> Binary<
    BinaryOperations.Minimum<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Comparable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// The lesser one of two values.
@inlinable
public func min<Root, Value>(_ left: SendableKeyPath<Root, Value>, _ right: SendableKeyPath<Root, Value>)
    -> Binary<BinaryOperations.Minimum<Value>, Field<Root, Value>, Field<Root, Value>> where Value: Comparable
{
    Binary(Field(left), Field(right))
}

/// The lesser one of two values.
@inlinable
public func min<Left: TypedExpression, Right: TypedExpression>(_ left: Left, _ right: Right) -> Binary<
    BinaryOperations.Minimum<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Binary(left, right)
}

/// The lesser one of two values.
@inlinable
public func min<Left: TypedExpression>(_ left: Left, _ right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Minimum<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Comparable {
    Binary(left, Field(right))
}

/// The lesser one of two values.
@inlinable
public func min<Right: TypedExpression>(_ left: SendableKeyPath<Right.Root, Right.Value>, _ right: Right) -> Binary<
    BinaryOperations.Minimum<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Comparable {
    Binary(Field(left), right)
}

/// The greater one of two values.
@inlinable
public func max<Root, Value>(_ left: SendableKeyPath<Root, Value>, _ right: Value) -> Binary<
    BinaryOperations.Maximum<Value>, Field<Root, Value>, Literal<Root, Value>
> where Value: Comparable & Hashable & Sendable {
    Binary(Field(left), Literal(right))
}

/// The greater one of two values.
@inlinable
public func max<Left: TypedExpression>(_ left: Left, _ right: Left.Value) -> Binary<
    BinaryOperations.Maximum<Left.Value>, Left, Literal<Left.Root, Left.Value>
> where Left.Value: Comparable & Hashable & Sendable {
    Binary(left, Literal(right))
}

/// The greater one of two values.
@inlinable
public func max<Root, Value>(_ left: SendableKeyPath<Root, Value>, _ right: SendableKeyPath<Root, Value>)
    -> Binary<BinaryOperations.Maximum<Value>, Field<Root, Value>, Field<Root, Value>> where Value: Comparable
{
    Binary(Field(left), Field(right))
}

/// The greater one of two values.
@inlinable
public func max<Left: TypedExpression, Right: TypedExpression>(_ left: Left, _ right: Right) -> Binary<
    BinaryOperations.Maximum<Left.Value>, Left, Right
> where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Binary(left, right)
}

/// The greater one of two values.
@inlinable
public func max<Left: TypedExpression>(_ left: Left, _ right: SendableKeyPath<Left.Root, Left.Value>) -> Binary<
    BinaryOperations.Maximum<Left.Value>, Left, Field<Left.Root, Left.Value>
> where Left.Value: Comparable {
    Binary(left, Field(right))
}

/// The greater one of two values.
@inlinable
public func max<Right: TypedExpression>(_ left: SendableKeyPath<Right.Root, Right.Value>, _ right: Right) -> Binary<
    BinaryOperations.Maximum<Right.Value>, Field<Right.Root, Right.Value>, Right
> where Right.Value: Comparable {
    Binary(Field(left), right)
}
