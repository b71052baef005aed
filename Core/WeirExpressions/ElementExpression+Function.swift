extension ElementExpression {
    /// The expression as a function, for what takes one.
    ///
    /// - Complexity: The call of a closure, in which the expression is inlined.
    @inlinable
    public var function: @Sendable (Root) -> Value {
        { element in value(of: element) }
    }
}
