/// An expression on the element before; made by `previous(_:)`.
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

    public func tree(in schema: EventSchema<Root>) throws(SchemaError) -> ExpressionTree {
        .previous(try operand.tree(in: schema))
    }

    /// The call, as in `previous(celsius)`.
    public var description: String { "previous(\(operand))" }
}

/// A property of the element before.
///
///     positions.followedBy(previous(\.x) < \.x)
///
/// - Parameter keyPath: The property.
/// - Returns: An expression on two neighbours.
@inlinable
public func previous<Root, Value>(_ keyPath: SendableKeyPath<Root, Value>) -> Previous<Field<Root, Value>> {
    Previous(Field(keyPath))
}

/// An expression on the element before.
///
///     positions.followedBy(previous(\.x + \.y) < \.x)
///
/// - Parameter operand: An expression on one element.
/// - Returns: An expression on two neighbours.
@inlinable
public func previous<Operand: ElementExpression>(_ operand: Operand) -> Previous<Operand> {
    Previous(operand)
}
