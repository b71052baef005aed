public import WeirCore

extension EventStream {
    /// Ends the stream at the first element that does not satisfy a condition.
    ///
    ///     readings.take(while: { $0.celsius < 30 })
    ///
    /// Emits an element when it arrives, with its time; at the first one that fails, which is not emitted, it finishes
    /// at once, and detaches. Remembers whether it has finished. Watermarks pass until then; the completion passes when
    /// it comes before.
    ///
    /// - Parameter condition: Called once for each element up to the first that fails.
    /// - Returns: The elements before that.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func take(@ConditionBuilder while condition: @escaping @Sendable (Element) -> Bool) -> TakeWhile<Self> {
        TakeWhile(self, condition)
    }
}

/// The elements of a stream before the first one that fails a condition; made by `take(while:)`.
@frozen
public struct TakeWhile<Upstream: EventStream>: EventStream {
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
        return own.set(upstream.attach(TakeWhileSink(condition, own, sink)))
    }
}

extension TakeWhile: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements before the first one that fails a condition, and then finishes.
@frozen
@usableFromInline
struct TakeWhileSink<Downstream: Sink>: Sink {
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
        if condition(element) {
            downstream.receive(element, at: time)
        } else {
            finish(.finished)
        }
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
        try state.begin("take(while:)")
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
