public import WeirCore

extension EventStream {
    /// Ends the stream at a point in event time.
    ///
    ///     readings.take(until: midnight)
    ///
    /// Emits an element that is older than `end` when it arrives, with its time, and ignores the others; elements may
    /// be out of order, so it finishes when the watermark reaches `end`, and detaches. Remembers whether
    /// that happened. Watermarks pass, the last one as `end`; the completion passes when it comes before.
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
        let own = LateSubscription()
        return own.set(upstream.attach(TakeUntilSink(end, own, sink)))
    }
}

/// Hands on the elements before a point in event time, and then finishes.
@frozen
public struct TakeUntilSink<Downstream: Sink>: Sink {
    public typealias Input = Downstream.Input

    @usableFromInline let end: Timestamp
    @usableFromInline let own: LateSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ end: Timestamp, _ own: LateSubscription, _ downstream: consuming Downstream) {
        self.end = end
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if time < end, !isFinished { downstream.receive(element, at: time) }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        guard !isFinished else { return }
        // What follows counts time as if the watermark had stopped at the end, however far it jumped.
        downstream.advance(to: min(watermark, end))
        if watermark >= end { finish(.finished) }
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        downstream.finish(completion)
        own.cancel()
    }
}
