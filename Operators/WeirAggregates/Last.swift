public import WeirCore

/// The value of the latest element in event time; of equal times, the one that arrived last.
///
///     prices.tumbling(.seconds(60)).aggregate(Last(of: \.amount))
///
/// Remembers a value and its time; O(1) to add and merge.
@frozen
public struct Last<Input: Sendable, Value: Sendable>: MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline var best: (value: Value, time: Timestamp)?

    /// Creates the aggregate of no elements.
    ///
    /// - Parameter value: The value of an element.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Value) {
        self.value = value
    }

    /// Creates the aggregate of no elements, whose result is the element itself.
    @inlinable
    public init() where Value == Input {
        value = { $0 }
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        if let best, !(time >= best.time) { return }
        best = (value(element), time)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&best)
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        guard let theirs = other.best else { return }
        if let best, !(theirs.time >= best.time) { return }
        best = theirs
    }

    /// Traps when there is no element.
    @inlinable
    public func result() -> Value {
        guard let best else { preconditionFailure("there is no latest of no elements") }
        return best.value
    }
}
