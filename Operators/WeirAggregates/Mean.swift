public import WeirCore

/// The arithmetic mean of a number of each element.
///
///     readings.tumbling(.seconds(1)).aggregate(Mean(of: \.celsius))
///
/// The sum is compensated (``CompensatedTotal``); NaN propagates; the mean of no elements is NaN. Remembers a total and
/// a count; O(1) to add, remove and merge.
@frozen
public struct Mean<Input: Sendable, Value: BinaryFloatingPoint & Sendable>: InvertibleAggregate, MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline var total = CompensatedTotal<Value>()
    @usableFromInline var count = 0

    /// Creates the mean of no elements.
    ///
    /// - Parameter value: The number of an element; called once when it is added and once when it is removed.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Value) {
        self.value = value
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        total.add(value(element))
        count += 1
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&total)
        try state.exchange(&count)
    }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        total.remove(value(element))
        count -= 1
        if count == 0 { total = CompensatedTotal() }
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        total.merge(other.total)
        count += other.count
    }

    @inlinable
    public func result() -> Value { total.value / Value(count) }
}
