public import WeirCore

extension EventStream {
    /// Folds the elements into a running value and emits it after each; an error that is thrown ends the stream.
    ///
    ///     amounts.tryScan(into: 0.0) { total, amount in
    ///         guard amount >= 0 else { throw NegativeAmount() }
    ///         total += amount
    ///     }
    ///
    /// Emits when an element arrives, with the element's time. At the first error it fails with that, or is interrupted
    /// by a `CancellationError`, and detaches. Remembers the running value. Watermarks and the completion pass until
    /// then.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - update: Takes the running value and an element, and changes the value.
    /// - Returns: The running values.
    /// - Complexity: That of `update` per element, without allocation of its own.
    @inlinable
    public func tryScan<Output: Sendable>(
        into initial: Output,
        _ update: @escaping @Sendable (inout Output, Element) throws -> Void
    ) -> TryScan<Self, Output> {
        TryScan(self, initial, update)
    }
}

/// The running values of a fold that may throw; made by `tryScan`.
@frozen
public struct TryScan<Upstream: EventStream, Element: Sendable>: EventStream {
    @usableFromInline let upstream: Upstream
    @usableFromInline let initial: Element
    @usableFromInline let update: @Sendable (inout Element, Upstream.Element) throws -> Void

    @inlinable
    init(
        _ upstream: Upstream,
        _ initial: Element,
        _ update: @escaping @Sendable (inout Element, Upstream.Element) throws -> Void
    ) {
        self.upstream = upstream
        self.initial = initial
        self.update = update
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(upstream.attach(TryScanSink(initial, update, own, sink)))
    }
}

extension TryScan: GroupableStream where Upstream: GroupableStream {}

/// Forwards the running value of a fold until it throws.
@frozen
@usableFromInline
struct TryScanSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline var value: Downstream.Input
    @usableFromInline let update: @Sendable (inout Downstream.Input, Input) throws -> Void
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ value: Downstream.Input,
        _ update: @escaping @Sendable (inout Downstream.Input, Input) throws -> Void,
        _ own: DeferredSubscription,
        _ downstream: consuming Downstream
    ) {
        self.value = value
        self.update = update
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isFinished else { return }
        do {
            try update(&value, copy element)
            downstream.receive(value, at: time)
        } catch {
            finish(Completion(throwing: error))
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
        try state.begin("tryScan")
        try state.exchange(&value)
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
