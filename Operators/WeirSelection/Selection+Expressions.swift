public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Lets through the elements before the first one that fails a condition, given as a typed expression.
    ///
    /// Does what the form with a closure does.
    ///
    /// - Parameter condition: Computed for each element until it is `false`.
    /// - Returns: The elements before that.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func take<Condition: ElementExpression>(while condition: Condition) -> TakeWhile<Self>
    where Condition.Root == Element, Condition.Value == Bool {
        take(while: condition.function)
    }

    /// Leaves out the elements before the first one that fails a condition, given as a typed expression.
    ///
    /// Does what the form with a closure does.
    ///
    /// - Parameter condition: Computed for each element until it is `false`.
    /// - Returns: The elements from that one on.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func drop<Condition: ElementExpression>(while condition: Condition) -> DropWhile<Self>
    where Condition.Root == Element, Condition.Value == Bool {
        drop(while: condition.function)
    }

    /// Leaves out the elements that equal the one before in the value of a typed expression.
    ///
    ///     readings.changes(of: \.celsius / 5)
    ///
    /// Does what the form with a closure does.
    ///
    /// - Parameter value: What to compare; computed once for each element.
    /// - Returns: The elements with which it changes.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func changes<Expression: ElementExpression>(of value: Expression) -> Changes<Self, Expression.Value>
    where Expression.Root == Element, Expression.Value: Equatable & Sendable {
        changes(of: value.function)
    }
}
