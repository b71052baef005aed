public import WeirAggregates
public import WeirCore

/// The elements of a window of a fixed number that have come so far, as their aggregate.
@frozen
@usableFromInline
struct CountRun<Base: Aggregate> {
    @usableFromInline let initial: Base
    @usableFromInline let size: Int
    @usableFromInline var aggregate: Base
    @usableFromInline var count = 0
    @usableFromInline var start = Timestamp.distantFuture
    @usableFromInline var end = Timestamp.distantPast

    @inlinable
    init(_ initial: Base, _ size: Int) {
        self.initial = initial
        self.size = size
        aggregate = initial
    }

    /// Adds an element, and returns whether the window is full.
    @inlinable
    mutating func add(_ element: borrowing Base.Input, at time: Timestamp) -> Bool {
        aggregate.add(element, at: time)
        if time < start { start = time }
        if time > end { end = time }
        count += 1
        return count == size
    }

    @inlinable
    mutating func result(_ phase: WindowPhase) -> WindowResult<Base.Output> {
        WindowResult(start: start, end: end, value: aggregate.result(), phase: phase)
    }

    @inlinable
    mutating func startOver() {
        aggregate = initial
        count = 0
        (start, end) = (.distantFuture, .distantPast)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(size)
        try state.exchange(&count)
        try state.exchange(&start)
        try state.exchange(&end)
        try aggregate.exchangeState(&state)
    }
}
