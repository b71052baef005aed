public import WeirCore

/// How often elements come, from the first to the last one there is.
///
///     requests.sliding(.seconds(60)).aggregate(Rate(per: .seconds(1)))
///
/// The *n* - 1 intervals between *n* elements over the time that they take: 0 for a single element, infinite for several
/// at one time. Remembers three numbers; O(1) to add and merge.
@frozen
public struct Rate<Input: Sendable>: MergeableAggregate {
    @usableFromInline let unit: Double
    @usableFromInline var count = 0
    @usableFromInline var first = Int64.max
    @usableFromInline var last = Int64.min

    /// Creates the rate of no elements.
    ///
    /// - Parameter unit: The time that elements are counted for; positive.
    @inlinable
    public init(per unit: Duration = .seconds(1)) {
        precondition(unit > .zero, "Rate: unit must be positive, but is \(unit)")
        self.unit = Double(unit.wholeNanoseconds)
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        count += 1
        first = min(first, time.nanosecondsSinceEpoch)
        last = max(last, time.nanosecondsSinceEpoch)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&count)
        try state.exchange(&first)
        try state.exchange(&last)
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        count += other.count
        first = min(first, other.first)
        last = max(last, other.last)
    }

    @inlinable
    public func result() -> Double {
        // The difference of the integers, which fits without a sign: as numbers of their own both would be rounded.
        count < 2 ? 0 : Double(count - 1) * unit / Double(UInt64(bitPattern: last &- first))
    }
}
