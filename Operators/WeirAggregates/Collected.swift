public import WeirCore

/// The elements themselves, by event time; of equal times, in the order of arrival.
///
///     readings.tumbling(.seconds(1)).aggregate(Collected())
///
/// Remembers all elements. O(1) to add, O(elements) to merge; the result sorts only elements that arrived out of order.
@frozen
public struct Collected<Input: Sendable>: MergeableAggregate {
    @usableFromInline var elements: [Input] = []
    @usableFromInline var times: [Timestamp] = []
    @usableFromInline var isSorted = true

    /// Creates the aggregate of no elements.
    @inlinable
    public init() {}

    @inlinable
    public static var keepsElements: Bool { true }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        if let last = times.last, time < last { isSorted = false }
        elements.append(copy element)
        times.append(time)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&elements)
        try state.exchange(&times)
        try state.exchange(&isSorted)
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        if let last = times.last, let first = other.times.first, first < last { isSorted = false }
        if !other.isSorted { isSorted = false }
        elements.append(contentsOf: other.elements)
        times.append(contentsOf: other.times)
    }

    public mutating func result() -> [Input] {
        sort()
        return elements
    }

    private mutating func sort() {
        guard !isSorted else { return }
        let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        elements = order.map { elements[$0] }
        times = order.map { times[$0] }
        isSorted = true
    }

    /// Calls `body` with each element and its time, oldest first.
    mutating func forEach(_ body: (Input, Timestamp) -> Void) {
        sort()
        for (element, time) in zip(elements, times) { body(element, time) }
    }
}

/// Makes any aggregate mergeable, by keeping the elements and folding them at the end, oldest first.
///
/// For windows that join, such as sessions. Remembers all elements; O(elements) to merge and for the result.
@frozen
public struct Buffered<Base: Aggregate>: MergeableAggregate {
    @usableFromInline let base: Base
    @usableFromInline var collected = Collected<Base.Input>()

    /// Creates the aggregate of no elements.
    ///
    /// - Parameter base: An aggregate of no elements.
    @inlinable
    public init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public static var keepsElements: Bool { true }

    @inlinable
    public mutating func add(_ element: borrowing Base.Input, at time: Timestamp) { collected.add(element, at: time) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try collected.exchangeState(&state)
    }

    @inlinable
    public mutating func merge(_ other: Self) { collected.merge(other.collected) }

    public mutating func result() -> Base.Output {
        var base = base
        collected.forEach { base.add($0, at: $1) }
        return base.result()
    }
}
