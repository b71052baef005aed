public import WeirExpressions

/// A condition on two neighbours that was built at run time; made by ``EventSchema/pairCondition(_:)``.
///
/// Everything else is as in ``RuntimeCondition``.
@frozen
public struct RuntimePairCondition<Root>: TypedExpression {
    public typealias Value = Bool

    @usableFromInline let code: @Sendable (EvaluationFrame) -> Bool
    @usableFromInline let source: RuntimeSource

    init(_ tree: ExpressionTree, _ schema: String, _ code: @escaping @Sendable (EvaluationFrame) -> Bool) {
        self.code = code
        source = RuntimeSource(tree, schema)
    }

    /// The tree that it was built from.
    public var tree: ExpressionTree { source.tree }

    @inlinable
    public func value(of current: borrowing Root, after previous: borrowing Root) -> Bool {
        EvaluationFrame.with(current, after: previous) { frame in code(frame) && !frame.hasFailed }
    }

    /// The condition as in Swift's source code, with the names of the fields.
    public var description: String { "\(source.tree)" }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree { source.tree }

    public static func == (left: RuntimePairCondition, right: RuntimePairCondition) -> Bool {
        left.source == right.source
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
