public import WeirCore

/// Which elements a `throttle` emits of those that come close together.
public enum ThrottleEdges: Sendable, Hashable {
    /// The first, at once; the others are dropped.
    case leading
    /// The last, at the end of the duration that the first, or the emission before, has begun.
    case trailing
    /// The first at once, and the last of the others at the end of the duration.
    case both
}

extension EventStream {
    /// Emits an element, and then none for a duration.
    ///
    ///     alarms.throttle(for: .seconds(10))
    ///     positions.throttle(for: .seconds(1), edges: .both)
    ///
    /// With `.leading`, emits the first element, and then each whose time is at least `duration` after that of the last
    /// one emitted, when it arrives; drops the others, also those that are older. Remembers one time. Watermarks and
    /// the completion pass.
    ///
    /// With `.both`, the last of the elements that arrive within the duration is not dropped: it is emitted at the time
    /// at which the duration ends, as soon as a watermark or an element reaches that time, and then nothing is emitted
    /// for a duration again. An element of exactly that time takes its place, also where there was none, and is emitted
    /// when it arrives. With `.trailing`, an element that comes while no duration runs, the first of all or one that is
    /// later than that time, is not emitted at once either: it begins a duration. So elements are always at least
    /// `duration` apart. Elements that are older than the watermark go to ``Throttle/late``. Remembers one element and
    /// two times. Watermarks pass. The completion emits what is held, at the time at which it would have been due; a
    /// failure or an interruption discards it.
    ///
    /// - Parameters:
    ///   - duration: How long nothing is emitted, in event time; positive.
    ///   - edges: Which elements to emit of those that come within the duration.
    /// - Returns: Elements that are at least the duration apart.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func throttle(for duration: Duration, edges: ThrottleEdges = .leading) -> Throttle<Self> {
        Throttle(self, Nanoseconds.positive(duration, "the time without elements"), edges)
    }
}

/// Elements that are at least a duration apart; made by `throttle`.
@frozen
public struct Throttle<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    /// The elements that were older than the watermark; none with the leading edge alone.
    public let late = SideOutput<Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let duration: Int64
    @usableFromInline let edges: ThrottleEdges

    @inlinable
    init(_ upstream: Upstream, _ duration: Int64, _ edges: ThrottleEdges) {
        self.upstream = upstream
        self.duration = duration
        self.edges = edges
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ThrottleSink(duration, edges, late, sink))
    }
}

extension Throttle: GroupableStream where Upstream: GroupableStream {}

/// Emits elements that are at least a duration apart.
@frozen
@usableFromInline
struct ThrottleSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let duration: Int64
    @usableFromInline let edges: ThrottleEdges
    @usableFromInline let late: SideOutput<Input>
    // When the next element may be emitted.
    @usableFromInline var next = Timestamp.distantPast
    // The last element that waits for it; `nil` with the leading edge alone.
    @usableFromInline var held: Input?
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ duration: Int64,
        _ edges: ThrottleEdges,
        _ late: SideOutput<Input>,
        _ downstream: consuming Downstream
    ) {
        self.duration = duration
        self.edges = edges
        self.late = late
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if edges != .leading {
            guard time >= watermark else { return late.send(copy element, at: time) }
            if time > next { emitHeld() }
            if time < next {
                held = copy element
                return
            }
            held = nil
            if edges == .trailing, time > next {
                held = copy element
                next = time.shifted(byNanoseconds: duration)
                return
            }
        }
        guard time >= next else { return }
        next = time.shifted(byNanoseconds: duration)
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if edges != .leading {
            self.watermark = max(self.watermark, watermark)
            if watermark >= next { emitHeld() }
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { emitHeld() }
        held = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("throttle")
        try state.exchange(late)
        try state.exchange(&next)
        try state.exchange(&held)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    /// Emits the waiting element at its due time.
    @inlinable
    mutating func emitHeld() {
        guard let element = held.take() else { return }
        let due = next
        next = due.shifted(byNanoseconds: duration)
        downstream.receive(element, at: due)
    }
}
