public import WeirAggregates

extension WindowedStream {
    /// Emits six aggregates of each window as one tuple.
    ///
    ///     readings.tumbling(.seconds(1)).aggregate(Mean(of: \.celsius), Count(), Max(of: \.humidity), Min(of: \.humidity), Sum(of: \.value), Last(of: \.x))
    ///         .filter { window in window.value.1 > 10 }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    ///   - sixth: The sixth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: Aggregate,
        Second: Aggregate,
        Third: Aggregate,
        Fourth: Aggregate,
        Fifth: Aggregate,
        Sixth: Aggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) -> AggregatedWindows<Self, FoldingRoute<Aggregates6<First, Second, Third, Fourth, Fifth, Sixth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input,
        Sixth.Input == Input
    {
        AggregatedWindows(self, FoldingRoute(Aggregates6(first, second, third, fourth, fifth, sixth)))
    }

    /// Emits six aggregates of each window as one tuple, by merging where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    ///   - sixth: The sixth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: MergeableAggregate,
        Second: MergeableAggregate,
        Third: MergeableAggregate,
        Fourth: MergeableAggregate,
        Fifth: MergeableAggregate,
        Sixth: MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) -> AggregatedWindows<Self, MergingRoute<Aggregates6<First, Second, Third, Fourth, Fifth, Sixth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input,
        Sixth.Input == Input
    {
        AggregatedWindows(self, MergingRoute(Aggregates6(first, second, third, fourth, fifth, sixth)))
    }

    /// Emits six aggregates of each window as one tuple, by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    ///   - sixth: The sixth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate,
        Second: InvertibleAggregate,
        Third: InvertibleAggregate,
        Fourth: InvertibleAggregate,
        Fifth: InvertibleAggregate,
        Sixth: InvertibleAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) -> AggregatedWindows<Self, InvertingRoute<Aggregates6<First, Second, Third, Fourth, Fifth, Sixth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input,
        Sixth.Input == Input
    {
        AggregatedWindows(self, InvertingRoute(Aggregates6(first, second, third, fourth, fifth, sixth)))
    }

    /// Emits six aggregates of each window as one tuple, by merging or by removing elements where that helps.
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    ///   - sixth: The sixth aggregate, of no elements.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for aggregates like these.
    @inlinable
    public func aggregate<
        First: InvertibleAggregate & MergeableAggregate,
        Second: InvertibleAggregate & MergeableAggregate,
        Third: InvertibleAggregate & MergeableAggregate,
        Fourth: InvertibleAggregate & MergeableAggregate,
        Fifth: InvertibleAggregate & MergeableAggregate,
        Sixth: InvertibleAggregate & MergeableAggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<Aggregates6<First, Second, Third, Fourth, Fifth, Sixth>>>
    where
        First.Input == Input,
        Second.Input == Input,
        Third.Input == Input,
        Fourth.Input == Input,
        Fifth.Input == Input,
        Sixth.Input == Input
    {
        AggregatedWindows(self, MergingOrInvertingRoute(Aggregates6(first, second, third, fourth, fifth, sixth)))
    }
}
