internal import Synchronization
public import WeirCore

extension EventStream {
    /// Calls functions at the events in the life of a subscription, and forwards the stream unchanged.
    ///
    ///     readings.tap(onAttach: { print("begins") }, onDetach: { print("nobody listens any more") })
    ///
    /// Emits each element when it arrives, with its time, after the call. Remembers nothing but whether the end has come.
    /// Watermarks and the completion pass, after the calls.
    ///
    /// - Parameters:
    ///   - onAttach: Called for each sink, before it is attached, on the thread that attaches it.
    ///   - onElement: Called with each element and its event time.
    ///   - onWatermark: Called with each watermark.
    ///   - onCompletion: Called once at the end.
    ///   - onDetach: Called once when the subscription is cancelled before the end, on the thread that cancels it.
    /// - Returns: The same elements.
    /// - Complexity: That of the functions, without allocation of its own.
    @inlinable
    public func tap(
        onAttach: (@Sendable () -> Void)? = nil,
        onElement: (@Sendable (Element, Timestamp) -> Void)? = nil,
        onWatermark: (@Sendable (Timestamp) -> Void)? = nil,
        onCompletion: (@Sendable (Completion) -> Void)? = nil,
        onDetach: (@Sendable () -> Void)? = nil
    ) -> TapLife<Self> {
        TapLife(self, onAttach, TapHandlers(onElement, onWatermark, onCompletion), onDetach)
    }
}

/// The elements of a stream, with functions that are told of its life; made by `tap(onAttach:)`.
@frozen
public struct TapLife<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let onAttach: (@Sendable () -> Void)?
    @usableFromInline let handlers: TapHandlers<Element>
    @usableFromInline let onDetach: (@Sendable () -> Void)?

    @inlinable
    init(
        _ upstream: Upstream,
        _ onAttach: (@Sendable () -> Void)?,
        _ handlers: TapHandlers<Element>,
        _ onDetach: (@Sendable () -> Void)?
    ) {
        self.upstream = upstream
        self.onAttach = onAttach
        self.handlers = handlers
        self.onDetach = onDetach
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        onAttach?()
        let end = TapEnd()
        let onDetach = onDetach
        let attached = upstream.attach(TapLifeSink(handlers, end, sink))
        return Subscription {
            attached.cancel()
            if end.mark() { onDetach?() }
        }
    }
}

/// Whether a stream has ended, or was detached.
@usableFromInline
final class TapEnd: Sendable {
    private let hasEnded = Atomic<Bool>(false)

    @usableFromInline
    init() {
        SinkTemplate.requireNotCopied()
    }

    /// Notes the end, and returns whether it is the first.
    @usableFromInline
    func mark() -> Bool { !hasEnded.exchange(true, ordering: .relaxed) }
}

/// What is called with the signals of a stream.
@frozen
@usableFromInline
struct TapHandlers<Element: Sendable>: Sendable {
    @usableFromInline let onElement: (@Sendable (Element, Timestamp) -> Void)?
    @usableFromInline let onWatermark: (@Sendable (Timestamp) -> Void)?
    @usableFromInline let onCompletion: (@Sendable (Completion) -> Void)?

    @inlinable
    init(
        _ onElement: (@Sendable (Element, Timestamp) -> Void)?,
        _ onWatermark: (@Sendable (Timestamp) -> Void)?,
        _ onCompletion: (@Sendable (Completion) -> Void)?
    ) {
        self.onElement = onElement
        self.onWatermark = onWatermark
        self.onCompletion = onCompletion
    }
}

/// Calls functions with each signal before it forwards it.
@frozen
@usableFromInline
struct TapLifeSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let handlers: TapHandlers<Input>
    @usableFromInline let end: TapEnd
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ handlers: TapHandlers<Input>, _ end: TapEnd, _ downstream: consuming Downstream) {
        self.handlers = handlers
        self.end = end
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        handlers.onElement?(copy element, time)
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        handlers.onWatermark?(watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if end.mark() { handlers.onCompletion?(completion) }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
