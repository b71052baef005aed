public import WeirCore

extension EventStream {
    /// Calls a function with each element and forwards the stream unchanged.
    ///
    ///     readings.tap { print("in:", $0) }.filter { $0.celsius > 30 }
    ///
    /// Emits each element when it arrives, with its time, after the call. Remembers nothing. Watermarks and the
    /// completion pass.
    ///
    /// - Parameters:
    ///   - onElement: Called with each element, before the element is forwarded.
    ///   - onCompletion: Called once at the end, before the completion is forwarded.
    /// - Returns: The same elements.
    /// - Complexity: That of `onElement` per element, without allocation of its own.
    @inlinable
    public func tap(
        _ onElement: @escaping @Sendable (Element) -> Void,
        onCompletion: (@Sendable (Completion) -> Void)? = nil
    ) -> Tap<Self> {
        Tap(self, onElement, onCompletion)
    }
}

/// The elements of a stream, each passed to a function first; made by `tap`.
@frozen
public struct Tap<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let onElement: @Sendable (Element) -> Void
    @usableFromInline let onCompletion: (@Sendable (Completion) -> Void)?

    @inlinable
    init(
        _ upstream: Upstream,
        _ onElement: @escaping @Sendable (Element) -> Void,
        _ onCompletion: (@Sendable (Completion) -> Void)?
    ) {
        self.upstream = upstream
        self.onElement = onElement
        self.onCompletion = onCompletion
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(TapSink(onElement, onCompletion, sink))
    }
}

extension Tap: GroupableStream where Upstream: GroupableStream {}

/// Calls a function with each element before it forwards it.
@frozen
@usableFromInline
struct TapSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let onElement: @Sendable (Input) -> Void
    @usableFromInline let onCompletion: (@Sendable (Completion) -> Void)?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ onElement: @escaping @Sendable (Input) -> Void,
        _ onCompletion: (@Sendable (Completion) -> Void)?,
        _ downstream: consuming Downstream
    ) {
        self.onElement = onElement
        self.onCompletion = onCompletion
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        onElement(element)
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        onCompletion?(completion)
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
