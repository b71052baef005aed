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
        Timeout(self, TimeLimits(first: duration, each: duration))
    }

    /// Fails when the first element does not come in time, or the next ones do not.
    ///
    ///     replies.timeout(forFirst: .seconds(30))
    ///     replies.timeout(forFirst: .seconds(30), after: .seconds(5))
    ///
    /// As ``timeout(after:)``, with a duration of its own from the first watermark to the first element; without another
    /// duration, what comes after that takes as long as it likes.
    ///
    /// - Parameters:
    ///   - first: How long no first element may come, in event time; positive.
    ///   - next: How long no other element may come; positive.
    /// - Returns: The same elements, until the time-out.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func timeout(forFirst first: Duration, after next: Duration? = nil) -> Timeout<Self> {
        Timeout(self, TimeLimits(first: first, each: next))
    }
}

/// The elements of a stream until the time-out; made by `timeout`.
@frozen
public struct Timeout<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let limits: TimeLimits

    @inlinable
    init(_ upstream: Upstream, _ limits: TimeLimits) {
        self.upstream = upstream
        self.limits = limits
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(upstream.attach(TimeoutSink(limits, own, sink)))
    }
}

extension Timeout: GroupableStream where Upstream: GroupableStream {}

/// Fails when elements stop arriving.
@frozen
@usableFromInline
struct TimeoutSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let limits: TimeLimits
    @usableFromInline let own: DeferredSubscription
    // None before the first signal.
    @usableFromInline var deadline: Timestamp?
    @usableFromInline var isEmpty = true
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ limits: TimeLimits, _ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.limits = limits
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard isInTime(time) else { return }
        deadline = limits.deadline(
            afterElementAt: time,
            isEmpty ? nil : deadline,
            firstDeadline: isEmpty ? deadline : nil
        )
        isEmpty = false
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard isInTime(watermark) else { return }
        if deadline == nil { deadline = watermark.shifted(byNanoseconds: limits.first) }
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
        try state.begin("timeout", version: 2)
        try state.exchange(&deadline)
        try state.exchange(&isEmpty)
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }

    /// Returns whether the stream has not timed out at a time, and fails it otherwise.
    @inlinable
    mutating func isInTime(_ time: Timestamp) -> Bool {
        guard !isFinished else { return false }
        guard let deadline, time > deadline else { return true }
        finish(.failed(limits.error(isEmpty: isEmpty)))
        return false
    }
}

/// How long a stream may be without elements.
@frozen
@usableFromInline
struct TimeLimits: Sendable {
    /// Until the first element, in nanoseconds.
    @usableFromInline let first: Int64
    /// Until any other element; `nil` for ever.
    @usableFromInline let each: Int64?

    @usableFromInline
    init(first: Duration, each: Duration?) {
        precondition(first >= .nanoseconds(1), "timeout: duration must be positive, but is \(first)")
        if let each { precondition(each >= .nanoseconds(1), "timeout: duration must be positive, but is \(each)") }
        self.first = first.wholeNanoseconds
        self.each = each?.wholeNanoseconds
    }

    /// When the next element must have come.
    ///
    /// - Parameters:
    ///   - time: That of an element.
    ///   - deadline: The one before, of other elements.
    ///   - firstDeadline: The one before, of the first watermark.
    /// - Returns: The later of the deadlines.
    @inlinable
    func deadline(
        afterElementAt time: Timestamp,
        _ deadline: Timestamp?,
        firstDeadline: Timestamp?
    ) -> Timestamp {
        guard let each else { return .distantFuture }
        let next = time.shifted(byNanoseconds: each)
        if let deadline { return max(deadline, next) }
        // The first element may be older than the watermark.
        guard let firstDeadline else { return next }
        return max(next, firstDeadline.shifted(byNanoseconds: -first).shifted(byNanoseconds: each))
    }

    @usableFromInline
    func error(isEmpty: Bool) -> FlowError {
        .timeout(.nanoseconds(isEmpty ? first : each ?? first))
    }
}
