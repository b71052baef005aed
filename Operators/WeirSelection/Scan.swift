public import WeirCore

extension EventStream {
    /// Folds the elements into a running value and emits it after each.
    ///
    ///     amounts.scan(into: 0.0) { total, amount in total += amount }
    ///
    /// Emits when an element arrives, with the element's time. Remembers the running value. Watermarks and the
    /// completion pass.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - update: Takes the running value and an element, and changes the value.
    /// - Returns: The running values.
    /// - Complexity: That of `update` per element, without allocation of its own.
    @inlinable
    public func scan<Output: Sendable>(
        into initial: Output,
        _ update: @escaping @Sendable (inout Output, Element) -> Void
    ) -> Scan<Self, Output> {
        Scan(self, initial, update)
    }
}

/// The running values of a fold over a stream; made by `scan`.
@frozen
public struct Scan<Upstream: EventStream, Element: Sendable>: EventStream {
    @usableFromInline let upstream: Upstream
    @usableFromInline let initial: Element
    @usableFromInline let update: @Sendable (inout Element, Upstream.Element) -> Void

    @inlinable
    init(
        _ upstream: Upstream,
        _ initial: Element,
        _ update: @escaping @Sendable (inout Element, Upstream.Element) -> Void
    ) {
        self.upstream = upstream
        self.initial = initial
        self.update = update
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ScanSink(initial, update, sink))
    }
}

extension Scan: GroupableStream where Upstream: GroupableStream {}

/// Forwards the running value of a fold.
@frozen
@usableFromInline
struct ScanSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline var value: Downstream.Input
    @usableFromInline let update: @Sendable (inout Downstream.Input, Input) -> Void
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ initial: Downstream.Input,
        _ update: @escaping @Sendable (inout Downstream.Input, Input) -> Void,
        _ downstream: consuming Downstream
    ) {
        self.value = initial
        self.update = update
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        update(&value, element)
        downstream.receive(value, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("scan")
        try state.exchange(&value)
        try downstream.exchangeState(&state)
    }
}
