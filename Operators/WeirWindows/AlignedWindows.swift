public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Cuts event time into windows of one size that follow each other.
    ///
    ///     readings.tumbling(.seconds(1)).mean(of: \.celsius)
    ///
    ///     readings.tumbling(.seconds(86_400), startingAt: .offset(.seconds(6 * 3_600)))  // days from six to six
    ///     readings.tumbling(.seconds(60), startingAt: .firstElement)
    ///
    /// A window is `[start, end)`: an element exactly at the end belongs to the next one. The starts are multiples of
    /// `size` from the origin, also before it.
    ///
    /// Emits a window's result when the watermark reaches its end, windows in order, with the time of the window's last
    /// instant (`end` less a nanosecond), so that windows of windows contain the right results; early results carry the
    /// time of the element or watermark that caused them; results for late elements the watermark's. Without watermarks
    /// nothing closes before the completion: put `watermarks(lag:every:)` before this if the source sends none. The
    /// completion closes all windows; a failure or an interruption discards them.
    ///
    /// Remembers one aggregate for each open window. An element is late when it is older than the watermark by more
    /// than `allowedLateness`, and goes to ``WindowedStream/late``; until then a closed window is kept, and emits again
    /// at each element. An element that needs more windows, or more room, than `limit` goes to
    /// ``WindowedStream/refused``.
    ///
    /// - Parameters:
    ///   - size: The length of a window; positive.
    ///   - origin: The start of one of the windows.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How much the windows may hold.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element that is in order, without allocation unless the aggregate allocates.
    @inlinable
    public func tumbling(
        _ size: Duration,
        startingAt origin: WindowOrigin = .epoch,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> AlignedWindows<Self> {
        AlignedWindows(self, size, size, origin, WindowSettings(allowedLateness, emission, limit))
    }

    /// Cuts event time into windows of one size that start at regular distances and overlap.
    ///
    ///     readings.hopping(.seconds(10), every: .seconds(1)).max(of: \.celsius)
    ///
    /// A window is `[start, end)`, the starts are multiples of `slide` from the origin; each element is in `ceil(size /
    /// slide)` windows, one less where `slide` does not divide `size` and the element lies between. Emission, late
    /// elements and limits are those of `tumbling(_:startingAt:allowedLateness:emit:limit:)`.
    ///
    /// Remembers one aggregate for each pane, which is as long as the greatest common divisor of `size` and `slide`, if
    /// the aggregate is a `MergeableAggregate`; one for each open window otherwise.
    ///
    /// - Parameters:
    ///   - size: The length of a window; positive.
    ///   - slide: The distance between the starts of windows; positive, not more than `size`.
    ///   - origin: The start of one of the windows.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How much the windows may hold.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element that is in order and O(panes of a window) per result with a
    ///   `MergeableAggregate`; O(size / slide) per element otherwise.
    @inlinable
    public func hopping(
        _ size: Duration,
        every slide: Duration,
        startingAt origin: WindowOrigin = .epoch,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> AlignedWindows<Self> {
        AlignedWindows(self, size, slide, origin, WindowSettings(allowedLateness, emission, limit))
    }
}

/// Where windows of one size start.
@frozen
public enum WindowOrigin: Sendable, Hashable {
    /// One starts at the epoch, 1970-01-01T00:00:00Z: minutes, hours and days of UTC.
    case epoch

    /// One starts this much after the epoch, or before it where the offset is negative.
    case offset(Duration)

    /// One starts at the first element that is not late: the first that arrives, not the oldest. Within groups each
    /// group has windows of its own.
    case firstElement

    /// The nanoseconds from the epoch; `nil` as long as no element tells them.
    @inlinable
    var nanoseconds: Int64? {
        switch self {
        case .epoch: 0
        case .offset(let offset): offset.wholeNanoseconds
        case .firstElement: nil
        }
    }
}

/// Windows of one size at regular distances; made by `tumbling` and `hopping`.
@frozen
public struct AlignedWindows<Upstream: EventStream>: WindowedStream, WatermarkWaiting {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let size: Int64
    @usableFromInline let slide: Int64
    @usableFromInline let origin: WindowOrigin
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(
        _ upstream: Upstream,
        _ size: Duration,
        _ slide: Duration,
        _ origin: WindowOrigin,
        _ settings: WindowSettings
    ) {
        self.upstream = upstream
        self.size = Nanoseconds.positive(size, "a window")
        self.slide = Nanoseconds.positive(slide, "the distance between windows")
        precondition(slide <= size, "windows of \(size) every \(slide) would leave out elements between them")
        self.origin = origin
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
        upstream.attach(WindowSink(aggregate, AlignedAssignment(size, slide, origin), settings, sides, sink))
    }

    @inlinable
    public func attach<A: MergeableAggregate, S: Sink>(merging aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        // Windows that do not overlap have nothing to share.
        if size == slide { return attach(folding: aggregate, sink) }
        return upstream.attach(PanedSink(aggregate, size, slide, origin, settings, sides, sink))
    }
}

extension AlignedWindows: GroupableStream where Upstream: GroupableStream {}

/// Windows of one size at regular distances.
@frozen
@usableFromInline
struct AlignedAssignment: WindowAssignment {
    @usableFromInline let size: Int64
    @usableFromInline let slide: Int64
    @usableFromInline var origin: Int64?

    @inlinable
    init(_ size: Int64, _ slide: Int64, _ origin: WindowOrigin) {
        self.size = size
        self.slide = slide
        self.origin = origin.nanoseconds
    }

    @inlinable var isDisjoint: Bool { size == slide }

    @inlinable
    mutating func windows<Base, Downstream>(
        of time: Timestamp,
        in windows: inout OpenWindows<Base, Downstream>,
        _ initial: Base
    ) -> Range<Int>? {
        let nanoseconds = time.nanosecondsSinceEpoch
        let origin = self.origin ?? nanoseconds
        self.origin = origin
        let last = Nanoseconds.floor(nanoseconds, to: slide, from: origin)
        // The start of the first window that the element is in; differences do not overflow where sums would.
        let first = Nanoseconds.difference(last, (size - 1 - (nanoseconds - last)) / slide * slide)
        let needed = Int((last - first) / slide) + 1
        let firstIndex = windows.cells.index(ofStart: first)
        let present = windows.cells[firstIndex...].prefix { $0.start <= last }.count
        guard windows.hasRoom(forWindows: needed - present, elements: needed) else { return nil }
        let indices = firstIndex..<firstIndex + needed
        guard present < needed else { return indices }
        var start = first
        for index in indices {
            if index == windows.cells.count || windows.cells[index].start != start {
                windows.insert(start, Nanoseconds.sum(start, size), initial, at: index)
            }
            start = Nanoseconds.sum(start, slide)
        }
        windows.scheduleResults()
        return indices
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(size)
        state.require(slide)
        try state.exchange(&origin)
    }
}
