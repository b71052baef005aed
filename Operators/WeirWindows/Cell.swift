public import WeirAggregates
public import WeirCore

/// The aggregate of a window, or of a pane that windows share.
@frozen
@usableFromInline
struct Cell<Base: Aggregate>: Sendable {
    // Nanoseconds; the end is excluded.
    @usableFromInline var start: Int64
    @usableFromInline var end: Int64
    @usableFromInline var aggregate: Base
    @usableFromInline var count = 0
    // Whether it has changed since it was last emitted early.
    @usableFromInline var isChanged = false
    @usableFromInline var isClosed = false

    @inlinable
    init(_ start: Int64, _ end: Int64, _ aggregate: Base) {
        self.start = start
        self.end = end
        self.aggregate = aggregate
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&start)
        try state.exchange(&end)
        try state.exchange(&count)
        try state.exchange(&isChanged)
        try state.exchange(&isClosed)
        try aggregate.exchangeState(&state)
    }
}

extension ContiguousArray {
    /// The index of the first cell that does not start before `start`; cells near the end are found first.
    @inlinable
    func index<Base>(ofStart start: Int64) -> Int where Element == Cell<Base> {
        var index = count
        var steps = 0
        while index > 0, self[index - 1].start >= start {
            index -= 1
            steps += 1
            if steps == 16 { return searchIndex(ofStart: start, below: index) }
        }
        return index
    }

    @inlinable
    func searchIndex<Base>(ofStart start: Int64, below limit: Int) -> Int where Element == Cell<Base> {
        var (low, high) = (0, limit)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].start < start { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
