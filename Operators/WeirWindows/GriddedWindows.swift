public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Cuts event time into the windows of a grid.
    ///
    ///     readings.windows(on: shifts).mean(of: \.celsius)
    ///
    /// A window is `[start, end)` of the grid: an element exactly at the end belongs to the next one. Emission, late
    /// elements, early results and limits are those of `tumbling(_:startingAt:allowedLateness:emit:limit:)`. The
    /// completion closes all windows, a failure or an interruption discards them.
    ///
    /// Remembers one aggregate for each open window, and for each closed one that late elements may still change.
    /// Queries the grid only for windows that it does not remember.
    ///
    /// - Parameters:
    ///   - grid: Where windows start and end.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How much the windows may hold.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element that is in order, O(log *n*) for *n* windows per other element, without
    /// allocation unless the aggregate allocates; one call of the grid per window.
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

/// Consecutive windows of a grid; made by `windows(on:)`.
@frozen
public struct GriddedWindows<Upstream: EventStream, Grid: WindowGrid>: WindowedStream, WatermarkWaiting {
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
    public var stalls: SideOutput<WatermarkStall> { sides.stalls }

    @inlinable
    public func attach<A: Aggregate, S: Sink>(folding aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        upstream.attach(WindowSink(aggregate, GridAssignment(grid), settings, sides, sink))
    }
}

extension GriddedWindows: GroupableStream where Upstream: GroupableStream {}

/// The windows of a grid.
@frozen
@usableFromInline
struct GridAssignment<Grid: WindowGrid>: WindowAssignment {
    @usableFromInline let grid: Grid

    @inlinable
    init(_ grid: Grid) {
        self.grid = grid
    }

    @inlinable var isDisjoint: Bool { true }

    @inlinable
    func windows<Base, Downstream>(
        of time: Timestamp,
        in windows: inout OpenWindows<Base, Downstream>,
        _ initial: Base
    ) -> Range<Int>? {
        let nanoseconds = time.nanosecondsSinceEpoch
        guard windows.hasRoom(forWindows: 0, elements: 1) else { return nil }
        var index = windows.cells.index(ofStart: nanoseconds)
        if index < windows.cells.count, windows.cells[index].start == nanoseconds { return index..<index + 1 }
        if index > 0, nanoseconds < windows.cells[index - 1].end || windows.cells[index - 1].end == .max {
            return index - 1..<index
        }
        guard windows.hasRoom(forWindows: 1, elements: 1) else { return nil }
        let range = grid.window(containing: time)
        precondition(
            range.contains(time) || range.upperBound == .distantFuture && time == .distantFuture,
            "a grid must give a window that contains \(time), not \(range)"
        )
        let (start, end) = (range.lowerBound.nanosecondsSinceEpoch, range.upperBound.nanosecondsSinceEpoch)
        index = windows.cells.index(ofStart: start)
        windows.insert(start, end, initial, at: index)
        windows.scheduleResults()
        return index..<index + 1
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}
