/// An operation on the values of two expressions.
public protocol BinaryOperation: Sendable {
    /// What both sides have.
    associatedtype Operand

    /// The results.
    associatedtype Result

    /// The operator or the function, as in the source code.
    static var symbol: String { get }

    /// How tightly the operator binds; `nil` for a function.
    static var precedence: Int? { get }

    /// The operator of an ``ExpressionTree`` that does the same; `nil` where there is none.
    static var treeOperator: ExpressionOperator? { get }

    /// Computes the result.
    ///
    /// - Parameters:
    ///   - left: The value on the left.
    ///   - right: The value on the right.
    /// - Returns: The result.
    static func apply(_ left: Operand, _ right: Operand) -> Result
}

extension BinaryOperation {
    public static var treeOperator: ExpressionOperator? { nil }
}

/// Two expressions and an operator between them.
@frozen
public struct Binary<Operation: BinaryOperation, Left: TypedExpression, Right: TypedExpression>: TypedExpression
where Left.Root == Right.Root, Left.Value == Operation.Operand, Right.Value == Operation.Operand {
    public typealias Root = Left.Root

    /// The expression on the left.
    public let left: Left

    /// The expression on the right.
    public let right: Right

    /// Puts the operator between two expressions.
    ///
    /// - Parameters:
    ///   - left: The expression on the left.
    ///   - right: The expression on the right.
    @inlinable
    public init(_ left: Left, _ right: Right) {
        self.left = left
        self.right = right
    }

    @inlinable
    public func value(of current: borrowing Root, after previous: borrowing Root) -> Operation.Result {
        Operation.apply(left.value(of: current, after: previous), right.value(of: current, after: previous))
    }

    @inlinable
    public static var precedence: Int { Operation.precedence ?? .max }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        guard let symbol = Operation.treeOperator else {
            throw .unsupportedOperator(Operation.symbol, suggestions: [])
        }
        return .operation(symbol, [try left.tree(in: schema), try right.tree(in: schema)])
    }

    /// The operation with as few parentheses as possible, as in `(x + 1) * 2`.
    public var description: String {
        guard let precedence = Operation.precedence else { return "\(Operation.symbol)(\(left), \(right))" }
        let left = left.description(within: precedence)
        return "\(left) \(Operation.symbol) \(right.description(within: precedence + 1))"
    }
}

extension Binary: ElementExpression where Left: ElementExpression, Right: ElementExpression {
    @inlinable
    public func value(of element: borrowing Root) -> Operation.Result {
        Operation.apply(left.value(of: element), right.value(of: element))
    }
}
