/// An operation on the value of one expression.
public protocol UnaryOperation: Sendable {
    /// The operand.
    associatedtype Operand

    /// The results.
    associatedtype Result

    /// Computes the result.
    static func apply(_ operand: Operand) -> Result

    /// The operation on an operand, as in the source code.
    ///
    /// - Parameters:
    ///   - operand: The operand's description, in parentheses where an operator needs them.
    ///   - bare: The same without them.
    /// - Returns: The operation in words.
    static func description(of operand: String, bare: String) -> String

    /// The operator of an ``ExpressionTree`` that does the same; `nil` where there is none.
    static var treeOperator: ExpressionOperator? { get }
}

extension UnaryOperation {
    public static var treeOperator: ExpressionOperator? { nil }
}

/// An expression and an operation on it.
@frozen
public struct Unary<Operation: UnaryOperation, Operand: TypedExpression>: TypedExpression
where Operand.Value == Operation.Operand {
    public typealias Root = Operand.Root

    /// The operand.
    public let operand: Operand

    /// Applies the operation to an expression.
    ///
    /// - Parameter operand: The expression.
    @inlinable
    public init(_ operand: Operand) {
        self.operand = operand
    }

    @inlinable
    public func value(of current: borrowing Root, after previous: borrowing Root) -> Operation.Result {
        Operation.apply(operand.value(of: current, after: previous))
    }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        guard let symbol = Operation.treeOperator else {
            throw .unsupportedOperator(Operation.description(of: "_", bare: "_"), suggestions: [])
        }
        return .operation(symbol, [try operand.tree(in: schema)])
    }

    /// The operation, as in `!(x > 1)`.
    public var description: String {
        Operation.description(of: operand.description(within: .max), bare: "\(operand)")
    }
}

extension Unary: ElementExpression where Operand: ElementExpression {
    @inlinable
    public func value(of element: borrowing Root) -> Operation.Result {
        Operation.apply(operand.value(of: element))
    }
}
