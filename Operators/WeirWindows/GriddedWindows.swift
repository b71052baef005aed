public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Cuts event time into the windows of a grid.
    ///
    ///     readings.windows(on: shifts).mean(of: \.celsius)
    ///
    /// A window is `[start, end)`, as the grid says: an element exactly at the end belongs to the next one. When results
    /// are emitted, late elements, early results and limits are those of `tumbling(_:allowedLateness:emit:limit:)`. The
    /// completion closes all windows, a failure discards them.
    ///
    /// Remembers one aggregate for each open window, and for each closed one that late elements may still change. Asks
    /// the grid only for windows that it does not remember.
    ///
    /// - Parameters:
    ///   - grid: Where windows start and end.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How much the windows may hold.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element that is in order, O(log *n*) for *n* windows per other element, without allocation
    ///   unless the aggregate allocates; one call of the grid per window.
    @inlinable
    public func windows<Grid: WindowGrid>(
        on grid: Grid,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> GriddedWindows<Self, Grid> {
        GriddedWindows(self, grid, WindowSettings(allowedLateness, emission, limit))
    }
}

/// Windows that follow each other as a grid says; made by `windows(on:)`.
@frozen
public struct GriddedWindows<Upstream: EventStream, Grid: WindowGrid>: WindowedStream {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let grid: Grid
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(_ upstream: Upstream, _ grid: Grid, _ settings: WindowSettings) {
        self.upstream = upstream
        self.grid = grid
        self.settings = settings
    }

    @inlinable
    public var late: SideOutput<Input> { sides.late }

    @inlinable
    public var refused: SideOutput<Input> { sides.refused }

    @inlinable
    public func attach<A: Aggregate, S: Sink>(folding aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        upstream.attach(GriddedSink(aggregate, grid, settings, sides, sink))
    }
}

/// Keeps an aggregate for each window of a grid that is open.
@frozen
public struct GriddedSink<Base: Aggregate, Grid: WindowGrid, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    public typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let grid: Grid
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides: WindowSides<Input>
    @usableFromInline var downstream: Downstream

    // By start, and so by end; those that are closed come first.
    @usableFromInline var cells: ContiguousArray<Cell<Base>> = []
    @usableFromInline var watermark = Int64.min
    // What is older is late.
    @usableFromInline var oldest = Int64.min
    // When the watermark has something to do.
    @usableFromInline var nextDue = Int64.max
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var held = 0
    // The window of the last element, for the next one; empty when there is more to do than to add.
    @usableFromInline var recentStart = Int64.max
    @usableFromInline var recentEnd = Int64.min
    @usableFromInline var recentIndex = 0

    @inlinable
    init(
        _ initial: Base,
        _ grid: Grid,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.initial = initial
        self.grid = grid
        self.settings = settings
        self.sides = sides
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        if nanoseconds >= recentStart, nanoseconds < recentEnd {
            cells[recentIndex].aggregate.add(element, at: time)
        } else {
            place(element, time)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        let nanoseconds = watermark.nanosecondsSinceEpoch
        guard nanoseconds > self.watermark else { return }
        self.watermark = nanoseconds
        oldest = Nanoseconds.difference(nanoseconds, settings.lateness)
        if recentStart < oldest { recentStart = oldest }
        if nanoseconds >= nextDue { emitDue() }
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            for index in cells.indices where !cells[index].isClosed { emit(index, .closing) }
        }
        cells = []
        forgetRecent()
        downstream.finish(completion)
    }

    /// Adds an element to its window.
    @inlinable
    @inline(never)
    mutating func place(_ element: borrowing Input, _ time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        guard nanoseconds >= oldest else { return sides.late.send(copy element, at: time) }
        forgetRecent()
        guard let index = window(of: time) else { return sides.refused.send(copy element, at: time) }
        cells[index].aggregate.add(element, at: time)
        cells[index].isChanged = true
        if Base.keepsElements {
            cells[index].count += 1
            held += 1
        }
        if cells[index].isClosed {
            emit(index, .late)
        } else if settings.emitsOnEveryElement {
            emit(index, .early, at: max(nanoseconds, watermark))
        } else if settings.emitsOnlyOnClose, !Base.keepsElements {
            recentIndex = index
            recentStart = max(cells[index].start, oldest)
            recentEnd = cells[index].end
        }
    }

    @inlinable
    mutating func forgetRecent() {
        (recentStart, recentEnd) = (.max, .min)
    }

    /// The index of the window that a time is in, made if it is missing; `nil` when the limit does not allow it.
    @inlinable
    mutating func window(of time: Timestamp) -> Int? {
        let nanoseconds = time.nanosecondsSinceEpoch
        if Base.keepsElements, held >= settings.limit.elements { return nil }
        var index = cells.index(ofStart: nanoseconds)
        if index < cells.count, cells[index].start == nanoseconds { return index }
        if index > 0, nanoseconds < cells[index - 1].end || cells[index - 1].end == .max { return index - 1 }
        guard cells.count < settings.limit.windows else { return nil }
        let range = grid.window(containing: time)
        precondition(
            range.contains(time) || range.upperBound == .distantFuture && time == .distantFuture,
            "a grid must give a window that contains \(time), not \(range)"
        )
        var cell = Cell(range.lowerBound.nanosecondsSinceEpoch, range.upperBound.nanosecondsSinceEpoch, initial)
        index = cells.index(ofStart: cell.start)
        cell.isClosed = cell.end <= watermark
        cells.insert(cell, at: index)
        if !cell.isClosed { nextDue = min(nextDue, cell.end) }
        if settings.period > 0 {
            if nextResult <= watermark { nextResult = resultTime(after: watermark) }
            nextDue = min(nextDue, nextResult)
        }
        return index
    }

    @inlinable
    func resultTime(after watermark: Int64) -> Int64 {
        Nanoseconds.sum(Nanoseconds.floor(watermark, to: settings.period), settings.period)
    }

    /// Closes the windows that the watermark has reached, emits early results, and forgets what nobody needs.
    @inlinable
    @inline(never)
    mutating func emitDue() {
        forgetRecent()
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
            nextResult = resultTime(after: watermark)
        }
        let first = cells.firstIndex { $0.end > oldest } ?? cells.count
        if Base.keepsElements { held -= cells[..<first].reduce(0) { $0 + $1.count } }
        cells.removeFirst(first)
        nextDue = index - first < cells.count ? cells[index - first].end : .max
        if let cell = cells.first { nextDue = min(nextDue, Nanoseconds.sum(cell.end, settings.lateness)) }
        if settings.period > 0, !cells.isEmpty { nextDue = min(nextDue, nextResult) }
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
}
