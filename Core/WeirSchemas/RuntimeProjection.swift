public import WeirExpressions

/// An expression that was built at run time; made by `EventSchema/projection(_:as:)`.
///
/// An integer that overflows, or is divided by zero, traps, as with numbers; where the result is optional it is `nil`.
/// Everything else is as in ``RuntimeCondition``.
@frozen
public struct RuntimeProjection<Root, Value>: ElementExpression {
    @usableFromInline let code: @Sendable (EvaluationFrame) -> Value
    @usableFromInline let source: RuntimeSource

    @usableFromInline
    init(_ tree: ExpressionTree, _ schema: String, _ code: @escaping @Sendable (EvaluationFrame) -> Value) {
        self.code = code
        source = RuntimeSource(tree, schema)
    }

    /// The tree that it was built from.
    public var tree: ExpressionTree { source.tree }

    @inlinable
    public func value(of element: borrowing Root) -> Value {
        EvaluationFrame.with(element) { frame in code(frame) }
    }

    /// The expression as in Swift's source code, with the names of the fields.
    public var description: String { "\(source.tree)" }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree { source.tree }

    public static func == (left: RuntimeProjection, right: RuntimeProjection) -> Bool { left.source == right.source }

    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
