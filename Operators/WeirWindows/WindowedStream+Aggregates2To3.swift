public import WeirAggregates

extension WindowedStream {
    /// Emits two aggregates of each window as one tuple.
    ///
    ///     readings.tumbling(.seconds(1)).aggregate(Mean(of: \.celsius), Count())
    ///         .filter { window in window.value.1 > 10 }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: Aggregate,
        Second: Aggregate
    >(
        _ first: First,
        _ second: Second
    ) -> AggregatedWindows<Self, FoldingRoute<Aggregates2<First, Second>>>
    where
        First.Input == Input,
        Second.Input == Input
    {
        AggregatedWindows(self, FoldingRoute(Aggregates2(first, second)))
    }

    /// Emits two aggregates of each window as one tuple, by merging where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: MergeableAggregate,
        Second: MergeableAggregate
    >(
        _ first: First,
        _ second: Second
    ) -> AggregatedWindows<Self, MergingRoute<Aggregates2<First, Second>>>
    where
        First.Input == Input,
        Second.Input == Input
    {
        AggregatedWindows(self, MergingRoute(Aggregates2(first, second)))
    }

    /// Emits two aggregates of each window as one tuple, by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate,
        Second: InvertibleAggregate
    >(
        _ first: First,
        _ second: Second
    ) -> AggregatedWindows<Self, InvertingRoute<Aggregates2<First, Second>>>
    where
        First.Input == Input,
        Second.Input == Input
    {
        AggregatedWindows(self, InvertingRoute(Aggregates2(first, second)))
    }

    /// Emits two aggregates of each window as one tuple, by merging or by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate & MergeableAggregate,
        Second: InvertibleAggregate & MergeableAggregate
    >(
        _ first: First,
        _ second: Second
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<Aggregates2<First, Second>>>
    where
        First.Input == Input,
        Second.Input == Input
    {
        AggregatedWindows(self, MergingOrInvertingRoute(Aggregates2(first, second)))
    }

    /// Emits three aggregates of each window as one tuple.
    ///
    ///     readings.tumbling(.seconds(1)).aggregate(Mean(of: \.celsius), Count(), Max(of: \.humidity))
    ///         .filter { window in window.value.1 > 10 }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: Aggregate,
        Second: Aggregate,
        Third: Aggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third
    ) -> AggregatedWindows<Self, FoldingRoute<Aggregates3<First, Second, Third>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input
    {
        AggregatedWindows(self, FoldingRoute(Aggregates3(first, second, third)))
    }

    /// Emits three aggregates of each window as one tuple, by merging where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: MergeableAggregate,
        Second: MergeableAggregate,
        Third: MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third
    ) -> AggregatedWindows<Self, MergingRoute<Aggregates3<First, Second, Third>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input
    {
        AggregatedWindows(self, MergingRoute(Aggregates3(first, second, third)))
    }

    /// Emits three aggregates of each window as one tuple, by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate,
        Second: InvertibleAggregate,
        Third: InvertibleAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third
    ) -> AggregatedWindows<Self, InvertingRoute<Aggregates3<First, Second, Third>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input
    {
        AggregatedWindows(self, InvertingRoute(Aggregates3(first, second, third)))
    }

    /// Emits three aggregates of each window as one tuple, by merging or by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate & MergeableAggregate,
        Second: InvertibleAggregate & MergeableAggregate,
        Third: InvertibleAggregate & MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<Aggregates3<First, Second, Third>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input
    {
        AggregatedWindows(self, MergingOrInvertingRoute(Aggregates3(first, second, third)))
    }
}
