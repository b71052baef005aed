public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Cuts the stream where nothing happens for a while.
    ///
    ///     clicks.sessions(gap: .seconds(30 * 60)).count()
    ///
    /// A session is `[first, last + gap)`: an element exactly at its end begins the next one. An element between two
    /// sessions may join them. Emits a session when the watermark reaches its end, in order, with the time of its last
    /// instant; early and late results, late elements, limits and completion are those of
    /// `tumbling(_:startingAt:allowedLateness:emit:limit:)`. A late element may join closed sessions with an open one,
    /// which then closes later and replaces them.
    ///
    /// Remembers one aggregate for each open session if the aggregate is a `MergeableAggregate`; the elements
    /// otherwise.
    ///
    /// - Parameters:
    ///   - gap: How long nothing has to happen; positive.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a session emits, besides when it closes.
    ///   - limit: How much the sessions may hold.
    /// - Returns: The sessions.
    /// - Complexity: O(1) per element that is in order, without allocation unless the aggregate allocates.
    @inlinable
    public func sessions(
        gap: Duration,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> SessionWindows<Self> {
        let gap = Nanoseconds.positive(gap, "the gap between sessions")
        return SessionWindows(self, { _ in gap }, WindowSettings(allowedLateness, emission, limit))
    }

    /// Splits the stream into sessions at gaps whose length each element determines.
    ///
    ///     clicks.sessions(gap: { $0.isPurchase ? .seconds(60) : .seconds(30 * 60) }).count()
    ///
    /// Each element covers the time `[time, time + gap)`; elements that overlap are one session. Everything else is as
    /// in `sessions(gap:allowedLateness:emit:limit:)` with one gap.
    ///
    /// - Parameters:
    ///   - gap: How long an element keeps its session open; positive.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a session emits, besides when it closes.
    ///   - limit: How much the sessions may hold.
    /// - Returns: The sessions.
    /// - Complexity: O(1) per element that is in order, without allocation unless the aggregate allocates.
    @inlinable
    public func sessions(
        gap: @escaping @Sendable (Element) -> Duration,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> SessionWindows<Self> {
        SessionWindows(
            self,
            { Nanoseconds.positive(gap($0), "the gap between sessions") },
            WindowSettings(allowedLateness, emission, limit)
        )
    }
}

/// Windows that end when nothing happens for a while; made by `sessions`.
@frozen
public struct SessionWindows<Upstream: EventStream>: WindowedStream, WatermarkWaiting {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let gap: @Sendable (Input) -> Int64
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(_ upstream: Upstream, _ gap: @escaping @Sendable (Input) -> Int64, _ settings: WindowSettings) {
        self.upstream = upstream
        self.gap = gap
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
        attach(merging: Buffered(aggregate), sink)
    }

    @inlinable
    public func attach<A: MergeableAggregate, S: Sink>(merging aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        upstream.attach(SessionSink(aggregate, gap, settings, sides, sink))
    }
}

extension SessionWindows: GroupableStream where Upstream: GroupableStream {}

/// Keeps an aggregate for each session.
@frozen
@usableFromInline
struct SessionSink<Base: MergeableAggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let gap: @Sendable (Input) -> Int64
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides: WindowSides<Input>
    @usableFromInline var windows: OpenWindows<Base, Downstream>

    @inlinable
    init(
        _ initial: Base,
        _ gap: @escaping @Sendable (Input) -> Int64,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.initial = initial
        self.gap = gap
        self.settings = settings
        self.sides = sides
        windows = OpenWindows(settings, downstream)
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        guard nanoseconds >= windows.oldest else { return sides.late.send(copy element, at: time) }
        let end = Nanoseconds.sum(nanoseconds, gap(element))
        // The sessions that overlap [nanoseconds, end).
        let high = windows.cells.index(ofStart: end)
        var low = high
        while low > 0, windows.cells[low - 1].end > nanoseconds { low -= 1 }
        let isMissing = low == high
        if isMissing ? windows.cells.count >= settings.limit.windows : false {
            return sides.refused.send(copy element, at: time)
        }
        if Base.keepsElements {
            guard windows.held < settings.limit.elements else { return sides.refused.send(copy element, at: time) }
            windows.held += 1
        }
        if isMissing {
            windows.cells.insert(Cell(nanoseconds, end, initial), at: low)
            if windows.watermark == .min { windows.noteStall(nanoseconds, sides.stalls) }
        } else if high - low > 1 {
            join(low..<high)
        }
        windows.cells[low].aggregate.add(element, at: time)
        windows.cells[low].count += 1
        windows.cells[low].isChanged = true
        windows.cells[low].start = min(windows.cells[low].start, nanoseconds)
        windows.cells[low].end = max(windows.cells[low].end, end)
        settle(low, nanoseconds)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard windows.move(to: watermark) else { return }
        if windows.isDue { windows.emitDue() }
        windows.downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        windows.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("session")
        try sides.exchangeState(&state)
        try windows.exchangeState(&state, like: initial)
        try windows.downstream.exchangeState(&state)
    }

    /// Makes one session of several.
    @inlinable
    mutating func join(_ range: Range<Int>) {
        for index in range.dropFirst() {
            windows.cells[range.lowerBound].aggregate.merge(windows.cells[index].aggregate)
            windows.cells[range.lowerBound].count += windows.cells[index].count
        }
        windows.cells[range.lowerBound].end = windows.cells[range.upperBound - 1].end
        windows.cells.removeSubrange(range.dropFirst())
    }

    /// Updates emission and expiry of a session that has changed.
    @inlinable
    mutating func settle(_ index: Int, _ nanoseconds: Int64) {
        windows.cells[index].isClosed = windows.cells[index].end <= windows.watermark
        windows.emitChange(of: index, nanoseconds)
        guard !windows.cells[index].isClosed else { return }
        windows.nextDue = min(windows.nextDue, windows.cells[index].end)
        windows.scheduleResults()
    }
}
