public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Lets through the elements that satisfy a condition, given as a typed expression.
    ///
    ///     readings.filter(\.celsius > 30)
    ///
    /// Does what the form with a closure does, without calling one. Emits an element when it arrives, with its time.
    /// Remembers nothing. Watermarks and the completion pass.
    ///
    /// - Parameter condition: Computed once for each element.
    /// - Returns: The elements that satisfy it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func filter<Condition: ElementExpression>(_ condition: Condition) -> ExpressionFilter<Self, Condition>
    where Condition.Root == Element, Condition.Value == Bool {
        ExpressionFilter(self, condition)
    }
}

/// The elements of a stream that satisfy a condition; made by `filter` of a typed expression.
@frozen
public struct ExpressionFilter<Upstream: EventStream, Condition: ElementExpression>: EventStream
where Condition.Root == Upstream.Element, Condition.Value == Bool {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream

    /// What an element must satisfy.
    public let condition: Condition

    @inlinable
    init(_ upstream: Upstream, _ condition: Condition) {
        self.upstream = upstream
        self.condition = condition
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ExpressionFilterSink(condition, sink))
    }
}

/// Hands on the elements that satisfy a condition.
@frozen
public struct ExpressionFilterSink<Condition: ElementExpression, Downstream: Sink>: Sink
where Condition.Root == Downstream.Input, Condition.Value == Bool {
    public typealias Input = Downstream.Input

    @usableFromInline let condition: Condition
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: Condition, _ downstream: consuming Downstream) {
        self.condition = condition
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if condition.value(of: element) { downstream.receive(element, at: time) }
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
