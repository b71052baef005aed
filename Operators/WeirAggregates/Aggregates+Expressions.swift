public import WeirExpressions

// Aggregates of typed expressions, such as `Mean(of: \.celsius * 1.8 + 32)`; a key path alone is a function, and needs
// no form of its own.

extension Sum {
    /// Creates the sum of no elements.
    ///
    /// - Parameter value: The number of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function)
    }
}

extension Mean {
    /// Creates the mean of no elements.
    ///
    /// - Parameter value: The number of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function)
    }
}

extension Min {
    /// Creates the minimum of no elements.
    ///
    /// - Parameter value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function)
    }

    /// Creates the minimum of no elements.
    ///
    /// - Parameter value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value, Value: FloatingPoint {
        self.init(of: value.function)
    }
}

extension Max {
    /// Creates the maximum of no elements.
    ///
    /// - Parameter value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function)
    }

    /// Creates the maximum of no elements.
    ///
    /// - Parameter value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value, Value: FloatingPoint {
        self.init(of: value.function)
    }
}

extension First {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameter value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function)
    }
}

extension Last {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameter value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function)
    }
}

extension DistinctCount {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameter value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function)
    }
}

extension Variance {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - value: The number of an element, as an expression.
    ///   - population: Whether the elements are all there are, or a sample.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression, _ population: Population = .sample)
    where Expression.Root == Input, Expression.Value == Double {
        self.init(of: value.function, population)
    }
}

extension StandardDeviation {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - value: The number of an element, as an expression.
    ///   - population: Whether the elements are all there are, or a sample.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression, _ population: Population = .sample)
    where Expression.Root == Input, Expression.Value == Double {
        self.init(of: value.function, population)
    }
}

extension ExponentialMovingAverage {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - value: The number of an element, as an expression.
    ///   - weight: The weight of an element against those before; above 0 and up to 1.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression, weight: Double)
    where Expression.Root == Input, Expression.Value == Double {
        self.init(of: value.function, weight: weight)
    }
}

extension Quantile {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - fraction: Which part of the numbers is below it, from 0 to 1.
    ///   - value: The number of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(_ fraction: Double, of value: Expression)
    where Expression.Root == Input, Expression.Value == Double {
        self.init(fraction, of: value.function)
    }

    /// Creates the median of no elements.
    ///
    /// - Parameter value: The number of an element, as an expression.
    /// - Returns: The quantile at one half.
    @inlinable
    public static func median<Expression: ElementExpression>(of value: Expression) -> Quantile
    where Expression.Root == Input, Expression.Value == Double {
        Quantile(0.5, of: value)
    }
}

extension QuantileSketch {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - fraction: Which part of the numbers is below it, from 0 to 1.
    ///   - value: The number of an element, as an expression.
    ///   - relativeError: How far the result may be off, as a part of it; from 0.0001 to 0.5.
    ///   - maximumBins: How many bins there may be for numbers of one sign; positive.
    @inlinable
    public init<Expression: ElementExpression>(
        _ fraction: Double,
        of value: Expression,
        relativeError: Double = 0.01,
        maximumBins: Int = 4096
    )
    where Expression.Root == Input, Expression.Value == Double {
        self.init(fraction, of: value.function, relativeError: relativeError, maximumBins: maximumBins)
    }
}

extension TopK {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - limit: How many values the result has at most; positive.
    ///   - value: The value of an element, as an expression.
    @inlinable
    public init<Expression: ElementExpression>(_ limit: Int, of value: Expression)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(limit, of: value.function)
    }
}

extension HeavyHitters {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - limit: How many values the result has at most; positive.
    ///   - value: The value of an element, as an expression.
    ///   - counters: How many values are counted; not less than `limit`.
    @inlinable
    public init<Expression: ElementExpression>(_ limit: Int, of value: Expression, counters: Int)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(limit, of: value.function, counters: counters)
    }
}

extension ApproximateDistinctCount {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - value: The value of an element, as an expression.
    ///   - precision: The binary logarithm of the number of bytes, from 4 to 18.
    @inlinable
    public init<Expression: ElementExpression>(of value: Expression, precision: Int = 14)
    where Expression.Root == Input, Expression.Value == Value {
        self.init(of: value.function, precision: precision)
    }
}

extension Covariance {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - x: The first number of an element, as an expression.
    ///   - y: The second number, as an expression.
    ///   - population: Whether the elements are all there are, or a sample.
    @inlinable
    public init<X: ElementExpression, Y: ElementExpression>(of x: X, _ y: Y, _ population: Population = .sample)
    where X.Root == Input, X.Value == Double, Y.Root == Input, Y.Value == Double {
        self.init(of: x.function, y.function, population)
    }
}

extension Correlation {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - x: The first number of an element, as an expression.
    ///   - y: The second number, as an expression.
    @inlinable
    public init<X: ElementExpression, Y: ElementExpression>(of x: X, _ y: Y)
    where X.Root == Input, X.Value == Double, Y.Root == Input, Y.Value == Double {
        self.init(of: x.function, y.function)
    }
}

extension LinearRegression {
    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - x: The first number of an element, as an expression.
    ///   - y: The second number, as an expression.
    @inlinable
    public init<X: ElementExpression, Y: ElementExpression>(of x: X, _ y: Y)
    where X.Root == Input, X.Value == Double, Y.Root == Input, Y.Value == Double {
        self.init(of: x.function, y.function)
    }
}
