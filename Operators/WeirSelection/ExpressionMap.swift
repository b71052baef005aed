public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Transforms each element with a typed expression.
    ///
    ///     readings.select { $0.celsius * 1.8 + 32 }
    ///
    /// Does what `map` does with a closure, without a call per element. Emits a value when its element arrives, with
    /// the element's time. Remembers nothing. Watermarks and the completion pass.
    ///
    /// - Parameter projection: Takes a row that stands for the element, and returns the expression; called once. The expression
    ///   is computed once for each element.
    /// - Returns: The transformed elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func select<Projection: TermProtocol>(
        @TermBuilder _ projection: (Row<Element>) -> Projection
    ) -> ExpressionMap<Self, Projection.Expression>
    where Projection.Root == Element, Projection.Expression: ElementExpression {
        ExpressionMap(self, projection(Row()).expression)
    }
}

/// The transformed elements of a stream; made by `select`.
@frozen
public struct ExpressionMap<Upstream: EventStream, Projection: ElementExpression>: EventStream
where Projection.Root == Upstream.Element, Projection.Value: Sendable {
    public typealias Element = Projection.Value

    @usableFromInline let upstream: Upstream

    /// The transformation.
    public let projection: Projection

    @inlinable
    init(_ upstream: Upstream, _ projection: Projection) {
        self.upstream = upstream
        self.projection = projection
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ExpressionMapSink(projection, sink))
    }
}

extension ExpressionMap: GroupableStream where Upstream: GroupableStream {}

/// Forwards the transformed elements.
@frozen
@usableFromInline
struct ExpressionMapSink<Projection: ElementExpression, Downstream: Sink>: Sink
where Projection.Value == Downstream.Input, Projection.Root: Sendable {
    @usableFromInline typealias Input = Projection.Root

    @usableFromInline let projection: Projection
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ projection: Projection, _ downstream: consuming Downstream) {
        self.projection = projection
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(projection.value(of: element), at: time)
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
