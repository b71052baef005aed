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
        _ grid: Grid,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.initial = initial
        recent = initial
        self.grid = grid
        self.settings = settings
        self.sides = sides
        windows = OpenWindows(settings, downstream)
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        if nanoseconds >= recentStart, nanoseconds < recentEnd {
            recent.add(element, at: time)
        } else {
            place(element, time)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        guard windows.move(to: watermark) else { return }
        if recentStart < windows.oldest { recentStart = windows.oldest }
        if windows.isDue {
            forgetRecent()
            windows.emitDue()
        }
        windows.downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        forgetRecent()
        windows.finish(completion)
    }

    /// Adds an element to its window.
    @inlinable
    @inline(never)
    mutating func place(_ element: borrowing Input, _ time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        guard nanoseconds >= windows.oldest else { return sides.late.send(copy element, at: time) }
        forgetRecent()
        guard let index = window(of: time) else { return sides.refused.send(copy element, at: time) }
        windows.cells[index].aggregate.add(element, at: time)
        windows.cells[index].isChanged = true
        if Base.keepsElements {
            windows.cells[index].count += 1
            windows.held += 1
        }
        windows.emitChange(of: index, nanoseconds)
        if settings.emitsOnlyOnClose, !Base.keepsElements, !windows.cells[index].isClosed {
            remember(index)
        }
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

    /// The index of the window that a time is in, made if it is missing; `nil` when the limit does not allow it.
    @inlinable
    mutating func window(of time: Timestamp) -> Int? {
        let nanoseconds = time.nanosecondsSinceEpoch
        if Base.keepsElements, windows.held >= settings.limit.elements { return nil }
        var index = windows.cells.index(ofStart: nanoseconds)
        if index < windows.cells.count, windows.cells[index].start == nanoseconds { return index }
        if index > 0, nanoseconds < windows.cells[index - 1].end || windows.cells[index - 1].end == .max {
            return index - 1
        }
        guard windows.cells.count < settings.limit.windows else { return nil }
        let range = grid.window(containing: time)
        precondition(
            range.contains(time) || range.upperBound == .distantFuture && time == .distantFuture,
            "a grid must give a window that contains \(time), not \(range)"
        )
        let (start, end) = (range.lowerBound.nanosecondsSinceEpoch, range.upperBound.nanosecondsSinceEpoch)
        index = windows.cells.index(ofStart: start)
        windows.insert(start, end, initial, at: index)
        windows.scheduleResults()
        return index
    }
}
