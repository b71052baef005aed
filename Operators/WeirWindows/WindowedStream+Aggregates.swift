public import WeirAggregates

extension WindowedStream {
    /// Emits how many elements each window holds.
    @inlinable
    public func count() -> AggregatedWindows<Self, MergingOrInvertingRoute<Count<Input>>> {
        aggregate(Count())
    }

    /// Emits the sum of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func sum<Value: Summable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<Sum<Input, Value>>> {
        aggregate(Sum(of: value))
    }

    /// Emits the arithmetic mean of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func mean<Value: BinaryFloatingPoint & Sendable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<Mean<Input, Value>>> {
        aggregate(Mean(of: value))
    }

    /// Emits the least value of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func min<Value: Comparable & Sendable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, SelectingRoute<Min<Input, Value>>> {
        aggregate(Min(of: value))
    }

    /// Emits the least value, by the rules of IEEE 754 for NaN and zeros, of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func min<Value: FloatingPoint & Sendable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, SelectingRoute<Min<Input, Value>>> {
        aggregate(Min(of: value))
    }

    /// Emits the greatest value of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func max<Value: Comparable & Sendable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, SelectingRoute<Max<Input, Value>>> {
        aggregate(Max(of: value))
    }

    /// Emits the greatest value, by the rules of IEEE 754 for NaN and zeros, of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func max<Value: FloatingPoint & Sendable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, SelectingRoute<Max<Input, Value>>> {
        aggregate(Max(of: value))
    }

    /// Emits the value of the earliest element of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func first<Value: Sendable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, MergingRoute<First<Input, Value>>> {
        aggregate(First(of: value))
    }

    /// Emits the value of the latest element of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func last<Value: Sendable>(
        of value: @escaping @Sendable (Input) -> Value
    ) -> AggregatedWindows<Self, MergingRoute<Last<Input, Value>>> {
        aggregate(Last(of: value))
    }

    /// Emits the variance, as of a sample, of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func variance(
        of value: @escaping @Sendable (Input) -> Double
    ) -> AggregatedWindows<Self, MergingRoute<Variance<Input>>> {
        aggregate(Variance(of: value))
    }

    /// Emits the standard deviation, as of a sample, of each window.
    ///
    /// - Parameter value: The value of an element.
    /// - Returns: The results, one for each window.
    @inlinable
    public func standardDeviation(
        of value: @escaping @Sendable (Input) -> Double
    ) -> AggregatedWindows<Self, MergingRoute<StandardDeviation<Input>>> {
        aggregate(StandardDeviation(of: value))
    }
}
