public import WeirCore
public import WeirDispatch

extension EventStream {
    /// Lets event time go on by a clock while a live source is silent.
    ///
    ///     let north = north.watermarks(lag: .seconds(2)).watermarks(idleAfter: .seconds(10), on: scheduler)
    ///     let south = south.watermarks(lag: .seconds(30)).watermarks(idleAfter: .seconds(60), on: scheduler)
    ///     north.merge(south).tumbling(.seconds(60)).mean(of: \.celsius)
    ///
    /// Windows close, silences are found, and a merge or join goes on, though one source says nothing. The clock is looked
    /// at every `duration` from when a sink is attached. If neither an element nor a watermark came since the last time, the
    /// watermark moves on by `duration`. So it moves first between one and two durations after the last signal, and is
    /// that much behind. Before the first watermark nothing is known of event time: if no element has come either, the
    /// watermark is the clock's time less `duration`.
    ///
    /// Directly before an operator of several streams, such as a merge, a join or `all`, an idle stream is not waited for
    /// at all, however far behind it is: there the earliest watermark of the streams that are not idle counts, or of all
    /// where all are idle. With the next signal it is waited for again; the others keep the time that they have reached,
    /// so its elements from before that are late, and not lost. What is merged or united in turn is idle when all its
    /// streams are.
    ///
    /// Elements pass when they arrive; an element that is older than the watermark is late for the operators behind.
    /// Watermarks from upstream pass if they are later than the last one. Put it behind what makes watermarks; behind it
    /// elements without any move nothing. Finishes and fails with the stream; when the scheduler has no room for another
    /// schedule, fails with its error. What is behind runs on the scheduler's thread, too, one at a time.
    ///
    /// - Parameters:
    ///   - duration: After how long a source counts as idle; positive.
    ///   - scheduler: The scheduler whose clock counts; kept alive only by the subscriptions of the stream's sinks.
    /// - Returns: The same elements, with further watermarks.
    /// - Complexity: O(1) per element, without allocation; the scheduler's cost per duration.
    @inlinable
    public func watermarks(idleAfter duration: Duration, on scheduler: Scheduler) -> IdleWatermarks<Self> {
        IdleWatermarks(self, Nanoseconds.positive(duration, "the time after which a source is idle"), scheduler)
    }
}

/// A stream whose event time goes on while it is silent; made by `watermarks(idleAfter:on:)`.
@frozen
public struct IdleWatermarks<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let duration: Int64
    @usableFromInline let scheduler: Scheduler

    @inlinable
    init(_ upstream: Upstream, _ duration: Int64, _ scheduler: Scheduler) {
        self.upstream = upstream
        self.duration = duration
        self.scheduler = scheduler
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        let junction = Junction(IdleWatermarksState(duration, own, sink), inputs: 2)
        let elements = upstream.attach(junction.input(0, WrappingPort { Optional.some($0) }))
        let ticks: Subscription
        do {
            let interval = Duration.nanoseconds(duration)
            ticks = try scheduler.schedule(after: interval, every: interval) { [weak junction] time in
                junction?.receive(nil, from: 1, at: time)
            }
        } catch {
            var input = junction.input(1, PlainPort())
            input.finish(.failed(error))
            ticks = Subscription()
        }
        return own.set(junction.subscription(elements, ticks))
    }
}

/// Moves event time on at each tick without a signal before it; a tick is a signal without an element.
@frozen
@usableFromInline
struct IdleWatermarksState<Downstream: Sink>: JunctionState {
    @usableFromInline typealias Signal = Downstream.Input?

    @usableFromInline let duration: Int64
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var hasElements = false
    // Whether there was a signal since the last tick.
    @usableFromInline var isActive = false
    // What the sink behind was told.
    @usableFromInline var isIdle = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ duration: Int64, _ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.duration = duration
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        guard input == 0, let element = signal else { return tick(time) }
        beActive()
        hasElements = true
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func tick(_ now: Timestamp) {
        defer { isActive = false }
        guard !isActive else { return }
        if !isIdle {
            isIdle = true
            downstream.passOn(idleness: true)
        }
        if watermark > .distantPast {
            move(to: watermark.shifted(byNanoseconds: duration))
        } else if !hasElements {
            move(to: now.shifted(byNanoseconds: -duration))
        }
    }

    @inlinable
    mutating func beActive() {
        isActive = true
        guard isIdle else { return }
        isIdle = false
        downstream.passOn(idleness: false)
    }

    @inlinable
    mutating func move(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func advance(_ input: Int, to watermark: Timestamp) {
        beActive()
        move(to: watermark)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { true }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("idleWatermarks")
        try state.exchange(&watermark)
        try state.exchange(&hasElements)
        try state.exchange(&isActive)
        try state.exchange(&isIdle)
        try downstream.exchangeState(&state)
    }
}
