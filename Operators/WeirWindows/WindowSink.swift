public import WeirAggregates
public import WeirCore

/// Keeps an aggregate for each window that is open.
@frozen
@usableFromInline
struct WindowSink<Base: Aggregate, Assignment: WindowAssignment, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline var assignment: Assignment
    @usableFromInline let sides: WindowSides<Input>
    @usableFromInline var windows: OpenWindows<Base, Downstream>
    // The window of the last element, for the next one; empty when there is more to do than to add.
    @usableFromInline var recentStart = Int64.max
    @usableFromInline var recentEnd = Int64.min
    // Its aggregate is here as long as it has an index.
    @usableFromInline var recentIndex: Int?
    @usableFromInline var recent: Base

    @inlinable
    init(
        _ initial: Base,
        _ assignment: Assignment,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.initial = initial
        recent = initial
        self.assignment = assignment
        self.sides = sides
        windows = OpenWindows(settings, downstream)
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        if nanoseconds >= recentStart, nanoseconds < recentEnd {
            recent.add(element, at: time)
        } else {
            place(element, time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard windows.move(to: watermark) else { return }
        if recentStart < windows.oldest { recentStart = windows.oldest }
        if windows.isDue {
            forgetRecent()
            windows.emitDue()
        }
        windows.downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        forgetRecent()
        windows.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("window")
        try sides.exchangeState(&state)
        try assignment.exchangeState(&state)
        try state.exchange(&recentStart)
        try state.exchange(&recentEnd)
        try state.exchange(&recentIndex)
        try recent.exchangeState(&state)
        try windows.exchangeState(&state, like: initial)
        try windows.downstream.exchangeState(&state)
    }

    /// Adds an element to all its windows.
    @inlinable
    @inline(never)
    mutating func place(_ element: borrowing Input, _ time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        guard nanoseconds >= windows.oldest else { return sides.late.send(copy element, at: time) }
        forgetRecent()
        guard let indices = assignment.windows(of: time, in: &windows, initial) else {
            return sides.refused.send(copy element, at: time)
        }
        for index in indices {
            windows.cells[index].aggregate.add(element, at: time)
            windows.cells[index].isChanged = true
            if Base.keepsElements {
                windows.cells[index].count += 1
                windows.held += 1
            }
            windows.emitChange(of: index, nanoseconds)
        }
        if windows.watermark == .min { windows.noteStall(nanoseconds, sides.stalls) }
        guard assignment.isDisjoint, windows.settings.emitsOnlyOnClose, !Base.keepsElements else { return }
        if !windows.cells[indices.lowerBound].isClosed { remember(indices.lowerBound) }
    }

    /// Takes a window's aggregate out of the array, whose checks would cost more than adding an element.
    @inlinable
    mutating func remember(_ index: Int) {
        recentIndex = index
        swap(&recent, &windows.cells[index].aggregate)
        recentStart = max(windows.cells[index].start, windows.oldest)
        recentEnd = windows.cells[index].end
    }

    @inlinable
    mutating func forgetRecent() {
        guard let index = recentIndex else { return }
        swap(&recent, &windows.cells[index].aggregate)
        recentIndex = nil
        (recentStart, recentEnd) = (.max, .min)
    }
}
