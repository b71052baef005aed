public import WeirCore

/// Events that wait for the watermark, as a binary heap by time; equal times in an order of their own, and then in that of
/// arrival.
///
/// A heap, and no `TimeOrderedQueue`: streams of patterns may be out of order by any number of events.
@frozen
@usableFromInline
struct WaitingEvents<Element: Sendable>: Sendable {
    @frozen
    @usableFromInline
    struct Waiting: Sendable {
        @usableFromInline let element: Element
        @usableFromInline let time: Timestamp
        @usableFromInline let arrival: UInt64

        @inlinable
        init(_ element: Element, _ time: Timestamp, _ arrival: UInt64) {
            self.element = element
            self.time = time
            self.arrival = arrival
        }
    }

    @usableFromInline var heap: [Waiting] = []
    @usableFromInline var arrivals: UInt64 = 0
    // The order of events of the same time.
    @usableFromInline var tieOrder: (@Sendable (Element, Element) -> Bool)?

    @inlinable
    init() {}

    @inlinable
    func isBefore(_ left: Waiting, _ right: Waiting) -> Bool {
        guard left.time == right.time else { return left.time < right.time }
        if let tieOrder {
            if tieOrder(left.element, right.element) { return true }
            if tieOrder(right.element, left.element) { return false }
        }
        return left.arrival < right.arrival
    }

    @inlinable
    mutating func push(_ element: Element, _ time: Timestamp) {
        let waiting = Waiting(element, time, arrivals)
        arrivals &+= 1
        var place = heap.count
        heap.append(waiting)
        while place > 0 {
            let parent = (place - 1) / 2
            guard isBefore(waiting, heap[parent]) else { break }
            heap[place] = heap[parent]
            place = parent
        }
        heap[place] = waiting
    }

    /// The earliest event, if it is older than a time.
    @inlinable
    mutating func pop(before time: Timestamp) -> Waiting? {
        guard let first = heap.first, first.time < time else { return nil }
        return pop()
    }

    /// Puts an event in its place, and returns the one that there is no room for then.
    @usableFromInline
    mutating func push(_ element: Element, _ time: Timestamp, policy: LimitPolicy) -> Waiting? {
        guard policy == .dropOldest else { return Waiting(element, time, arrivals) }
        push(element, time)
        return pop()
    }

    /// The earliest event.
    @inlinable
    mutating func pop() -> Waiting? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        var place = 0
        while place < heap.count / 2 {
            var child = 2 * place + 1
            if child + 1 < heap.count, isBefore(heap[child + 1], heap[child]) { child += 1 }
            guard isBefore(heap[child], last) else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = last
        return first
    }
}
