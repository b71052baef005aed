public import WeirAggregates
public import WeirCore

/// The windows that have elements, with their aggregates, and their emission as event time advances.
///
/// Which windows an element is in is up to the sink that keeps them. Windows lie in the order of their starts, and so of
/// their ends; those that are closed come first, and stay until no element can be late for them any more.
@frozen
@usableFromInline
struct OpenWindows<Base: Aggregate, Downstream: Sink>: Sendable where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline let settings: WindowSettings
    @usableFromInline var downstream: Downstream
    @usableFromInline var cells: ContiguousArray<Cell<Base>> = []
    @usableFromInline var watermark = Int64.min
    // Older elements are late.
    @usableFromInline var oldest = Int64.min
    // When the watermark may have something to do.
    @usableFromInline var nextDue = Int64.max
    @usableFromInline var nextResult = Int64.min
    // How many elements all windows keep together.
    @usableFromInline var held = 0

    @inlinable
    init(_ settings: WindowSettings, _ downstream: consuming Downstream) {
        self.settings = settings
        self.downstream = downstream
    }

    /// Moves the watermark; returns whether it is one that goes forward.
    @inlinable
    mutating func move(to watermark: Timestamp) -> Bool {
        let nanoseconds = watermark.nanosecondsSinceEpoch
        guard nanoseconds > self.watermark else { return false }
        self.watermark = nanoseconds
        oldest = Nanoseconds.difference(nanoseconds, settings.lateness)
        return true
    }

    /// Whether the watermark has come to where something has to be done.
    @inlinable
    var isDue: Bool { watermark >= nextDue }

    /// Returns whether the limit allows a number of further windows, and one further element in a number of windows.
    @inlinable
    func hasRoom(forWindows windowCount: Int, elements: Int) -> Bool {
        cells.count + windowCount <= settings.limit.windows
            && (!Base.keepsElements || held + elements <= settings.limit.elements)
    }

    /// Adds a window that is missing.
    @inlinable
    mutating func insert(_ start: Int64, _ end: Int64, _ aggregate: Base, at index: Int) {
        var cell = Cell(start, end, aggregate)
        cell.isClosed = end <= watermark
        cells.insert(cell, at: index)
        if !cell.isClosed { nextDue = min(nextDue, end) }
    }

    /// Tells that no watermark has come, when an element is more than a window's length behind the end of a window.
    @inlinable
    @inline(never)
    func noteStall(_ nanoseconds: Int64, _ stalls: SideOutput<WatermarkStall>) {
        guard let first = cells.first else { return }
        guard Nanoseconds.difference(nanoseconds, first.end) > Nanoseconds.difference(first.end, first.start) else {
            return
        }
        let now = Timestamp(nanoseconds)
        stalls.sendFirst(WatermarkStall(since: Timestamp(first.end), until: now), at: now)
    }

    /// Schedules early results, if there are any.
    @inlinable
    mutating func scheduleResults() {
        guard settings.period > 0 else { return }
        if nextResult <= watermark { nextResult = nextResultTime }
        nextDue = min(nextDue, nextResult)
    }

    @inlinable
    var nextResultTime: Int64 {
        Nanoseconds.sum(Nanoseconds.floor(watermark, to: settings.period), settings.period)
    }

    /// Emits the early result of a window that an element has changed, if it is due at once.
    @inlinable
    mutating func emitChange(of index: Int, _ nanoseconds: Int64) {
        if cells[index].isClosed {
            emit(index, .late)
        } else if settings.emitsOnEveryElement {
            emit(index, .early, at: max(nanoseconds, watermark))
        }
    }

    /// Closes the windows that the watermark has reached, emits early results, and removes expired windows.
    @inlinable
    @inline(never)
    mutating func emitDue() {
        var index = 0
        while index < cells.count, cells[index].end <= watermark {
            if !cells[index].isClosed {
                cells[index].isClosed = true
                emit(index, .closing)
            }
            index += 1
        }
        if settings.period > 0, watermark >= nextResult {
            for open in index..<cells.count where cells[open].isChanged { emit(open, .early, at: watermark) }
            nextResult = nextResultTime
        }
        let first = cells.firstIndex { $0.end > oldest } ?? cells.count
        if Base.keepsElements { held -= cells[..<first].reduce(0) { $0 + $1.count } }
        cells.removeFirst(first)
        nextDue = index - first < cells.count ? cells[index - first].end : .max
        if let cell = cells.first { nextDue = min(nextDue, Nanoseconds.sum(cell.end, settings.lateness)) }
        if settings.period > 0, !cells.isEmpty { nextDue = min(nextDue, nextResult) }
    }

    /// Emits the open windows, unless the stream failed, and removes all.
    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            for index in cells.indices where !cells[index].isClosed { emit(index, .closing) }
        }
        cells = []
        downstream.finish(completion)
    }

    @inlinable
    mutating func emit(_ index: Int, _ phase: WindowPhase, at nanoseconds: Int64? = nil) {
        cells[index].isChanged = false
        let (start, end) = (cells[index].start, cells[index].end)
        let result = WindowResult(
            start: Timestamp(start),
            end: Timestamp(end),
            value: cells[index].aggregate.result(),
            phase: phase
        )
        let time = nanoseconds ?? (phase == .late ? max(end - 1, watermark) : end - 1)
        downstream.receive(result, at: Timestamp(time))
    }

    /// Saves the windows and what is known of the watermark, or gives them back.
    @usableFromInline
    mutating func exchangeState(
        _ state: inout StateExchange,
        like initial: Base
    ) throws(StateError) {
        try state.exchange(&watermark)
        try state.exchange(&oldest)
        try state.exchange(&nextDue)
        try state.exchange(&nextResult)
        try state.exchange(&held)
        try state.exchange(&cells, like: Cell(0, 0, initial)) { cell, state throws(StateError) in
            try cell.exchangeState(&state)
        }
    }
}
