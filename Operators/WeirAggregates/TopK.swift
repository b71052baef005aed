public import WeirCore

/// The values that are there most often, exactly.
///
///     requests.hopping(.seconds(60), every: .seconds(10)).aggregate(TopK(10, of: \.path))
///
/// The most frequent comes first; of equally frequent ones, the one that arrived last. Values that equal nothing, like
/// NaN, are not counted. Remembers a count for each distinct value: use ``HeavyHitters`` where there are very many.
///
/// - Complexity: O(1) to add and remove, O(distinct values) to merge, O(distinct values · log) for the result.
@frozen
public struct TopK<Input: Sendable, Value: Hashable & Sendable>: InvertibleAggregate, MergeableAggregate {
    @frozen
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var count: Int
        @usableFromInline var time: Timestamp
        @usableFromInline var order: Int

        @inlinable
        init(_ count: Int, _ time: Timestamp, _ order: Int) {
            self.count = count
            self.time = time
            self.order = order
        }
    }

    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline let limit: Int
    @usableFromInline var entries: [Value: Entry] = [:]
    @usableFromInline var order = 0

    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - limit: How many values the result has at most; positive.
    ///   - value: The value of an element; called once when it is added and once when it is removed.
    @inlinable
    public init(_ limit: Int, of value: @escaping @Sendable (Input) -> Value) {
        precondition(limit > 0, "TopK: limit must be positive, but is \(limit)")
        self.limit = limit
        self.value = value
    }

    @inlinable
    public static var keepsElements: Bool { true }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        let value = value(element)
        guard value == value else { return }
        order += 1
        take(value, Entry(1, time, order))
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&entries)
        try state.exchange(&order)
    }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        let value = value(element)
        guard let count = entries[value]?.count else { return }
        if count > 1 { entries[value]?.count = count - 1 } else { entries[value] = nil }
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        for (value, entry) in other.entries { take(value, Entry(entry.count, entry.time, order + entry.order)) }
        order += other.order
    }

    @inlinable
    mutating func take(_ value: Value, _ new: Entry) {
        guard let old = entries[value] else {
            entries[value] = new
            return
        }
        let isLater = (new.time, new.order) > (old.time, old.order)
        let last = isLater ? new : old
        entries[value] = Entry(old.count + new.count, last.time, last.order)
    }

    public func result() -> [Counted<Value>] {
        entries
            .sorted {
                ($0.value.count, $0.value.time, $0.value.order) > ($1.value.count, $1.value.time, $1.value.order)
            }
            .prefix(limit)
            .map { Counted(value: $0.key, count: $0.value.count) }
    }
}
