public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Emits the elements before the first one that fails a condition, given as a typed expression.
    ///
    /// Equivalent to the form with a closure.
    ///
    /// - Parameter condition: Computed for each element until it is `false`.
    /// - Returns: The elements before that.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func take<Condition: ElementExpression>(while condition: Condition) -> TakeWhile<Self>
    where Condition.Root == Element, Condition.Value == Bool {
        take(while: condition.function)
    }

    /// Drops the elements before the first one that fails a condition, given as a typed expression.
    ///
    /// Equivalent to the form with a closure.
    ///
    /// - Parameter condition: Computed for each element until it is `false`.
    /// - Returns: The elements from that one on.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func drop<Condition: ElementExpression>(while condition: Condition) -> DropWhile<Self>
    where Condition.Root == Element, Condition.Value == Bool {
        drop(while: condition.function)
    }

    /// Drops consecutive elements with equal values of a typed expression.
    ///
    ///     readings.changes(of: \.celsius / 5)
    ///
    /// Equivalent to the form with a closure.
    ///
    /// - Parameter value: What to compare; computed once for each element.
    /// - Returns: The elements whose value differs from that of their predecessor.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func changes<Expression: ElementExpression>(of value: Expression) -> Changes<Self, Expression.Value>
    where Expression.Root == Element, Expression.Value: Equatable & Sendable {
        changes(of: value.function)
    }
}
