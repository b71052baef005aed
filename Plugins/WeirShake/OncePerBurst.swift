public import WeirCore

extension EventStream {
    /// Emits the first element of each burst.
    ///
    /// A burst lasts until no element has come for longer than `quietPeriod` of event time; elements of the burst
    /// extend it. A quiet period of zero lets everything through.
    ///
    /// Emits when the first element of a burst arrives. Remembers the time of the last element. Watermarks and the
    /// completion pass.
    ///
    /// - Parameter quietPeriod: How long it must be quiet before another burst can begin; not negative.
    /// - Returns: The first elements of the bursts.
    /// - Complexity: O(1) per element.
    @inlinable
    public func oncePerBurst(quietPeriod: Duration) -> OncePerBurst<Self> {
        precondition(quietPeriod >= .zero, "a quiet period cannot be negative, as \(quietPeriod) is")
        return OncePerBurst(self, quietPeriod)
    }
}

/// The first elements of the bursts of a stream; made by `oncePerBurst(quietPeriod:)`.
@frozen
public struct OncePerBurst<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let quietPeriod: Duration

    @inlinable
    init(_ upstream: Upstream, _ quietPeriod: Duration) {
        self.upstream = upstream
        self.quietPeriod = quietPeriod
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(OncePerBurstSink(quietPeriod, sink))
    }
}

extension OncePerBurst: GroupableStream where Upstream: GroupableStream {}

/// Forwards the first element of each burst.
@frozen
public struct OncePerBurstSink<Downstream: Sink>: Sink {
    public typealias Input = Downstream.Input

    @usableFromInline let quietPeriod: Duration
    @usableFromInline var last: Timestamp?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ quietPeriod: Duration, _ downstream: consuming Downstream) {
        self.quietPeriod = quietPeriod
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let isFirst = last.map { quietPeriod == .zero || time - $0 > quietPeriod } ?? true
        last = time
        if isFirst { downstream.receive(element, at: time) }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("oncePerBurst")
        try state.exchange(&last)
        try downstream.exchangeState(&state)
    }
}
