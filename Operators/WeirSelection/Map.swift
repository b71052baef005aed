public import WeirCore

extension EventStream {
    /// Transforms each element.
    ///
    ///     readings.map { $0.celsius * 1.8 + 32 }
    ///
    /// Emits a value when its element arrives, with the element's time. Remembers nothing. Watermarks and the
    /// completion pass.
    ///
    /// - Parameter transform: Called once for each element.
    /// - Returns: The transformed elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func map<Output: Sendable>(_ transform: @escaping @Sendable (Element) -> Output) -> Map<Self, Output> {
        Map(self, transform)
    }
}

/// The transformed elements of a stream; made by `map`.
@frozen
public struct Map<Upstream: EventStream, Element: Sendable>: EventStream {
    @usableFromInline let upstream: Upstream
    @usableFromInline let transform: @Sendable (Upstream.Element) -> Element

    @inlinable
    init(_ upstream: Upstream, _ transform: @escaping @Sendable (Upstream.Element) -> Element) {
        self.upstream = upstream
        self.transform = transform
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(MapSink(transform, sink))
    }
}

extension Map: GroupableStream where Upstream: GroupableStream {}

/// Forwards the transformed elements.
@frozen
@usableFromInline
struct MapSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline let transform: @Sendable (Input) -> Downstream.Input
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ transform: @escaping @Sendable (Input) -> Downstream.Input, _ downstream: consuming Downstream) {
        self.transform = transform
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(transform(element), at: time)
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
