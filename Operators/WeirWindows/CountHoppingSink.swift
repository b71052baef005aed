public import WeirAggregates
public import WeirCore

/// Emits an aggregate of the last elements at fixed intervals in number, from shared panes.
@frozen
@usableFromInline
struct CountHoppingSink<Base: MergeableAggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int
    @usableFromInline let slide: Int
    @usableFromInline let width: Int
    // The last one is being filled, or full when the next element starts another. The times are included.
    @usableFromInline var panes: ContiguousArray<Cell<Base>> = []
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Base, _ size: Int, _ slide: Int, _ downstream: consuming Downstream) {
        self.initial = initial
        self.size = size
        self.slide = slide
        var (divisor, remainder) = (size, slide)
        while remainder != 0 { (divisor, remainder) = (remainder, divisor % remainder) }
        width = divisor
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        var index = panes.count - 1
        if index < 0 || panes[index].count == width {
            panes.append(Cell(.max, .min, initial))
            index += 1
        }
        panes[index].aggregate.add(element, at: time)
        panes[index].count += 1
        panes[index].start = min(panes[index].start, time.nanosecondsSinceEpoch)
        panes[index].end = max(panes[index].end, time.nanosecondsSinceEpoch)
        if panes[index].count == width, panes.count == size / width {
            emit(at: time)
            panes.removeFirst(slide / width)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            while !panes.isEmpty {
                emit(at: nil)
                panes.removeFirst(min(panes.count, slide / width))
            }
        }
        panes = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("hopping")
        state.require(size)
        state.require(slide)
        try state.exchange(&watermark)
        try state.exchange(&panes, like: Cell(0, 0, initial)) { pane, state throws(StateError) in
            try pane.exchangeState(&state)
        }
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func emit(at time: Timestamp?) {
        var aggregate = initial
        var (start, end) = (Int64.max, Int64.min)
        for pane in panes {
            aggregate.merge(pane.aggregate)
            start = min(start, pane.start)
            end = max(end, pane.end)
        }
        let result = WindowResult(start: Timestamp(start), end: Timestamp(end), value: aggregate.result())
        downstream.receive(result, at: time ?? max(Timestamp(end), watermark))
    }
}
