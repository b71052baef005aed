public import WeirCore

extension EventStream {
    /// Fails when no element comes for a duration.
    ///
    ///     heartbeats.timeout(after: .seconds(30))
    ///
    /// Emits each element when it arrives, with its time. Fails with ``FlowError/timeout(_:)`` when a watermark or an
    /// element is more than `duration` after the youngest element, or after the first watermark as long as there is
    /// none; then it detaches. Remembers one time. Watermarks pass, except the one at which it fails; the completion
    /// passes.
    ///
    /// - Parameter duration: How long no element may come, in event time; positive.
    /// - Returns: The same elements, until the time-out.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func timeout(after duration: Duration) -> Timeout<Self> {
        precondition(duration >= .nanoseconds(1), "timeout: duration must be positive, but is \(duration)")
        return Timeout(self, duration)
    }
}

/// The elements of a stream until the time-out; made by `timeout`.
@frozen
public struct Timeout<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let duration: Duration

    @inlinable
    init(_ upstream: Upstream, _ duration: Duration) {
        self.upstream = upstream
        self.duration = duration
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(upstream.attach(TimeoutSink(duration, own, sink)))
    }
}

extension Timeout: GroupableStream where Upstream: GroupableStream {}

/// Fails when elements stop arriving.
@frozen
@usableFromInline
struct TimeoutSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let duration: Duration
    @usableFromInline let own: DeferredSubscription
    // None before the first signal.
    @usableFromInline var deadline: Timestamp?
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ duration: Duration, _ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.duration = duration
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard isInTime(time) else { return }
        let next = time.shifted(byNanoseconds: duration.wholeNanoseconds)
        deadline = max(deadline ?? next, next)
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard isInTime(watermark) else { return }
        if deadline == nil { deadline = watermark.shifted(byNanoseconds: duration.wholeNanoseconds) }
        downstream.advance(to: watermark)
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
        try state.begin("timeout")
        try state.exchange(&deadline)
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }

    /// Returns whether the stream has not timed out at a time, and fails it otherwise.
    @inlinable
    mutating func isInTime(_ time: Timestamp) -> Bool {
        guard !isFinished else { return false }
        guard let deadline, time > deadline else { return true }
        finish(.failed(FlowError.timeout(duration)))
        return false
    }
}
