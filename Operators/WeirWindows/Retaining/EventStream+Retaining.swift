public import WeirCore

// Windows as sets that elements enter and leave, one by one. All emit an element that enters at once; an element that leaves
// follows the one that pushes it out. Watermarks and the completion pass; nothing leaves at the end.
extension EventStream {
    /// What enters and leaves a window over the last elements.
    ///
    ///     readings.retaining(last: 100)
    ///
    /// Event time plays no part.
    ///
    /// - Parameter count: How many elements are retained; positive.
    /// - Returns: The changes.
    /// - Complexity: O(1) per element, without allocation once the memory has grown.
    @inlinable
    public func retaining(last count: Int) -> RetainedElements<Self, RecentRetention<Element>> {
        precondition(count > 0, "retaining: the count must be positive, but is \(count)")
        return RetainedElements(self, RecentRetention(for: nil, limit: count))
    }

    /// What enters and leaves a window over the elements of a stretch of event time.
    ///
    ///     readings.retaining(for: .minutes(5), limit: 100_000)
    ///
    /// An element leaves when an element or a watermark has come that is `duration` later, with the time at which it was due.
    /// Elements out of order are retained by their own times; those that are older than the watermark go to
    /// ``RetainedElements/late``.
    ///
    /// - Parameters:
    ///   - duration: How long an element is retained; positive.
    ///   - limit: How many elements are retained at most; of more, the oldest leaves early, and goes to
    ///     ``RetainedElements/early`` too.
    /// - Returns: The changes.
    /// - Complexity: O(1) amortised per element that comes in order, without allocation once the memory has grown; O(*d*) for
    ///   one that comes behind *d* later ones.
    @inlinable
    public func retaining(
        for duration: Duration,
        limit: Int = 1 << 20
    ) -> RetainedElements<Self, RecentRetention<Element>> {
        precondition(limit > 0, "retaining: limit must be positive, but is \(limit)")
        let nanoseconds = Nanoseconds.positive(duration, "how long an element is retained")
        return RetainedElements(self, RecentRetention(for: nanoseconds, limit: limit))
    }

    /// What enters and leaves a window over the newest element of each key.
    ///
    ///     readings.retaining(latestBy: \.station, limit: 10_000)
    ///
    /// The element before leaves. Event time plays no part. A key that does not equal itself, like NaN, enters and leaves.
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - limit: How many keys are retained at most; of more, the one leaves early that has had no element for longest.
    /// - Returns: The changes.
    /// - Complexity: One hash look-up per element, without allocation once the memory has grown.
    @inlinable
    public func retaining<Key: Hashable & Sendable>(
        latestBy key: @escaping @Sendable (Element) -> Key,
        limit: Int = 1 << 20
    ) -> RetainedElements<Self, LatestRetention<Element, Key>> {
        precondition(limit > 0, "retaining: limit must be positive, but is \(limit)")
        return RetainedElements(self, LatestRetention(by: key, limit: limit))
    }

    /// What enters and leaves a window over the elements with the greatest values.
    ///
    ///     readings.retaining(highest: 3, by: \.celsius)
    ///
    /// One that is not among them never enters; of equal values the earlier stays. Event time plays no part.
    ///
    /// - Parameters:
    ///   - count: How many elements are retained; positive.
    ///   - value: By what to rank an element; one that does not equal itself, like NaN, never enters.
    /// - Returns: The changes.
    /// - Complexity: O(log *count*) comparisons and O(*count*) moves per element that enters, without allocation once
    ///   the memory has grown.
    @inlinable
    public func retaining<Value: Comparable & Sendable>(
        highest count: Int,
        by value: @escaping @Sendable (Element) -> Value
    ) -> RetainedElements<Self, RankedRetention<Element, Value, Never>> {
        precondition(count > 0, "retaining: the count must be positive, but is \(count)")
        return RetainedElements(self, RankedRetention(count, descends: true, by: value, key: nil))
    }

    /// What enters and leaves a window over the elements with the least values.
    ///
    /// - Parameters:
    ///   - count: How many elements are retained; positive.
    ///   - value: By what to rank an element; one that does not equal itself, like NaN, never enters.
    /// - Returns: The changes; as of `retaining(highest:by:)`.
    /// - Complexity: O(log *count*) comparisons and O(*count*) moves per element that enters, without allocation once
    ///   the memory has grown.
    @inlinable
    public func retaining<Value: Comparable & Sendable>(
        lowest count: Int,
        by value: @escaping @Sendable (Element) -> Value
    ) -> RetainedElements<Self, RankedRetention<Element, Value, Never>> {
        precondition(count > 0, "retaining: the count must be positive, but is \(count)")
        return RetainedElements(self, RankedRetention(count, descends: false, by: value, key: nil))
    }

    /// What enters and leaves a window over the keys with the greatest values, each with its newest element.
    ///
    ///     readings.retaining(highest: 10, by: \.celsius, latestBy: \.station)
    ///
    /// The element before of the same key leaves, also where the new one does not enter. A key that has left comes back with
    /// its next element, not before.
    ///
    /// - Parameters:
    ///   - count: How many elements are retained; positive.
    ///   - value: By what to rank an element; one that does not equal itself, like NaN, never enters.
    ///   - key: The key of an element.
    /// - Returns: The changes.
    /// - Complexity: O(*count*) per element, without allocation once the memory has grown.
    @inlinable
    public func retaining<Value: Comparable & Sendable, Key: Hashable & Sendable>(
        highest count: Int,
        by value: @escaping @Sendable (Element) -> Value,
        latestBy key: @escaping @Sendable (Element) -> Key
    ) -> RetainedElements<Self, RankedRetention<Element, Value, Key>> {
        precondition(count > 0, "retaining: the count must be positive, but is \(count)")
        return RetainedElements(self, RankedRetention(count, descends: true, by: value, key: key))
    }

    /// What enters and leaves a window over the keys with the least values, each with its newest element.
    ///
    /// - Parameters:
    ///   - count: How many elements are retained; positive.
    ///   - value: By what to rank an element; one that does not equal itself, like NaN, never enters.
    ///   - key: The key of an element.
    /// - Returns: The changes; as of `retaining(highest:by:latestBy:)`.
    /// - Complexity: O(*count*) per element, without allocation once the memory has grown.
    @inlinable
    public func retaining<Value: Comparable & Sendable, Key: Hashable & Sendable>(
        lowest count: Int,
        by value: @escaping @Sendable (Element) -> Value,
        latestBy key: @escaping @Sendable (Element) -> Key
    ) -> RetainedElements<Self, RankedRetention<Element, Value, Key>> {
        precondition(count > 0, "retaining: the count must be positive, but is \(count)")
        return RetainedElements(self, RankedRetention(count, descends: false, by: value, key: key))
    }

    /// What enters and leaves a window over the last elements for which a condition holds.
    ///
    ///     readings.retaining { oldest, newest, count in newest.celsius - oldest.celsius < 5 && count <= 100 }
    ///
    /// Each element enters; then the oldest leave, as long as the condition is false, the new one included.
    ///
    /// - Parameters:
    ///   - limit: How many elements are retained at most; of more, the oldest leaves early.
    ///   - condition: Takes the oldest element, the newest, and how many there are; asked with each element, and once more for
    ///     each that leaves.
    /// - Returns: The changes.
    /// - Complexity: O(1) amortised per element, without allocation once the memory has grown.
    @inlinable
    public func retaining(
        limit: Int = 1 << 20,
        while condition: @escaping @Sendable (borrowing Element, borrowing Element, Int) -> Bool
    ) -> RetainedElements<Self, ConditionalRetention<Element>> {
        precondition(limit > 0, "retaining: limit must be positive, but is \(limit)")
        return RetainedElements(self, ConditionalRetention(limit: limit, while: condition))
    }

    /// What enters and leaves a window by a rule of your own.
    ///
    /// - Parameter rule: What each attached sink starts with.
    /// - Returns: The changes.
    @inlinable
    public func retaining<Rule: Retention>(by rule: Rule) -> RetainedElements<Self, Rule>
    where Rule.Element == Element {
        RetainedElements(self, rule)
    }
}
