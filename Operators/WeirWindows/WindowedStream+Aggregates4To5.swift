public import WeirAggregates

extension WindowedStream {
    /// Emits four aggregates of each window as one tuple.
    ///
    ///     readings.tumbling(.seconds(1)).aggregate(Mean(of: \.celsius), Count(), Max(of: \.humidity), Min(of: \.humidity))
    ///         .filter { window in window.value.1 > 10 }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: Aggregate,
        Second: Aggregate,
        Third: Aggregate,
        Fourth: Aggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth
    ) -> AggregatedWindows<Self, FoldingRoute<Aggregates4<First, Second, Third, Fourth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input
    {
        AggregatedWindows(self, FoldingRoute(Aggregates4(first, second, third, fourth)))
    }

    /// Emits four aggregates of each window as one tuple, by merging where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: MergeableAggregate,
        Second: MergeableAggregate,
        Third: MergeableAggregate,
        Fourth: MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth
    ) -> AggregatedWindows<Self, MergingRoute<Aggregates4<First, Second, Third, Fourth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input
    {
        AggregatedWindows(self, MergingRoute(Aggregates4(first, second, third, fourth)))
    }

    /// Emits four aggregates of each window as one tuple, by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate,
        Second: InvertibleAggregate,
        Third: InvertibleAggregate,
        Fourth: InvertibleAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth
    ) -> AggregatedWindows<Self, InvertingRoute<Aggregates4<First, Second, Third, Fourth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input
    {
        AggregatedWindows(self, InvertingRoute(Aggregates4(first, second, third, fourth)))
    }

    /// Emits four aggregates of each window as one tuple, by merging or by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate & MergeableAggregate,
        Second: InvertibleAggregate & MergeableAggregate,
        Third: InvertibleAggregate & MergeableAggregate,
        Fourth: InvertibleAggregate & MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<Aggregates4<First, Second, Third, Fourth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input
    {
        AggregatedWindows(self, MergingOrInvertingRoute(Aggregates4(first, second, third, fourth)))
    }

    /// Emits five aggregates of each window as one tuple.
    ///
    ///     readings.tumbling(.seconds(1)).aggregate(Mean(of: \.celsius), Count(), Max(of: \.humidity), Min(of: \.humidity), Sum(of: \.value))
    ///         .filter { window in window.value.1 > 10 }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: Aggregate,
        Second: Aggregate,
        Third: Aggregate,
        Fourth: Aggregate,
        Fifth: Aggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) -> AggregatedWindows<Self, FoldingRoute<Aggregates5<First, Second, Third, Fourth, Fifth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input
    {
        AggregatedWindows(self, FoldingRoute(Aggregates5(first, second, third, fourth, fifth)))
    }

    /// Emits five aggregates of each window as one tuple, by merging where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: MergeableAggregate,
        Second: MergeableAggregate,
        Third: MergeableAggregate,
        Fourth: MergeableAggregate,
        Fifth: MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) -> AggregatedWindows<Self, MergingRoute<Aggregates5<First, Second, Third, Fourth, Fifth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input
    {
        AggregatedWindows(self, MergingRoute(Aggregates5(first, second, third, fourth, fifth)))
    }

    /// Emits five aggregates of each window as one tuple, by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate,
        Second: InvertibleAggregate,
        Third: InvertibleAggregate,
        Fourth: InvertibleAggregate,
        Fifth: InvertibleAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) -> AggregatedWindows<Self, InvertingRoute<Aggregates5<First, Second, Third, Fourth, Fifth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input
    {
        AggregatedWindows(self, InvertingRoute(Aggregates5(first, second, third, fourth, fifth)))
    }

    /// Emits five aggregates of each window as one tuple, by merging or by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate & MergeableAggregate,
        Second: InvertibleAggregate & MergeableAggregate,
        Third: InvertibleAggregate & MergeableAggregate,
        Fourth: InvertibleAggregate & MergeableAggregate,
        Fifth: InvertibleAggregate & MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<Aggregates5<First, Second, Third, Fourth, Fifth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input
    {
        AggregatedWindows(self, MergingOrInvertingRoute(Aggregates5(first, second, third, fourth, fifth)))
    }
}
