public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Finds pairs of neighbours that satisfy a typed expression together.
    ///
    ///     readings.followedByWhere { previous, current in abs(current.celsius - previous.celsius) > 5 }
    ///
    /// Does what `followedBy` does with a closure, without a call per element. Emits the pair when its second element
    /// arrives, with that element's time. Remembers one element; every attached sink has a state of its own. Watermarks
    /// and the completion pass.
    ///
    /// - Parameter condition: Takes rows that stand for the earlier and the later element, and returns the condition; called
    ///   once. The condition is computed once for each pair of neighbours.
    /// - Returns: The pairs that satisfy it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func followedByWhere<Condition: TermProtocol>(
        @TermBuilder _ condition: (_ previous: PreviousRow<Element>, _ current: Row<Element>) -> Condition
    ) -> ExpressionFollowedBy<Self, Condition.Expression> where Condition.Root == Element, Condition.Value == Bool {
        ExpressionFollowedBy(self, condition(PreviousRow(), Row()).expression)
    }
}

/// The pairs of neighbours of a stream that satisfy a condition; made by `followedByWhere`.
@frozen
public struct ExpressionFollowedBy<Upstream: EventStream, Condition: TypedExpression>: EventStream
where Condition.Root == Upstream.Element, Condition.Value == Bool {
    public typealias Element = (Upstream.Element, Upstream.Element)

    @usableFromInline let upstream: Upstream

    /// The condition for a pair.
    public let condition: Condition

    @inlinable
    init(_ upstream: Upstream, _ condition: Condition) {
        self.upstream = upstream
        self.condition = condition
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ExpressionFollowedBySink(condition, sink))
    }
}

extension ExpressionFollowedBy: GroupableStream where Upstream: GroupableStream {}

/// Forwards the pairs of neighbours that satisfy a condition.
@frozen
@usableFromInline
struct ExpressionFollowedBySink<Condition: TypedExpression, Downstream: Sink>: Sink
where Downstream.Input == (Condition.Root, Condition.Root), Condition.Root: Sendable, Condition.Value == Bool {
    @usableFromInline typealias Input = Condition.Root

    @usableFromInline var previous: Input?
    @usableFromInline let condition: Condition
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: Condition, _ downstream: consuming Downstream) {
        self.condition = condition
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if let previous, condition.value(of: element, after: previous) {
            downstream.receive((previous, copy element), at: time)
        }
        previous = copy element
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        previous = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("followedBy")
        try state.exchange(&previous)
        try downstream.exchangeState(&state)
    }
}
