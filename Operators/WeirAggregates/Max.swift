public import WeirCore

/// The greatest value of the elements.
///
///     readings.sliding(.seconds(10)).aggregate(Max(of: \.celsius))
///
/// For floating-point numbers this is IEEE 754's *maximum*: a NaN propagates, and the zeros are ordered, -0 before +0.
/// Remembers a value; O(1) to add and merge. On sliding windows it remembers a monotone sequence, O(1) amortised.
@frozen
public struct Max<Input: Sendable, Value: Comparable & Sendable>: SelectingAggregate {
    @usableFromInline let value: @Sendable (Input) -> Value
    // What decides between equal values that are not the same: the zeros.
    @usableFromInline let tieBreaker: (@Sendable (Value, Value) -> Bool)?
    @usableFromInline var best: Value?

    /// Creates the maximum of no elements.
    ///
    /// - Parameter value: The value of an element.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Value) {
        self.value = value
        tieBreaker = nil
    }

    /// Creates the maximum of no elements.
    ///
    /// - Parameter value: The value of an element.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Value) where Value: FloatingPoint {
        self.value = value
        tieBreaker = { later, earlier in later.sign == .plus || earlier.sign != .plus }
    }

    @inlinable
    public func value(of element: borrowing Input) -> Value { value(element) }

    @inlinable
    public func supersedes(_ later: Value, _ earlier: Value) -> Bool {
        if later > earlier { return true }
        // Only a NaN differs from itself.
        if later == earlier { return tieBreaker?(later, earlier) ?? true }
        return later != later
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { take(value(element)) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&best)
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        if let value = other.best { take(value) }
    }

    /// Traps when there is no element.
    @inlinable
    public func result() -> Value {
        guard let best else { preconditionFailure("there is no maximum of no elements") }
        return best
    }

    @inlinable
    mutating func take(_ value: Value) {
        if let best, !supersedes(value, best) { return }
        best = value
    }
}
