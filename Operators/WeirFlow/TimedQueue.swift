public import WeirCore

/// A queue of elements and their times that knows the earliest of the times.
@frozen
@usableFromInline
struct TimedQueue<Element: Sendable>: Sendable {
    @usableFromInline var elements = Deque<(element: Element, time: Timestamp)>()
    // The times that are earlier than all behind them, so ascending: the first is the earliest of all.
    @usableFromInline var minima = Deque<Timestamp>()

    @inlinable
    init() {}

    @inlinable
    var count: Int { elements.count }

    @inlinable
    var isEmpty: Bool { elements.isEmpty }

    /// The earliest of the times; O(1).
    @inlinable
    var earliest: Timestamp? { minima.first }

    /// Adds an element; O(1) amortised.
    @inlinable
    mutating func append(_ element: Element, at time: Timestamp) {
        elements.append((element, time))
        note(time)
    }

    /// Takes the first element; O(1) amortised.
    @inlinable
    mutating func popFirst() -> (element: Element, time: Timestamp)? {
        guard let first = elements.popFirst() else { return nil }
        if minima.first == first.time { minima.removeFirst() }
        return first
    }

    @inlinable
    mutating func removeAll() {
        elements.removeAll()
        minima.removeAll()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&elements)
        guard state.isRestoring else { return }
        minima.removeAll()
        for index in 0..<elements.count { note(elements[index].time) }
    }

    @inlinable
    mutating func note(_ time: Timestamp) {
        while let last = minima.last, last > time { minima.removeLast() }
        minima.append(time)
    }
}
