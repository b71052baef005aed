/// Whether both conditions hold; the second is looked at only if the first holds.
@inlinable
public func && <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<And<Left, Right>>
where Left.Root == Right.Root, Left.Value == Bool, Right.Value == Bool {
    Term(And(left.expression, right.expression))
}

/// Whether one of the conditions holds; the second is looked at only if the first does not.
@inlinable
public func || <Left, Right>(left: Term<Left>, right: Term<Right>) -> Term<Or<Left, Right>>
where Left.Root == Right.Root, Left.Value == Bool, Right.Value == Bool {
    Term(Or(left.expression, right.expression))
}

/// Whether a condition does not hold.
@inlinable
public prefix func ! <Operand>(operand: Term<Operand>) -> Term<Unary<UnaryOperations.Not, Operand>>
where Operand.Value == Bool {
    Term(Unary(operand.expression))
}
