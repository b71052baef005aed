public import WeirCore

extension EventStream {
    /// Finds pairs of neighbours that satisfy a condition together.
    ///
    /// The `followedBy` of a pattern is another: it skips elements between the two. Neighbours are two elements that arrive
    /// directly after each other; every element but the first and the last is a neighbour twice, so pairs may overlap.
    ///
    ///     readings.followedBy { previous, current in current.celsius - previous.celsius > 5 }
    ///         .subscribe { (previous, current) in print("jump from", previous, "to", current) }
    ///
    /// Emits the pair when its second element arrives, with that element's time. Remembers one element; every attached
    /// sink has a state of its own. Watermarks and the completion pass.
    ///
    /// - Parameter condition: Takes the earlier element and the later one; called once for each pair of neighbours.
    /// - Returns: The pairs that satisfy it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func followedBy(
        @ConditionBuilder _ condition: @escaping @Sendable (_ previous: Element, _ current: Element) -> Bool
    ) -> FollowedBy<Self> {
        FollowedBy(self, condition)
    }
}

/// The pairs of neighbours of a stream that satisfy a condition; made by `followedBy`.
@frozen
public struct FollowedBy<Upstream: EventStream>: EventStream {
    public typealias Element = (Upstream.Element, Upstream.Element)

    @usableFromInline let upstream: Upstream
    @usableFromInline let condition: @Sendable (Upstream.Element, Upstream.Element) -> Bool

    @inlinable
    init(_ upstream: Upstream, _ condition: @escaping @Sendable (Upstream.Element, Upstream.Element) -> Bool) {
        self.upstream = upstream
        self.condition = condition
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(FollowedBySink(condition, sink))
    }
}

extension FollowedBy: GroupableStream where Upstream: GroupableStream {}

/// Forwards the pairs of neighbours that satisfy a condition.
@frozen
@usableFromInline
struct FollowedBySink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == (Input, Input) {
    @usableFromInline var previous: Input?
    @usableFromInline let condition: @Sendable (Input, Input) -> Bool
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: @escaping @Sendable (Input, Input) -> Bool, _ downstream: consuming Downstream) {
        self.condition = condition
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if let previous, condition(previous, element) {
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
