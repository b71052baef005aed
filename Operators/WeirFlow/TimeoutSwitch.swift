public import WeirCore

extension EventStream {
    /// Goes on with another stream when no element comes for a duration.
    ///
    ///     live.timeout(after: .seconds(30), switchingTo: recorded)
    ///
    /// Emits each element when it arrives, with its time. When a watermark or an element is more than `duration` after the
    /// youngest element, or after the first watermark as long as there is none, it detaches from this stream, drops that
    /// signal, and attaches the other on the same thread; from then on the signals are those of the other stream. Remembers
    /// two times, and whether there was an element. Watermarks pass, those of the other stream where they are later than the
    /// last one. The completion of the stream that is attached passes.
    ///
    /// A checkpoint knows which stream it is at.
    ///
    /// - Parameters:
    ///   - duration: How long no element may come, in event time; positive.
    ///   - other: The stream to go on with.
    /// - Returns: The elements of this stream, and then of the other.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func timeout<Other: EventStream>(
        after duration: Duration,
        switchingTo other: Other
    ) -> TimeoutSwitch<Self, Other> where Other.Element == Element {
        TimeoutSwitch(self, TimeLimits(first: duration, each: duration), other)
    }

    /// Goes on with another stream when the first element does not come in time, or the next ones do not.
    ///
    ///     live.timeout(forFirst: .seconds(30), switchingTo: recorded)
    ///
    /// As `timeout(after:switchingTo:)`, with a duration of its own from the first watermark to the first element; without
    /// another duration, what comes after that takes as long as it likes.
    ///
    /// - Parameters:
    ///   - first: How long no first element may come, in event time; positive.
    ///   - next: How long no other element may come; positive.
    ///   - other: The stream to go on with.
    /// - Returns: The elements of this stream, and then of the other.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func timeout<Other: EventStream>(
        forFirst first: Duration,
        after next: Duration? = nil,
        switchingTo other: Other
    ) -> TimeoutSwitch<Self, Other> where Other.Element == Element {
        TimeoutSwitch(self, TimeLimits(first: first, each: next), other)
    }
}

/// The elements of a stream until the time-out, and then of another; made by `timeout(after:switchingTo:)`.
@frozen
public struct TimeoutSwitch<First: EventStream, Second: EventStream>: EventStream
where First.Element == Second.Element {
    public typealias Element = First.Element

    @usableFromInline let first: First
    @usableFromInline let limits: TimeLimits
    @usableFromInline let second: Second

    @inlinable
    init(_ first: First, _ limits: TimeLimits, _ second: Second) {
        self.first = first
        self.limits = limits
        self.second = second
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let chain = SubscriptionChain()
        let sink = TimeoutSwitchSink(limits, second, chain, sink)
        chain.attachFirst { first.attach(sink) }
        return chain.subscription()
    }
}

/// Attaches another stream when elements stop arriving.
@frozen
@usableFromInline
struct TimeoutSwitchSink<Next: EventStream, Downstream: Sink>: Sink where Next.Element == Downstream.Input {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let limits: TimeLimits
    @usableFromInline let next: Next
    @usableFromInline let chain: SubscriptionChain
    // None before the first signal.
    @usableFromInline var deadline: Timestamp?
    @usableFromInline var isEmpty = true
    @usableFromInline var watermark = Timestamp.distantPast
    // None after the time-out.
    @usableFromInline var downstream: Downstream?

    @inlinable
    init(
        _ limits: TimeLimits,
        _ next: Next,
        _ chain: SubscriptionChain,
        _ downstream: consuming Downstream
    ) {
        self.limits = limits
        self.next = next
        self.chain = chain
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
        downstream?.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard isInTime(watermark) else { return }
        if deadline == nil { deadline = watermark.shifted(byNanoseconds: limits.first) }
        self.watermark = max(self.watermark, watermark)
        downstream?.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard var last = downstream.take() else { return }
        last.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        if state.takeDeparture(.timedOut) {
            switchOver()
            return
        }
        try state.begin("timeout(switchingTo:)")
        try state.exchange(&deadline)
        try state.exchange(&isEmpty)
        try state.exchange(&watermark)
        try downstream?.exchangeState(&state)
    }

    /// Returns whether the stream has not timed out at a time, and goes on with the other otherwise.
    @inlinable
    mutating func isInTime(_ time: Timestamp) -> Bool {
        guard downstream != nil else { return false }
        guard let deadline, time > deadline else { return true }
        switchOver()
        return false
    }

    @usableFromInline
    mutating func switchOver() {
        guard let last = downstream.take() else { return }
        chain.goOn(because: .timedOut) { next.attach(LaterSink(watermark, chain, last)) }
    }
}
