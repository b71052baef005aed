public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Turns each element into the value of a typed expression.
    ///
    ///     readings.map(\.celsius * 1.8 + 32)
    ///
    /// Does what the form with a closure does, without calling one. Emits a value when its element arrives, with the
    /// element's time. Remembers nothing. Watermarks and the completion pass.
    ///
    /// - Parameter projection: Computed once for each element.
    /// - Returns: The values that it makes.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func map<Projection: ElementExpression>(_ projection: Projection) -> ExpressionMap<Self, Projection>
    where Projection.Root == Element {
        ExpressionMap(self, projection)
    }
}

/// The elements of a stream, each turned into another value; made by `map` of a typed expression.
@frozen
public struct ExpressionMap<Upstream: EventStream, Projection: ElementExpression>: EventStream
where Projection.Root == Upstream.Element, Projection.Value: Sendable {
    public typealias Element = Projection.Value

    @usableFromInline let upstream: Upstream

    /// What an element is turned into.
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

/// Turns each element into another value and hands that on.
@frozen
public struct ExpressionMapSink<Projection: ElementExpression, Downstream: Sink>: Sink
where Projection.Value == Downstream.Input, Projection.Root: Sendable {
    public typealias Input = Projection.Root

    @usableFromInline let projection: Projection
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ projection: Projection, _ downstream: consuming Downstream) {
        self.projection = projection
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(projection.value(of: element), at: time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }
}
