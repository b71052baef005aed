/// A value or a condition in a typed expression: what rows have, and what operators take and give.
///
///     readings.where { $0.celsius > 30 && $0.station == "north" }
///
/// The type is one for all expressions, so that the compiler checks long ones quickly and reports a mistake where it is.
@frozen
public struct Term<Expression: TypedExpression>: Sendable {
    /// The expression.
    public let expression: Expression

    /// Makes a term of an expression, so that operators take it.
    ///
    /// - Parameter expression: The expression.
    @inlinable
    public init(_ expression: Expression) {
        self.expression = expression
    }
}

extension Term: CustomStringConvertible {
    /// The expression as in the source code.
    public var description: String { expression.description }
}

extension ElementExpression {
    /// The expression as a part of another one.
    ///
    ///     let hot = try schema.condition(tree)
    ///     readings.where { hot($0) && $0.station == "north" }
    ///
    /// - Parameter row: Stands for the element that the expression reads.
    /// - Returns: The term.
    @inlinable
    public func callAsFunction(_ row: Row<Root>) -> Term<Self> {
        Term(self)
    }
}

extension TypedExpression {
    /// The expression on two neighbours as a part of another one.
    ///
    ///     let jump = try schema.pairCondition(tree)
    ///     readings.followedByWhere { jump($0, $1) }
    ///
    /// - Parameters:
    ///   - previous: Stands for the earlier element.
    ///   - current: Stands for the later element.
    /// - Returns: The term.
    @inlinable
    public func callAsFunction(_ previous: PreviousRow<Root>, _ current: Row<Root>) -> Term<Self> {
        Term(self)
    }
}
