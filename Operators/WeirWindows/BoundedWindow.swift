public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Emits one window of event time.
    ///
    ///     readings.fixed(from: opening, to: closing).mean(of: \.celsius)
    ///
    /// The window is `[start, end)`; elements outside it are not in it. Emits when the watermark reaches `end`, with
    /// the time of the last instant; early and late results and late elements are those of
    /// `tumbling(_:startingAt:allowedLateness:emit:limit:)`. The completion closes the window, a failure or an
    /// interruption discards it.
    ///
    /// Remembers one aggregate. If that keeps elements, those beyond `limit.elements` go to
    /// ``WindowedStream/refused``.
    ///
    /// Without watermarks it does not close before the completion, and ``BoundedWindow/stalls`` tells when an element is
    /// more than the window's length behind its end.
    ///
    /// - Parameters:
    ///   - start: Where the window starts.
    ///   - end: Where it ends; after `start`.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When the window emits, besides when it closes.
    ///   - limit: How much the window may hold.
    /// - Returns: The window.
    /// - Complexity: O(1) per element, without allocation unless the aggregate allocates.
    @inlinable
    public func fixed(
        from start: Timestamp,
        to end: Timestamp,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> BoundedWindow<Self> {
        precondition(start < end, "a window ends after its start, not from \(start) to \(end)")
        let settings = WindowSettings(allowedLateness, emission, limit)
        return BoundedWindow(self, start, end, nil, settings)
    }

    /// Looks back to one point of event time, over a window that grows.
    ///
    ///     readings.landmark(from: midnight).max(of: \.celsius)
    ///
    /// Emits after each element that is not older than `start`, or as `emit` says, and when the completion closes the
    /// window. The result's `end` is the latest time of its elements, included. The closing one carries that time, or
    /// the watermark if it is later; for the others, for late elements and for the limit see
    /// `fixed(from:to:allowedLateness:emit:limit:)`.
    ///
    /// - Parameters:
    ///   - start: Where the window starts.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When the window emits, besides when it closes.
    ///   - limit: How much the window may hold.
    /// - Returns: The window.
    /// - Complexity: O(1) per element, and that of the aggregate's result, without allocation of its own.
    @inlinable
    public func landmark(
        from start: Timestamp,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onEveryElement,
        limit: WindowLimit = WindowLimit()
    ) -> BoundedWindow<Self> {
        BoundedWindow(self, start, nil, nil, WindowSettings(allowedLateness, emission, limit))
    }

    /// Looks back to the first element that satisfies a condition, over a window that grows.
    ///
    ///     readings.landmark(when: { $0.celsius > 100 }).count()
    ///
    /// The window starts at the time of the first element, in the order of arrival, that satisfies the condition;
    /// what arrived before it, or is older, is not in it. Everything else is as in
    /// `landmark(from:allowedLateness:emit:limit:)`.
    ///
    /// - Parameters:
    ///   - opens: Called for each element until it returns `true`.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When the window emits, besides when it closes.
    ///   - limit: How much the window may hold.
    /// - Returns: The window.
    /// - Complexity: O(1) per element, and that of the aggregate's result, without allocation of its own.
    @inlinable
    public func landmark(
        @ConditionBuilder when opens: @escaping @Sendable (Element) -> Bool,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onEveryElement,
        limit: WindowLimit = WindowLimit()
    ) -> BoundedWindow<Self> {
        BoundedWindow(self, nil, nil, opens, WindowSettings(allowedLateness, emission, limit))
    }
}

/// A single window; made by `fixed` and `landmark`.
@frozen
public struct BoundedWindow<Upstream: EventStream>: WindowedStream, WatermarkWaiting {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let start: Timestamp?
    @usableFromInline let end: Timestamp?
    @usableFromInline let opens: (@Sendable (Input) -> Bool)?
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(
        _ upstream: Upstream,
        _ start: Timestamp?,
        _ end: Timestamp?,
        _ opens: (@Sendable (Input) -> Bool)?,
        _ settings: WindowSettings
    ) {
        self.upstream = upstream
        self.start = start
        self.end = end
        self.opens = opens
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
        upstream.attach(BoundedSink(aggregate, start, end, opens, settings, sides, sink))
    }
}

extension BoundedWindow: GroupableStream where Upstream: GroupableStream {}

/// Keeps the aggregate of a single window.
@frozen
@usableFromInline
struct BoundedSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline var aggregate: Base
    // Nil until an element opens the window.
    @usableFromInline var start: Timestamp?
    // Nil for a window that grows.
    @usableFromInline let end: Timestamp?
    @usableFromInline let opens: (@Sendable (Input) -> Bool)?
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides: WindowSides<Input>
    @usableFromInline var count = 0
    @usableFromInline var newest = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    // Older elements are late.
    @usableFromInline var oldest = Int64.min
    @usableFromInline var isChanged = false
    @usableFromInline var isClosed = false
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ aggregate: Base,
        _ start: Timestamp?,
        _ end: Timestamp?,
        _ opens: (@Sendable (Input) -> Bool)?,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.aggregate = aggregate
        self.start = start
        self.end = end
        self.opens = opens
        self.settings = settings
        self.sides = sides
        watch = StallWatch(sides.stalls)
        self.downstream = downstream
        if let start, let end {
            let size = Nanoseconds.difference(end.nanosecondsSinceEpoch, start.nanosecondsSinceEpoch)
            watch.expect(at: end, within: size)
        }
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time.nanosecondsSinceEpoch >= oldest else { return sides.late.send(copy element, at: time) }
        watch.look(at: time)
        if start == nil, let opens, opens(element) { start = time }
        guard let start, time >= start else { return }
        if let end, time >= end { return }
        if Base.keepsElements, count >= settings.limit.elements {
            return sides.refused.send(copy element, at: time)
        }
        aggregate.add(element, at: time)
        if count == 0, settings.period > 0 { watch.expectResult(after: time, settings.period) }
        count += 1
        newest = max(newest, time)
        isChanged = true
        if isClosed {
            emit(.late, at: watermark)
        } else if settings.emitsOnEveryElement {
            emit(.early, at: max(time, watermark))
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        self.watermark = watermark
        watch.end()
        oldest = Nanoseconds.difference(watermark.nanosecondsSinceEpoch, settings.lateness)
        if let end, watermark >= end {
            close(at: Timestamp(end.nanosecondsSinceEpoch - 1))
        } else if settings.isDue(at: watermark, &nextResult), isChanged {
            emit(.early, at: watermark)
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            close(at: end.map { Timestamp($0.nanosecondsSinceEpoch - 1) } ?? max(newest, watermark))
        }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("bounded")
        try sides.exchangeState(&state)
        try aggregate.exchangeState(&state)
        try state.exchange(&start)
        try state.exchange(&count)
        try state.exchange(&newest)
        try state.exchange(&watermark)
        try state.exchange(&oldest)
        try state.exchange(&isChanged)
        try state.exchange(&isClosed)
        try state.exchange(&nextResult)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func close(at time: Timestamp) {
        guard !isClosed else { return }
        isClosed = true
        if count > 0 { emit(.closing, at: time) }
    }

    @inlinable
    mutating func emit(_ phase: WindowPhase, at time: Timestamp) {
        guard let start else { return }
        isChanged = false
        let result = WindowResult(start: start, end: end ?? newest, value: aggregate.result(), phase: phase)
        downstream.receive(result, at: time)
    }
}
