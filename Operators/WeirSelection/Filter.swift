public import WeirCore

extension EventStream {
    /// Emits the elements that satisfy a condition.
    ///
    ///     readings.filter { $0.celsius > 30 }
    ///
    /// Emits an element when it arrives, with its time. Remembers nothing. Watermarks and the completion pass.
    ///
    /// - Parameter condition: Called once for each element.
    /// - Returns: The elements that satisfy it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func filter(@ConditionBuilder _ condition: @escaping @Sendable (Element) -> Bool) -> Filter<Self> {
        Filter(self, condition)
    }
}

/// The elements of a stream that satisfy a condition; made by `filter`.
@frozen
public struct Filter<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let condition: @Sendable (Element) -> Bool

    @inlinable
    init(_ upstream: Upstream, _ condition: @escaping @Sendable (Element) -> Bool) {
        self.upstream = upstream
        self.condition = condition
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(FilterSink(condition, sink))
    }
}

extension Filter: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements that satisfy a condition.
@frozen
@usableFromInline
struct FilterSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let condition: @Sendable (Input) -> Bool
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: @escaping @Sendable (Input) -> Bool, _ downstream: consuming Downstream) {
        self.condition = condition
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if condition(element) { downstream.receive(element, at: time) }
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
