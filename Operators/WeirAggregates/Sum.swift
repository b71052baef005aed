public import WeirCore

/// The sum of a number of each element.
///
///     payments.tumbling(.seconds(60)).aggregate(Sum(of: \.cents))
///
/// The result of integers traps when it is out of their range; intermediate totals may exceed it (``CheckedTotal``);
/// sums of floating-point numbers are compensated (``CompensatedTotal``), NaN and infinities propagate. Remembers a
/// total; O(1) to add, remove and merge.
@frozen
public struct Sum<Input: Sendable, Value: Summable>: InvertibleAggregate, MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline var total = Value.Total()

    /// Creates the sum of no elements.
    ///
    /// - Parameter value: The number of an element; called once when it is added and once when it is removed.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Value) {
        self.value = value
    }

    @inlinable
    @inline(__always)
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { total.add(value(element)) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&total)
    }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) { total.remove(value(element)) }

    @inlinable
    public mutating func merge(_ other: Self) { total.merge(other.total) }

    @inlinable
    public func result() -> Value { total.value }
}
