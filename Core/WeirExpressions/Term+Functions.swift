/// The negative of a value.
@inlinable
public prefix func - <Operand>(operand: Term<Operand>) -> Term<
    Unary<UnaryOperations.Negation<Operand.Value>, Operand>
>
where Operand.Value: SignedNumeric {
    Term(Unary(operand.expression))
}

/// A value without its sign.
@inlinable
public func abs<Operand>(_ operand: Term<Operand>) -> Term<
    Unary<UnaryOperations.AbsoluteValue<Operand.Value>, Operand>
>
where Operand.Value: SignedNumeric & Comparable {
    Term(Unary(operand.expression))
}

/// An integer as a `Double`, to calculate with it and with those of another type.
@inlinable
public func real<Operand>(_ operand: Term<Operand>) -> Term<Unary<UnaryOperations.Real<Operand.Value>, Operand>>
where Operand.Value: BinaryInteger {
    Term(Unary(operand.expression))
}

/// Whether there is a value.
@inlinable
public func isPresent<Operand, Wrapped>(_ operand: Term<Operand>) -> Term<
    Unary<UnaryOperations.Presence<Wrapped>, Operand>
>
where Operand.Value == Wrapped? {
    Term(Unary(operand.expression))
}

/// The lesser one of two values.
@inlinable
public func min<Left>(_ left: Term<Left>, _ right: Left.Value) -> Term<
    Binary<BinaryOperations.Minimum<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Comparable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// The lesser one of two values.
@inlinable
public func min<Left, Right>(_ left: Term<Left>, _ right: Term<Right>) -> Term<
    Binary<BinaryOperations.Minimum<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Term(Binary(left.expression, right.expression))
}

/// The greater one of two values.
@inlinable
public func max<Left>(_ left: Term<Left>, _ right: Left.Value) -> Term<
    Binary<BinaryOperations.Maximum<Left.Value>, Left, Literal<Left.Root, Left.Value>>
>
where Left.Value: Comparable & Hashable & Sendable {
    Term(Binary(left.expression, Literal(right)))
}

/// The greater one of two values.
@inlinable
public func max<Left, Right>(_ left: Term<Left>, _ right: Term<Right>) -> Term<
    Binary<BinaryOperations.Maximum<Left.Value>, Left, Right>
>
where Left.Root == Right.Root, Left.Value == Right.Value, Left.Value: Comparable {
    Term(Binary(left.expression, right.expression))
}

/// Whether a value lies in a range, its ends included.
///
/// - Parameters:
///   - operand: The value.
///   - range: The range.
/// - Returns: A condition.
@inlinable
public func between<Operand>(_ operand: Term<Operand>, _ range: ClosedRange<Operand.Value>) -> Term<
    Check<Criteria.Between<Operand.Value>, Operand>
>
where Operand.Value: Comparable & Hashable & Sendable {
    Term(Check(operand.expression, Criteria.Between(range)))
}

/// Whether a value is one of some values.
///
/// - Parameters:
///   - operand: The value.
///   - members: The values; a look-up is O(1).
/// - Returns: A condition.
@inlinable
public func isIn<Operand>(_ operand: Term<Operand>, _ members: Set<Operand.Value>) -> Term<
    Check<Criteria.Membership<Operand.Value>, Operand>
>
where Operand.Value: Hashable & Sendable {
    Term(Check(operand.expression, Criteria.Membership(members)))
}

/// Whether a text starts with another one.
///
/// - Parameters:
///   - operand: The text.
///   - prefix: What it starts with.
/// - Returns: A condition.
@inlinable
public func hasPrefix<Operand>(_ operand: Term<Operand>, _ prefix: String) -> Term<Check<Criteria.Prefix, Operand>>
where Operand.Value == String {
    Term(Check(operand.expression, Criteria.Prefix(prefix)))
}

/// Whether a text contains another one.
///
/// - Parameters:
///   - operand: The text.
///   - part: What it contains; every text contains the empty one.
/// - Returns: A condition.
@inlinable
public func contains<Operand>(_ operand: Term<Operand>, _ part: String) -> Term<Check<Criteria.Containment, Operand>>
where Operand.Value == String {
    Term(Check(operand.expression, Criteria.Containment(part)))
}
