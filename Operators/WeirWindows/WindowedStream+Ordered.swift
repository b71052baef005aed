public import WeirAggregates

extension WindowedStream {
    /// Emits the elements of each window that have the greatest, or the least, keys, in the order of these.
    ///
    ///     trades.tumbling(.seconds(60)).ordered(by: \.price, top: 10)
    ///
    /// Of equal keys, the element with the earlier event time comes first; of equal times, the one that arrived first. Keys
    /// that equal nothing, like NaN, come last. Emits when the kind of window does, and remembers no more elements for
    /// each window, or pane that windows share, than the result has; on sliding windows, for each element of the window.
    ///
    /// - Parameters:
    ///   - key: The key of an element; called once for each.
    ///   - order: Which keys come first.
    ///   - count: How many elements the result has at most; positive.
    /// - Returns: The results, one for each window.
    /// - Complexity: For a result of *n* elements, O(log *n*) per element that does not get in, and O(*n*) per element
    ///   that does.
    @inlinable
    public func ordered<Key: Comparable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key,
        _ order: RankOrder = .descending,
        top count: Int
    ) -> AggregatedWindows<Self, MergingRoute<Ranked<Input, Key>>> {
        aggregate(Ranked(by: key, order, top: count))
    }
}
