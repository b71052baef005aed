/// A condition on the value of an expression that has a parameter, such as a range; made by `between` and its like.
public protocol Criterion<Operand>: Sendable, Hashable {
    /// The type that it tests.
    associatedtype Operand

    /// Whether a value meets it.
    func isMet(by value: Operand) -> Bool

    /// The condition on an operand, as in the source code.
    func description(of operand: String) -> String

    /// The condition on an operand as a value.
    ///
    /// - Parameter operand: The operand.
    /// - Returns: The tree.
    /// - Throws: ``SchemaError``; always for a criterion of your own that does not implement this.
    func tree(of operand: ExpressionTree) throws(SchemaError) -> ExpressionTree
}

extension Criterion {
    public func tree(of operand: ExpressionTree) throws(SchemaError) -> ExpressionTree {
        throw .unsupportedOperator(description(of: "\(operand)"), suggestions: [])
    }
}

/// An expression and a criterion for its value.
@frozen
public struct Check<Condition: Criterion, Operand: TypedExpression>: TypedExpression
where Operand.Value == Condition.Operand {
    public typealias Root = Operand.Root

    /// The criterion.
    public let criterion: Condition

    /// The tested value.
    public let operand: Operand

    /// Checks the value of an expression.
    ///
    /// - Parameters:
    ///   - operand: The expression.
    ///   - criterion: What its value must meet.
    @inlinable
    public init(_ operand: Operand, _ criterion: Condition) {
        self.operand = operand
        self.criterion = criterion
    }

    @inlinable
    public func value(of current: borrowing Root, after previous: borrowing Root) -> Bool {
        criterion.isMet(by: operand.value(of: current, after: previous))
    }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        try criterion.tree(of: try operand.tree(in: schema))
    }

    /// The call, as in `between(x, 0...1)`.
    public var description: String { criterion.description(of: "\(operand)") }
}

extension Check: ElementExpression where Operand: ElementExpression {
    @inlinable
    public func value(of element: borrowing Root) -> Bool {
        criterion.isMet(by: operand.value(of: element))
    }
}
