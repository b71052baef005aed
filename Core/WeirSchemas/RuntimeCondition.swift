public import WeirExpressions

/// A condition that was built at run time; made by ``EventSchema/condition(_:)``.
///
/// Costs a call of a closure for each operator, less where a field meets a constant. A condition in which an integer
/// overflows, or is divided by zero, does not hold: a condition that was built at run time must not stop the program.
///
/// Two conditions are equal when their trees are, and the names of their schemas.
@frozen
public struct RuntimeCondition<Root>: ElementExpression {
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
    public func value(of element: borrowing Root) -> Bool {
        EvaluationFrame.with(element) { frame in code(frame) && !frame.hasFailed }
    }

    /// The condition as in Swift's source code, with the names of the fields.
    public var description: String { "\(source.tree)" }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree { source.tree }

    public static func == (left: RuntimeCondition, right: RuntimeCondition) -> Bool { left.source == right.source }

    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// The tree that an expression was built from.
@usableFromInline
final class RuntimeSource: Sendable, Hashable {
    let tree: ExpressionTree
    let schema: String

    init(_ tree: ExpressionTree, _ schema: String) {
        self.tree = tree
        self.schema = schema
    }

    @usableFromInline
    static func == (left: RuntimeSource, right: RuntimeSource) -> Bool {
        left === right || (left.schema == right.schema && left.tree == right.tree)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}
