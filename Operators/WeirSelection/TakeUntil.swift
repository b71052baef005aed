public import WeirCore

extension EventStream {
    /// Ends the stream at a point in event time.
    ///
    ///     readings.take(until: midnight)
    ///
    /// Emits an element that is older than `end` when it arrives, with its time, and ignores the others; elements may
    /// be out of order, so it finishes when the watermark reaches `end`, and detaches. Remembers whether it has
    /// finished. Watermarks pass, the last one as `end`; the completion passes when it comes before.
    ///
    /// - Parameter end: The time that an element must be older than.
    /// - Returns: The elements before it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func take(until end: Timestamp) -> TakeUntil<Self> {
        TakeUntil(self, end)
    }
}

/// The elements of a stream before a point in event time; made by `take(until:)`.
@frozen
public struct TakeUntil<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let end: Timestamp

    @inlinable
    init(_ upstream: Upstream, _ end: Timestamp) {
        self.upstream = upstream
        self.end = end
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(upstream.attach(TakeUntilSink(end, own, sink)))
    }
}

extension TakeUntil: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements before a point in event time, and then finishes.
@frozen
@usableFromInline
struct TakeUntilSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let end: Timestamp
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ end: Timestamp, _ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.end = end
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if time < end, !isFinished { downstream.receive(element, at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard !isFinished else { return }
        // Operators behind see a watermark that stops at the end, however far it jumped.
        downstream.advance(to: min(watermark, end))
        if watermark >= end { finish(.finished) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("take(until:)")
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
