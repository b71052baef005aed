public import WeirCore

extension EventStream {
    /// Puts an element in place of a failure, and then finishes.
    ///
    ///     readings.replaceError(with: Reading())
    ///
    /// Emits the elements when they arrive, with their times; after a failure `replacement`, with the time of the
    /// latest element or the watermark, whichever is later; before both that is `Timestamp.distantPast`. Remembers that
    /// time. Watermarks pass; so do the end and an interruption.
    ///
    /// - Parameter replacement: The element.
    /// - Returns: The elements; never a failure.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func replaceError(with replacement: Element) -> ReplaceError<Self> {
        ReplaceError(self) { _ in replacement }
    }

    /// Puts an element that is made of the error in place of a failure, and then finishes.
    ///
    ///     readings.replaceError { $0 is FlowError ? Reading() : nil }
    ///
    /// The element's time, and what passes, are those of ``replaceError(with:)``.
    ///
    /// - Parameter replacement: Called at most once for each sink; `nil` lets the failure pass.
    /// - Returns: The elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func replaceError(_ replacement: @escaping @Sendable (any Error) -> Element?) -> ReplaceError<Self> {
        ReplaceError(self, replacement)
    }

    /// Puts an element in place of a failure with an error of a type, and then finishes.
    ///
    ///     readings.replaceError(FlowError.self) { error in Reading() }
    ///
    /// Failures of other types pass. The element's time, and what else passes, are those of ``replaceError(with:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the errors.
    ///   - replacement: Called at most once for each sink.
    /// - Returns: The elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func replaceError<Failure: Error>(
        _ type: Failure.Type,
        _ replacement: @escaping @Sendable (Failure) -> Element
    ) -> ReplaceError<Self> {
        ReplaceError(self) { error in (error as? Failure).map(replacement) }
    }
}

/// A stream that ends with an element in place of a failure; made by `replaceError`.
@frozen
public struct ReplaceError<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let replacement: @Sendable (any Error) -> Element?

    @inlinable
    init(_ upstream: Upstream, _ replacement: @escaping @Sendable (any Error) -> Element?) {
        self.upstream = upstream
        self.replacement = replacement
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ReplaceErrorSink(replacement, sink))
    }
}

extension ReplaceError: GroupableStream where Upstream: GroupableStream {}

/// Forwards everything but a failure.
@frozen
@usableFromInline
struct ReplaceErrorSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let replacement: @Sendable (any Error) -> Input?
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ replacement: @escaping @Sendable (any Error) -> Input?, _ downstream: consuming Downstream) {
        self.replacement = replacement
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        self.time = max(self.time, time)
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        time = max(time, watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard let error = completion.failure, let element = replacement(error) else {
            downstream.finish(completion)
            return
        }
        downstream.receive(element, at: time)
        downstream.finish(.finished)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("replaceError")
        try state.exchange(&time)
        try downstream.exchangeState(&state)
    }
}
