// Both sides are of concrete types, `Term` or a plain value: an overload that does not fit is dropped at once, so that long
// conditions are checked quickly and a mistake is reported where it is.

/// The sum of two values.
@inlinable
public func + <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Sum<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: AdditiveArithmetic & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// The sum of two values.
@inlinable
public func + <Right>(left: Right.Value, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Sum<Right.Value>, Literal<Right.Root, Right.Value>, Right>
>
where Right.Value: AdditiveArithmetic & Hashable & Sendable {
    Term(Binary(Literal(left), right.expression))
}

/// The sum of two values.
@inlinable
public func + <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Sum<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: AdditiveArithmetic {
    Term(Binary(left.expression, right.expression))
}

/// The difference of two values.
@inlinable
public func - <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Difference<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: AdditiveArithmetic & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// The difference of two values.
@inlinable
public func - <Right>(left: Right.Value, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Difference<Right.Value>, Literal<Right.Root, Right.Value>, Right>
>
where Right.Value: AdditiveArithmetic & Hashable & Sendable {
    Term(Binary(Literal(left), right.expression))
}

/// The difference of two values.
@inlinable
public func - <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Difference<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: AdditiveArithmetic {
    Term(Binary(left.expression, right.expression))
}

/// The product of two values.
@inlinable
public func * <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Product<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Numeric & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// The product of two values.
@inlinable
public func * <Right>(left: Right.Value, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Product<Right.Value>, Literal<Right.Root, Right.Value>, Right>
>
where Right.Value: Numeric & Hashable & Sendable {
    Term(Binary(Literal(left), right.expression))
}

/// The product of two values.
@inlinable
public func * <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Product<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Numeric {
    Term(Binary(left.expression, right.expression))
}

/// The quotient of two values.
@inlinable
public func / <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Quotient<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Divisible & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// The quotient of two values.
@inlinable
public func / <Right>(left: Right.Value, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Quotient<Right.Value>, Literal<Right.Root, Right.Value>, Right>
>
where Right.Value: Divisible & Hashable & Sendable {
    Term(Binary(Literal(left), right.expression))
}

/// The quotient of two values.
@inlinable
public func / <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Quotient<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Divisible {
    Term(Binary(left.expression, right.expression))
}

/// The remainder of a division.
@inlinable
public func % <Left>(left: Term<Left>, right: Left.Value) -> Term<
    Binary<BinaryOperations.Remainder<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: BinaryInteger & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// The remainder of a division.
@inlinable
public func % <Right>(left: Right.Value, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Remainder<Right.Value>, Literal<Right.Root, Right.Value>, Right>
>
where Right.Value: BinaryInteger & Hashable & Sendable {
    Term(Binary(Literal(left), right.expression))
}

/// The remainder of a division.
@inlinable
public func % <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<
    Binary<BinaryOperations.Remainder<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: BinaryInteger {
    Term(Binary(left.expression, right.expression))
}
