public import WeirCore

/// How many different values there are, exactly.
///
///     requests.sliding(.seconds(60)).aggregate(DistinctCount(of: \.user))
///
/// Remembers a count for each distinct value: use ``ApproximateDistinctCount`` where these are too many.
///
/// - Complexity: O(1) to add and remove, O(distinct values) to merge.
@frozen
public struct DistinctCount<Input: Sendable, Value: Hashable & Sendable>: InvertibleAggregate, MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline var counts: [Value: Int] = [:]

    /// Creates the count of no elements.
    ///
    /// - Parameter value: The value of an element; called once when it is added and once when it is removed.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Value) {
        self.value = value
    }

    @inlinable
    public static var keepsElements: Bool { true }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { counts[value(element), default: 0] += 1 }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        let value = value(element)
        guard let count = counts[value] else { return }
        counts[value] = count > 1 ? count - 1 : nil
    }

    @inlinable
    public mutating func merge(_ other: Self) { counts.merge(other.counts, uniquingKeysWith: +) }

    @inlinable
    public func result() -> Int { counts.count }
}
