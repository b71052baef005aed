/// Something that can be a constant in an ``ExpressionTree``.
public protocol FieldValueConvertible: Sendable {
    /// The value without its type.
    var fieldValue: FieldValue { get }
}

extension Optional: FieldValueConvertible where Wrapped: FieldValueConvertible {
    public var fieldValue: FieldValue { self?.fieldValue ?? .missing }
}
