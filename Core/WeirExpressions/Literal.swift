/// A constant in an expression.
@frozen
public struct Literal<Root, Value: Hashable & Sendable>: ElementExpression {
    /// The constant.
    public let value: Value

    /// Makes an expression of a constant.
    @inlinable
    public init(_ value: Value) {
        self.value = value
    }

    @inlinable
    public func value(of element: borrowing Root) -> Value {
        value
    }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        .literal(try FieldValue(constant: value))
    }

    /// The constant, a text in quotation marks.
    public var description: String {
        if let text = value as? String { text.debugDescription } else { "\(value)" }
    }
}
