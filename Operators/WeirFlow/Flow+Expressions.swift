public import WeirCore
public import WeirExpressions

// Keys and conditions as typed expressions, such as `grouped(by: \.id % 16, ...)`; a key path alone is a function, and
// needs no form of its own. Each operator is documented at its form with functions.

extension EventStream {
    /// Runs a separate pipeline for each value of a typed expression, and merges what they emit.
    ///
    ///     readings.grouped(by: \.id % 16, limit: 16) { $0.followedBy(previous(\.x) < \.x) }
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - idle: How long a group may be without elements, in event time; positive. `nil` keeps groups for ever.
    ///   - eviction: What happens to the state of a group that is evicted.
    ///   - limit: How many groups there can be; positive.
    ///   - pipeline: Called once, when a sink is attached: builds the pipeline that every group gets a copy of.
    /// - Returns: What the pipelines emit.
    /// - Complexity: One hash look-up and the pipeline's own cost per element; O(groups) per watermark.
    @inlinable
    public func grouped<Key: ElementExpression, Pipeline: GroupableStream>(
        by key: Key,
        evictingAfter idle: Duration? = nil,
        _ eviction: GroupEviction = .finish,
        limit: Int = 1 << 20,
        _ pipeline: @escaping @Sendable (Group<Element>) -> Pipeline
    ) -> Grouped<Self, Key.Value, Pipeline> where Key.Root == Element, Key.Value: Hashable & Sendable {
        grouped(by: key.function, evictingAfter: idle, eviction, limit: limit, pipeline)
    }

    /// Drops elements whose key was emitted shortly before.
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - duration: How long a key is remembered, in event time; positive.
    ///   - limit: How many keys to remember; positive.
    /// - Returns: The elements without repetitions.
    /// - Complexity: As with a function.
    @inlinable
    public func distinct<Key: ElementExpression>(
        by key: Key,
        within duration: Duration,
        limit: Int = 1 << 20
    ) -> Distinct<Self, Key.Value> where Key.Root == Element, Key.Value: Hashable & Sendable {
        distinct(by: key.function, within: duration, limit: limit)
    }

    /// Drops elements whose key is among the last keys that were emitted.
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - count: How many keys to remember; positive.
    /// - Returns: The elements without repetitions.
    /// - Complexity: As with a function.
    @inlinable
    public func distinct<Key: ElementExpression>(
        by key: Key,
        last count: Int
    ) -> Distinct<Self, Key.Value> where Key.Root == Element, Key.Value: Hashable & Sendable {
        distinct(by: key.function, last: count)
    }

    /// Pairs each element with the elements of another stream that have the same key and are close in event time.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - distance: How far apart two times may be, both ends included; not negative.
    ///   - limit: How many elements of each stream to remember; positive.
    ///   - key: The key of an element of this stream.
    ///   - otherKey: The key of an element of the other stream.
    /// - Returns: The pairs, the element of this stream first.
    /// - Complexity: As with functions.
    @inlinable
    public func join<Other: EventStream, Key: ElementExpression, OtherKey: ElementExpression>(
        _ other: Other,
        within distance: Duration,
        limit: Int = 1 << 20,
        by key: Key,
        and otherKey: OtherKey
    ) -> IntervalJoin<Self, Other, Key.Value>
    where
        Key.Root == Element, OtherKey.Root == Other.Element, Key.Value == OtherKey.Value, Key.Value: Hashable & Sendable
    {
        join(other, within: distance, limit: limit, by: key.function, and: otherKey.function)
    }

    /// Splits a stream in two by a typed expression.
    ///
    /// - Parameter condition: Computed once for each element in each part.
    /// - Returns: The elements that satisfy it, and the others.
    @inlinable
    public func partition<Condition: ElementExpression>(
        _ condition: Condition
    ) -> (matching: Part<Self>, others: Part<Self>) where Condition.Root == Element, Condition.Value == Bool {
        partition(condition.function)
    }
}
