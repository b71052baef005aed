public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Opens and closes windows by conditions.
    ///
    ///     readings.windows(opensWhen: { $0.isDoorOpen }, closesWhen: { !$0.isDoorOpen }).mean(of: \.celsius)
    ///
    /// Goes by arrival, so nothing is late. While no window is open, an element that satisfies `opens` opens one; it
    /// and those that follow are in the window, up to and with the first later one that satisfies `closes`. At most one
    /// window is open. With `within`, a window also closes when the watermark, or an element, reaches that duration
    /// after its opening; such an element is not in it, and may open the next one.
    ///
    /// Emits a window when it closes, with the time of the element that closed it, or the window's last instant when
    /// `within` did, or the watermark if that is later; and before that as `emit` says, with the time of the element or
    /// watermark that caused it, but not twice for the element that closes it. `start` is the time of the element that
    /// opened it, `end` that of the latest element in it, included. The completion closes the window; a failure or an
    /// interruption discards it. Watermarks pass. Only the results of ``Emission/every(_:)`` need them, and
    /// ``CustomWindows/stalls`` tells when none comes.
    ///
    /// Remembers one aggregate. If that keeps elements, those beyond `limit` go to ``WindowedStream/refused``; they are
    /// not in the window, and do not move its `end`. One of them that satisfies `closes` closes it all the same.
    ///
    /// - Parameters:
    ///   - opens: Whether an element opens a window; called while none is open.
    ///   - closes: Whether an element closes the window; called for those after the one that opened it.
    ///   - within: How long a window can be; positive.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How many elements a window can hold, where the aggregate keeps elements; positive.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element, without allocation unless the aggregate allocates.
    @inlinable
    public func windows(
        @ConditionBuilder opensWhen opens: @escaping @Sendable (Element) -> Bool,
        @ConditionBuilder closesWhen closes: @escaping @Sendable (Element) -> Bool,
        within: Duration? = nil,
        emit emission: Emission = .onClose,
        limit: Int = 1_000_000
    ) -> CustomWindows<Self> {
        precondition(limit > 0, "windows: limit must be positive, but is \(limit)")
        let duration = within.map { Nanoseconds.positive($0, "a window") } ?? .max
        let settings = WindowSettings(.zero, emission, WindowLimit(windows: 1, elements: limit))
        return CustomWindows(self, opens, closes, duration, settings)
    }
}

/// Windows that conditions open and close; made by `windows(opensWhen:closesWhen:within:emit:limit:)`.
@frozen
public struct CustomWindows<Upstream: EventStream>: WindowedStream, WatermarkWaiting {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let opens: @Sendable (Input) -> Bool
    @usableFromInline let closes: @Sendable (Input) -> Bool
    @usableFromInline let duration: Int64
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(
        _ upstream: Upstream,
        _ opens: @escaping @Sendable (Input) -> Bool,
        _ closes: @escaping @Sendable (Input) -> Bool,
        _ duration: Int64,
        _ settings: WindowSettings
    ) {
        self.upstream = upstream
        self.opens = opens
        self.closes = closes
        self.duration = duration
        self.settings = settings
    }

    /// Stays empty: these windows go by arrival.
    @inlinable
    public var late: SideOutput<Input> { sides.late }

    @inlinable
    public var refused: SideOutput<Input> { sides.refused }

    @inlinable
    public var stalls: SideOutput<WatermarkStall> { sides.stalls }

    @inlinable
    public func attach<A: Aggregate, S: Sink>(folding aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        upstream.attach(CustomSink(aggregate, opens, closes, duration, settings, sides, sink))
    }
}

extension CustomWindows: GroupableStream where Upstream: GroupableStream {}

/// Keeps the aggregate of the window that is open.
@frozen
@usableFromInline
struct CustomSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let opens: @Sendable (Input) -> Bool
    @usableFromInline let closes: @Sendable (Input) -> Bool
    @usableFromInline let duration: Int64
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides: WindowSides<Input>
    @usableFromInline var aggregate: Base
    @usableFromInline var count = 0
    @usableFromInline var isChanged = false
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var start = Timestamp.distantPast
    @usableFromInline var newest = Timestamp.distantPast
    // When the window must close; the end of time when it need not.
    @usableFromInline var deadline = Int64.max
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ initial: Base,
        _ opens: @escaping @Sendable (Input) -> Bool,
        _ closes: @escaping @Sendable (Input) -> Bool,
        _ duration: Int64,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.initial = initial
        self.opens = opens
        self.closes = closes
        self.duration = duration
        self.settings = settings
        self.sides = sides
        aggregate = initial
        watch = StallWatch(sides.stalls)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if count > 0, duration != .max, time.nanosecondsSinceEpoch >= deadline { expire() }
        if count == 0 {
            guard opens(element) else { return }
            start = time
            newest = time
            if settings.period > 0 { watch.expectResult(after: time, settings.period) }
            deadline = Nanoseconds.sum(time.nanosecondsSinceEpoch, duration)
            add(element, time)
        } else {
            watch.look(at: time)
            if Base.keepsElements, count >= settings.limit.elements {
                sides.refused.send(copy element, at: time)
            } else {
                add(element, time)
            }
            if closes(element) { return close(at: time) }
        }
        if settings.emitsOnEveryElement, isChanged { emit(.early, at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        if count > 0, duration != .max, watermark.nanosecondsSinceEpoch >= deadline { expire() }
        self.watermark = watermark
        watch.end()
        if settings.isDue(at: watermark, &nextResult), isChanged { emit(.early, at: watermark) }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, count > 0 { close(at: max(newest, watermark)) }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("custom")
        try sides.exchangeState(&state)
        try aggregate.exchangeState(&state)
        try state.exchange(&count)
        try state.exchange(&isChanged)
        try state.exchange(&nextResult)
        try state.exchange(&start)
        try state.exchange(&newest)
        try state.exchange(&deadline)
        try state.exchange(&watermark)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func add(_ element: borrowing Input, _ time: Timestamp) {
        aggregate.add(element, at: time)
        count += 1
        isChanged = true
        newest = max(newest, time)
    }

    @inlinable
    mutating func expire() {
        close(at: Timestamp(deadline - 1))
    }

    @inlinable
    mutating func close(at time: Timestamp) {
        emit(.closing, at: time)
        aggregate = initial
        count = 0
        watch.reset()
    }

    @inlinable
    mutating func emit(_ phase: WindowPhase, at time: Timestamp) {
        isChanged = false
        let result = WindowResult(start: start, end: newest, value: aggregate.result(), phase: phase)
        downstream.receive(result, at: max(time, watermark))
    }
}
