public import WeirCore

extension EventStream {
    /// Transforms each element into a sequence and emits its values.
    ///
    ///     orders.flatMap { $0.items }
    ///
    /// Emits the values of a sequence, in its order, when its element arrives, each with the element's time. Remembers
    /// nothing. Watermarks and the completion pass.
    ///
    /// - Parameter transform: Called once for each element; its sequence must be finite.
    /// - Returns: The values of all sequences.
    /// - Complexity: O(values) per element, without allocation but for what `transform` needs.
    @inlinable
    public func flatMap<Values: Sequence>(
        _ transform: @escaping @Sendable (Element) -> Values
    ) -> FlatMap<Self, Values> where Values.Element: Sendable {
        FlatMap(self, transform)
    }
}

/// The values of the sequences that the elements of a stream are turned into; made by `flatMap`.
@frozen
public struct FlatMap<Upstream: EventStream, Values: Sequence>: EventStream where Values.Element: Sendable {
    public typealias Element = Values.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let transform: @Sendable (Upstream.Element) -> Values

    @inlinable
    init(_ upstream: Upstream, _ transform: @escaping @Sendable (Upstream.Element) -> Values) {
        self.upstream = upstream
        self.transform = transform
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(FlatMapSink(transform, sink))
    }
}

extension FlatMap: GroupableStream where Upstream: GroupableStream {}

/// Forwards the values of the sequences that elements are transformed into.
@frozen
@usableFromInline
struct FlatMapSink<Input: Sendable, Values: Sequence, Downstream: Sink>: Sink
where Downstream.Input == Values.Element {
    @usableFromInline let transform: @Sendable (Input) -> Values
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ transform: @escaping @Sendable (Input) -> Values, _ downstream: consuming Downstream) {
        self.transform = transform
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        for value in transform(element) { downstream.receive(value, at: time) }
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
