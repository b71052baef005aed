public import WeirAggregates
public import WeirExpressions

// The short forms of aggregates with a typed expression, such as `mean(of: \.celsius * 1.8 + 32)`.

extension WindowedStream {
    /// Emits the sum of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func sum<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, MergingOrInvertingRoute<Sum<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: Summable {
        aggregate(Sum(of: value))
    }

    /// Emits the arithmetic mean of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func mean<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, MergingOrInvertingRoute<Mean<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: BinaryFloatingPoint & Sendable {
        aggregate(Mean(of: value))
    }

    /// Emits the least value of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func min<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, SelectingRoute<Min<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: Comparable & Sendable {
        aggregate(Min(of: value))
    }

    /// Emits the least value, by the rules of IEEE 754 for NaN and zeros, of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func min<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, SelectingRoute<Min<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: FloatingPoint & Sendable {
        aggregate(Min(of: value))
    }

    /// Emits the greatest value of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func max<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, SelectingRoute<Max<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: Comparable & Sendable {
        aggregate(Max(of: value))
    }

    /// Emits the greatest value, by the rules of IEEE 754 for NaN and zeros, of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func max<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, SelectingRoute<Max<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: FloatingPoint & Sendable {
        aggregate(Max(of: value))
    }

    /// Emits the value of the earliest element of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func first<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, MergingRoute<First<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: Sendable {
        aggregate(First(of: value))
    }

    /// Emits the value of the latest element of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func last<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, MergingRoute<Last<Input, Expression.Value>>
    >
    where Expression.Root == Input, Expression.Value: Sendable {
        aggregate(Last(of: value))
    }

    /// Emits the variance, as of a sample, of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func variance<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, MergingRoute<Variance<Input>>
    >
    where Expression.Root == Input, Expression.Value == Double {
        aggregate(Variance(of: value))
    }

    /// Emits the standard deviation, as of a sample, of each window.
    ///
    /// - Parameter value: The value of an element, as an expression.
    /// - Returns: The results, one for each window.
    @inlinable
    public func standardDeviation<Expression: ElementExpression>(of value: Expression) -> AggregatedWindows<
        Self, MergingRoute<StandardDeviation<Input>>
    >
    where Expression.Root == Input, Expression.Value == Double {
        aggregate(StandardDeviation(of: value))
    }
}
