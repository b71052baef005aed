public import WeirCore

extension EventStream {
    /// Transforms each element; an error that is thrown ends the stream.
    ///
    ///     readings.tryMap { try calibrated($0) }
    ///
    /// Emits a value when its element arrives, with the element's time. At the first error it fails with that, or is
    /// interrupted by a `CancellationError`, and detaches. Remembers whether it has ended. Watermarks and the
    /// completion pass until then.
    ///
    /// - Parameter transform: Called once for each element up to the first for which it throws.
    /// - Returns: The transformed elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func tryMap<Output: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Output
    ) -> TryCompactMap<Self, Output> {
        TryCompactMap(self) { try transform($0) }
    }

    /// Transforms each element and drops those without a result; an error that is thrown ends the stream.
    ///
    ///     readings.tryCompactMap { $0.celsius.isNaN ? nil : try calibrated($0) }
    ///
    /// Emits a value when its element arrives, with the element's time; nothing for `nil`. At the first error it fails
    /// with that, or is interrupted by a `CancellationError`, and detaches. Remembers whether it has ended. Watermarks
    /// and the completion pass until then.
    ///
    /// - Parameter transform: Called once for each element up to the first for which it throws.
    /// - Returns: The transformed elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func tryCompactMap<Output: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Output?
    ) -> TryCompactMap<Self, Output> {
        TryCompactMap(self, transform)
    }

    /// Emits the elements that satisfy a condition; an error that is thrown ends the stream.
    ///
    ///     readings.tryFilter { try calibrated($0).celsius > 30 }
    ///
    /// Emits an element when it arrives, with its time. At the first error it fails with that, or is interrupted by a
    /// `CancellationError`, and detaches. Remembers whether it has ended. Watermarks and the completion pass until
    /// then.
    ///
    /// - Parameter condition: Called once for each element up to the first for which it throws.
    /// - Returns: The elements that satisfy it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func tryFilter(
        _ condition: @escaping @Sendable (Element) throws -> Bool
    ) -> TryCompactMap<Self, Element> {
        TryCompactMap(self) { try condition($0) ? $0 : nil }
    }
}

/// The results of a transformation that may throw; made by `tryMap`, `tryCompactMap` and `tryFilter`.
@frozen
public struct TryCompactMap<Upstream: EventStream, Element: Sendable>: EventStream {
    @usableFromInline let upstream: Upstream
    @usableFromInline let transform: @Sendable (Upstream.Element) throws -> Element?

    @inlinable
    init(_ upstream: Upstream, _ transform: @escaping @Sendable (Upstream.Element) throws -> Element?) {
        self.upstream = upstream
        self.transform = transform
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(upstream.attach(TryCompactMapSink(transform, own, sink)))
    }
}

extension TryCompactMap: GroupableStream where Upstream: GroupableStream {}

/// Forwards the results of a transformation until it throws.
@frozen
@usableFromInline
struct TryCompactMapSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline let transform: @Sendable (Input) throws -> Downstream.Input?
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ transform: @escaping @Sendable (Input) throws -> Downstream.Input?,
        _ own: DeferredSubscription,
        _ downstream: consuming Downstream
    ) {
        self.transform = transform
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isFinished else { return }
        do {
            if let result = try transform(copy element) { downstream.receive(result, at: time) }
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
        try state.begin("tryMap")
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
