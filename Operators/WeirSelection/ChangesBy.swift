public import WeirCore

extension EventStream {
    /// Drops the elements that are no change from their predecessor.
    ///
    ///     readings.changes { previous, current in abs(current.celsius - previous.celsius) > 0.5 }
    ///
    /// Emits the first element, and each that is a change from its predecessor, whether that was emitted or not, when it
    /// arrives, with its time. Remembers one element. Watermarks and the completion pass.
    ///
    /// - Parameter isChange: Takes an element and the one after it; called once for each pair of neighbours.
    /// - Returns: The first element and those that are a change.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func changes(
        @ConditionBuilder by isChange: @escaping @Sendable (_ previous: Element, _ current: Element) -> Bool
    )
        -> ChangesBy<Self>
    {
        ChangesBy(self, isChange)
    }
}

/// The elements of a stream that are a change from the one before; made by `changes(by:)`.
@frozen
public struct ChangesBy<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let isChange: @Sendable (Element, Element) -> Bool

    @inlinable
    init(_ upstream: Upstream, _ isChange: @escaping @Sendable (Element, Element) -> Bool) {
        self.upstream = upstream
        self.isChange = isChange
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ChangesBySink(isChange, sink))
    }
}

extension ChangesBy: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements that are a change from the one before.
@frozen
@usableFromInline
struct ChangesBySink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let isChange: @Sendable (Input, Input) -> Bool
    @usableFromInline var previous: Input?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ isChange: @escaping @Sendable (Input, Input) -> Bool, _ downstream: consuming Downstream) {
        self.isChange = isChange
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        var passes = true
        if let previous { passes = isChange(previous, element) }
        previous = copy element
        if passes { downstream.receive(element, at: time) }
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
        try state.begin("changes")
        try state.exchange(&previous)
        try downstream.exchangeState(&state)
    }
}
