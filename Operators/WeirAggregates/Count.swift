public import WeirCore

/// How many elements there are.
///
///     readings.tumbling(.seconds(1)).aggregate(Count())
///
/// Remembers a number; O(1) to add, remove and merge.
@frozen
public struct Count<Input: Sendable>: InvertibleAggregate, MergeableAggregate {
    @usableFromInline var count = 0

    /// Creates the count of no elements.
    @inlinable
    public init() {}

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { count += 1 }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&count)
    }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) { count -= 1 }

    @inlinable
    public mutating func merge(_ other: Self) { count += other.count }

    @inlinable
    public func result() -> Int { count }
}
