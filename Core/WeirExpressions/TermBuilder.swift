/// Has the compiler check the closure of an expression by itself, like `ConditionBuilder` that of a condition.
@resultBuilder
public enum TermBuilder {
    /// Takes an expression.
    @inlinable
    @inline(__always)
    public static func buildExpression<Expression: TypedExpression>(_ term: Term<Expression>) -> Term<Expression> {
        term
    }

    /// Takes what the closure returns.
    @inlinable
    @inline(__always)
    public static func buildBlock<Expression: TypedExpression>(_ term: Term<Expression>) -> Term<Expression> { term }
}
