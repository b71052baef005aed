public import WeirCore

extension EventStream {
    /// Ends the stream with the first element that satisfies a condition.
    ///
    ///     readings.takeThrough { $0.celsius > 30 }
    ///
    /// Emits an element when it arrives, with its time; with the first that satisfies the condition it finishes at once, and
    /// detaches. `take(while:)` leaves that element out. Remembers whether it has come. Watermarks pass until then; the
    /// completion passes when it comes before.
    ///
    /// - Parameter condition: Called once for each element.
    /// - Returns: The elements up to the first that satisfies the condition, and that one.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func takeThrough(_ condition: @escaping @Sendable (Element) -> Bool) -> TakeThrough<Self> {
        TakeThrough(self, condition)
    }
}

/// The elements of a stream up to one that satisfies a condition; made by `takeThrough(_:)`.
@frozen
public struct TakeThrough<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let condition: @Sendable (Element) -> Bool

    @inlinable
    init(_ upstream: Upstream, _ condition: @escaping @Sendable (Element) -> Bool) {
        self.upstream = upstream
        self.condition = condition
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(upstream.attach(TakeThroughSink(condition, own, sink)))
    }
}

extension TakeThrough: GroupableStream where Upstream: GroupableStream {}

/// Finishes with an element that satisfies a condition.
@frozen
@usableFromInline
struct TakeThroughSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let condition: @Sendable (Input) -> Bool
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ condition: @escaping @Sendable (Input) -> Bool,
        _ own: DeferredSubscription,
        _ downstream: consuming Downstream
    ) {
        self.condition = condition
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isFinished else { return }
        let isLast = condition(element)
        downstream.receive(element, at: time)
        if isLast { finish(.finished) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if !isFinished { downstream.advance(to: watermark) }
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
        try state.begin("takeThrough")
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
