/// Whether the value of an expression lies in a range, its ends included.
///
/// - Parameters:
///   - operand: The expression.
///   - range: The range.
/// - Returns: A condition.
@inlinable
public func between<Operand: TypedExpression>(_ operand: Operand, _ range: ClosedRange<Operand.Value>) -> Check<
    Criteria.Between<Operand.Value>, Operand
>
where Operand.Value: Comparable & Hashable & Sendable {
    Check(operand, Criteria.Between(range))
}

/// Whether a property lies in a range, its ends included.
///
/// - Parameters:
///   - operand: The property.
///   - range: The range.
/// - Returns: A condition.
@inlinable
public func between<Root, Bound: Comparable & Hashable & Sendable>(
    _ operand: SendableKeyPath<Root, Bound>,
    _ range: ClosedRange<Bound>
) -> Check<Criteria.Between<Bound>, Field<Root, Bound>> {
    Check(Field(operand), Criteria.Between(range))
}

/// Whether the value of an expression is one of some values.
///
/// - Parameters:
///   - operand: The expression.
///   - members: The values; a look-up is O(1).
/// - Returns: A condition.
@inlinable
public func isIn<Operand: TypedExpression>(_ operand: Operand, _ members: Set<Operand.Value>) -> Check<
    Criteria.Membership<Operand.Value>, Operand
>
where Operand.Value: Hashable & Sendable {
    Check(operand, Criteria.Membership(members))
}

/// Whether a property is one of some values.
///
/// - Parameters:
///   - operand: The property.
///   - members: The values; a look-up is O(1).
/// - Returns: A condition.
@inlinable
public func isIn<Root, Member: Hashable & Sendable>(_ operand: SendableKeyPath<Root, Member>, _ members: Set<Member>)
    -> Check<Criteria.Membership<Member>, Field<Root, Member>>
{
    Check(Field(operand), Criteria.Membership(members))
}

/// Whether the value of an expression starts with a text.
///
/// - Parameters:
///   - operand: The expression.
///   - prefix: The text.
/// - Returns: A condition.
@inlinable
public func hasPrefix<Operand: TypedExpression>(_ operand: Operand, _ prefix: String) -> Check<Criteria.Prefix, Operand>
where Operand.Value == String {
    Check(operand, Criteria.Prefix(prefix))
}

/// Whether a property starts with a text.
///
/// - Parameters:
///   - operand: The property.
///   - prefix: The text.
/// - Returns: A condition.
@inlinable
public func hasPrefix<Root>(_ operand: SendableKeyPath<Root, String>, _ prefix: String) -> Check<
    Criteria.Prefix, Field<Root, String>
> {
    Check(Field(operand), Criteria.Prefix(prefix))
}

/// Whether the value of an expression contains a text.
///
/// - Parameters:
///   - operand: The expression.
///   - part: The text; every value contains the empty one.
/// - Returns: A condition.
@inlinable
public func contains<Operand: TypedExpression>(_ operand: Operand, _ part: String) -> Check<
    Criteria.Containment, Operand
>
where Operand.Value == String {
    Check(operand, Criteria.Containment(part))
}

/// Whether a property contains a text.
///
/// - Parameters:
///   - operand: The property.
///   - part: The text; every value contains the empty one.
/// - Returns: A condition.
@inlinable
public func contains<Root>(_ operand: SendableKeyPath<Root, String>, _ part: String) -> Check<
    Criteria.Containment, Field<Root, String>
> {
    Check(Field(operand), Criteria.Containment(part))
}
