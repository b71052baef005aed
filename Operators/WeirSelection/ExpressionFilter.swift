public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Emits the elements that satisfy a condition, which is a typed expression.
    ///
    ///     readings.where { $0.celsius > 30 && $0.station == "north" }
    ///
    /// Does what `filter` does with a closure, without a call per element; the condition can be printed, compared and
    /// written down. Emits an element when it arrives, with its
    /// time. Remembers nothing. Watermarks and the completion pass.
    ///
    /// - Parameter condition: Takes a row that stands for the element, and returns the condition; called once. The condition
    ///   is computed once for each element.
    /// - Returns: The elements that satisfy it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func `where`<Condition: TermProtocol>(
        @RowConditionBuilder<Element> _ condition: (Row<Element>) -> Condition
    ) -> ExpressionFilter<Self, Condition.Expression>
    where Condition.Root == Element, Condition.Value == Bool, Condition.Expression: ElementExpression {
        ExpressionFilter(self, condition(Row()).expression)
    }
}

/// The elements of a stream that satisfy a condition; made by `where`.
@frozen
public struct ExpressionFilter<Upstream: EventStream, Condition: ElementExpression>: EventStream
where Condition.Root == Upstream.Element, Condition.Value == Bool {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream

    /// The condition for an element.
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

extension ExpressionFilter: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements that satisfy a condition.
@frozen
@usableFromInline
struct ExpressionFilterSink<Condition: ElementExpression, Downstream: Sink>: Sink
where Condition.Root == Downstream.Input, Condition.Value == Bool {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let condition: Condition
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: Condition, _ downstream: consuming Downstream) {
        self.condition = condition
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if condition.value(of: element) { downstream.receive(element, at: time) }
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
