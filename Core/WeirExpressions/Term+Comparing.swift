// Both sides are of concrete types, `Term` or a plain value: an overload that does not fit is dropped at once, so that long
// conditions are checked quickly and a mistake is reported where it is.

/// Whether two values are equal.
@inlinable
public func == <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Equal<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Equatable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// Whether two values are equal.
@inlinable
public func == <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Equal<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Equatable {
    Term(Binary(left.expression, right.expression))
}

/// Whether two values are different.
@inlinable
public func != <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Unequal<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Equatable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// Whether two values are different.
@inlinable
public func != <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Unequal<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Equatable {
    Term(Binary(left.expression, right.expression))
}

/// Whether the left value is less.
@inlinable
public func < <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Less<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Comparable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// Whether the left value is less.
@inlinable
public func < <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Less<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Term(Binary(left.expression, right.expression))
}

/// Whether the left value is at most the right one.
@inlinable
public func <= <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.AtMost<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Comparable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// Whether the left value is at most the right one.
@inlinable
public func <= <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.AtMost<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Term(Binary(left.expression, right.expression))
}

/// Whether the left value is greater.
@inlinable
public func > <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Greater<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Comparable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// Whether the left value is greater.
@inlinable
public func > <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Greater<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Term(Binary(left.expression, right.expression))
}

/// Whether the left value is at least the right one.
@inlinable
public func >= <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.AtLeast<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Comparable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// Whether the left value is at least the right one.
@inlinable
public func >= <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.AtLeast<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Term(Binary(left.expression, right.expression))
}
