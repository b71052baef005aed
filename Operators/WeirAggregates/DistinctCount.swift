public import WeirCore

/// How many different values there are, exactly.
///
///     requests.sliding(.seconds(60)).aggregate(DistinctCount(of: \.user))
///
/// A value that equals nothing, like NaN, differs from every other, also of its kind. Remembers a count for each
/// distinct value: use ``ApproximateDistinctCount`` where there are very many.
///
/// - Complexity: O(1) to add and remove, O(distinct values) to merge.
@frozen
public struct DistinctCount<Input: Sendable, Value: Hashable & Sendable>: InvertibleAggregate, MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline var counts: [Value: Int] = [:]
    // How many equal nothing: as keys they would not be found again.
    @usableFromInline var unequal = 0

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
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        let value = value(element)
        if value == value { counts[value, default: 0] += 1 } else { unequal += 1 }
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&counts)
        try state.exchange(&unequal)
    }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        let value = value(element)
        guard value == value else {
            unequal -= 1
            return
        }
        guard let count = counts[value] else { return }
        counts[value] = count > 1 ? count - 1 : nil
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        counts.merge(other.counts, uniquingKeysWith: +)
        unequal += other.unequal
    }

    @inlinable
    public func result() -> Int { counts.count + unequal }
}
