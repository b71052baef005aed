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

/// Has the compiler check the closure of a condition on rows by itself; it knows whose rows they are.
@resultBuilder
public enum RowConditionBuilder<Root> {
    /// Takes a condition.
    @inlinable
    @inline(__always)
    public static func buildExpression<Condition: ElementExpression>(
        _ term: Term<Condition>
    ) -> Term<Condition> where Condition.Root == Root, Condition.Value == Bool {
        term
    }

    /// Takes what the closure returns.
    @inlinable
    @inline(__always)
    public static func buildBlock<Condition: ElementExpression>(
        _ term: Term<Condition>
    ) -> Term<Condition> where Condition.Root == Root, Condition.Value == Bool {
        term
    }
}
