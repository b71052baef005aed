/// An expression on the element before; made by the members of a ``PreviousRow``.
@frozen
public struct Previous<Operand: ElementExpression>: TypedExpression {
    public typealias Root = Operand.Root

    /// The expression that is evaluated on the previous element.
    public let operand: Operand

    @inlinable
    init(_ operand: Operand) {
        self.operand = operand
    }

    @inlinable
    public func value(of current: borrowing Root, after previous: borrowing Root) -> Operand.Value {
        operand.value(of: previous)
    }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        .previous(try operand.tree(in: schema))
    }

    /// The call, as in `previous(celsius)`.
    public var description: String { "previous(\(operand))" }
}

/// Stands for the element before, where an expression on two neighbours is written.
///
///     positions.followedByWhere { previous, current in previous.x < current.x }
@frozen
@dynamicMemberLookup
public struct PreviousRow<Root>: Sendable {
    /// Makes the row that stands for any element before another one.
    @inlinable
    public init() {}

    /// The field of a property of the element before, as in `previous.celsius`.
    ///
    /// - Parameter keyPath: The property.
    /// - Complexity: O(1); the offset of the property is looked up once.
    @inlinable
    public subscript<Value>(
        dynamicMember keyPath: SendableKeyPath<Root, Value>
    ) -> Term<Previous<Field<Root, Value>>> {
        Term(Previous(Field(keyPath)))
    }
}
