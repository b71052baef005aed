/// Two conditions that must both hold; made by `&&`.
@frozen
public struct And<Left: TypedExpression, Right: TypedExpression>: TypedExpression
where Left.Root == Right.Root, Left.Value == Bool, Right.Value == Bool {
    public typealias Root = Left.Root

    /// The condition that is looked at first.
    public let left: Left

    /// The condition that is looked at if the first does not decide.
    public let right: Right

    /// Combines two conditions.
    ///
    /// - Parameters:
    ///   - left: The condition that is looked at first.
    ///   - right: The condition that is looked at if the first does not decide.
    @inlinable
    public init(_ left: Left, _ right: Right) {
        self.left = left
        self.right = right
    }

    @inlinable
    public func value(of current: borrowing Root, after previous: borrowing Root) -> Bool {
        guard left.value(of: current, after: previous) else { return false }
        return right.value(of: current, after: previous)
    }

    @inlinable
    public static var precedence: Int { 2 }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        .operation(.and, [try left.tree(in: schema), try right.tree(in: schema)])
    }

    /// The conditions with the operator between them.
    public var description: String {
        "\(left.description(within: Self.precedence)) && \(right.description(within: Self.precedence + 1))"
    }
}

extension And: ElementExpression where Left: ElementExpression, Right: ElementExpression {
    @inlinable
    public func value(of element: borrowing Root) -> Bool {
        guard left.value(of: element) else { return false }
        return right.value(of: element)
    }
}
