public import WeirCore

extension EventStream {
    /// Transforms each element and drops those without a result.
    ///
    ///     lines.compactMap { Double($0.text) }
    ///
    /// Emits a value when its element arrives, with the element's time; nothing for `nil`. Remembers nothing.
    /// Watermarks and the completion pass.
    ///
    /// - Parameter transform: Called once for each element.
    /// - Returns: The transformed elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func compactMap<Output: Sendable>(
        _ transform: @escaping @Sendable (Element) -> Output?
    ) -> CompactMap<Self, Output> {
        CompactMap(self, transform)
    }
}

/// The results of a transformation that are not `nil`; made by `compactMap`.
@frozen
public struct CompactMap<Upstream: EventStream, Element: Sendable>: EventStream {
    @usableFromInline let upstream: Upstream
    @usableFromInline let transform: @Sendable (Upstream.Element) -> Element?

    @inlinable
    init(_ upstream: Upstream, _ transform: @escaping @Sendable (Upstream.Element) -> Element?) {
        self.upstream = upstream
        self.transform = transform
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(CompactMapSink(transform, sink))
    }
}

extension CompactMap: GroupableStream where Upstream: GroupableStream {}

/// Forwards the transformed elements that are not `nil`.
@frozen
@usableFromInline
struct CompactMapSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline let transform: @Sendable (Input) -> Downstream.Input?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ transform: @escaping @Sendable (Input) -> Downstream.Input?, _ downstream: consuming Downstream) {
        self.transform = transform
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if let output = transform(element) { downstream.receive(output, at: time) }
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
        try downstream.exchangeState(&state)
    }
}
