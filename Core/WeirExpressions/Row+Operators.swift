// The operators of whole elements, such as numbers.

/// Whether two values are equal.
@inlinable
public func == <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Equal<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable {
    Term(Binary(left, Literal(right)))
}

/// Whether two values are different.
@inlinable
public func != <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Unequal<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable {
    Term(Binary(left, Literal(right)))
}

/// Whether the left value is less.
@inlinable
public func < <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Less<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable {
    Term(Binary(left, Literal(right)))
}

/// Whether the left value is at most the right one.
@inlinable
public func <= <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.AtMost<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable {
    Term(Binary(left, Literal(right)))
}

/// Whether the left value is greater.
@inlinable
public func > <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Greater<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable {
    Term(Binary(left, Literal(right)))
}

/// Whether the left value is at least the right one.
@inlinable
public func >= <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.AtLeast<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable {
    Term(Binary(left, Literal(right)))
}

/// The sum of two values.
@inlinable
public func + <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Sum<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable & AdditiveArithmetic {
    Term(Binary(left, Literal(right)))
}

/// The sum of two values.
@inlinable
public func + <Value>(left: Value, right: Row<Value>) -> Term<
    Binary<BinaryOperations.Sum<Value>, Literal<Value, Value>, Row<Value>>
>
where Value: Comparable & Hashable & Sendable & AdditiveArithmetic {
    Term(Binary(Literal(left), right))
}

/// The difference of two values.
@inlinable
public func - <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Difference<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable & AdditiveArithmetic {
    Term(Binary(left, Literal(right)))
}

/// The difference of two values.
@inlinable
public func - <Value>(left: Value, right: Row<Value>) -> Term<
    Binary<BinaryOperations.Difference<Value>, Literal<Value, Value>, Row<Value>>
>
where Value: Comparable & Hashable & Sendable & AdditiveArithmetic {
    Term(Binary(Literal(left), right))
}

/// The product of two values.
@inlinable
public func * <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Product<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable & Numeric {
    Term(Binary(left, Literal(right)))
}

/// The product of two values.
@inlinable
public func * <Value>(left: Value, right: Row<Value>) -> Term<
    Binary<BinaryOperations.Product<Value>, Literal<Value, Value>, Row<Value>>
>
where Value: Comparable & Hashable & Sendable & Numeric {
    Term(Binary(Literal(left), right))
}

/// The quotient of two values.
@inlinable
public func / <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Quotient<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable & Divisible {
    Term(Binary(left, Literal(right)))
}

/// The quotient of two values.
@inlinable
public func / <Value>(left: Value, right: Row<Value>) -> Term<
    Binary<BinaryOperations.Quotient<Value>, Literal<Value, Value>, Row<Value>>
>
where Value: Comparable & Hashable & Sendable & Divisible {
    Term(Binary(Literal(left), right))
}

/// The remainder of a division.
@inlinable
public func % <Value>(left: Row<Value>, right: Value) -> Term<
    Binary<BinaryOperations.Remainder<Value>, Row<Value>, Literal<Value, Value>>
>
where Value: Comparable & Hashable & Sendable & BinaryInteger {
    Term(Binary(left, Literal(right)))
}

/// The remainder of a division.
@inlinable
public func % <Value>(left: Value, right: Row<Value>) -> Term<
    Binary<BinaryOperations.Remainder<Value>, Literal<Value, Value>, Row<Value>>
>
where Value: Comparable & Hashable & Sendable & BinaryInteger {
    Term(Binary(Literal(left), right))
}
