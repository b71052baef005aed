public import WeirCore

extension EventStream {
    /// Splits the stream in two by a condition.
    ///
    ///     let (hot, cold) = readings.partition { $0.celsius > 30 }
    ///
    /// Each part emits its elements when they arrive, with their times; every element is in exactly one part. Remembers
    /// nothing. Watermarks and the completion go to both. Each part attaches to the stream for itself, so the condition
    /// is called for each; `share()` the stream first where what comes before is costly or must run once.
    ///
    /// - Parameter condition: Called once for each element and part; must return the same result each time.
    /// - Returns: The elements that satisfy it, and those that do not.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func partition(
        @ConditionBuilder _ condition: @escaping @Sendable (Element) -> Bool
    ) -> (matching: Part<Self>, others: Part<Self>) {
        (Part(self, condition, true), Part(self, condition, false))
    }
}

/// One of the two parts of a stream; made by `partition`.
@frozen
public struct Part<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let condition: @Sendable (Element) -> Bool
    @usableFromInline let side: Bool

    @inlinable
    init(_ upstream: Upstream, _ condition: @escaping @Sendable (Element) -> Bool, _ side: Bool) {
        self.upstream = upstream
        self.condition = condition
        self.side = side
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(PartSink(condition, side, sink))
    }
}

extension Part: GroupableStream where Upstream: GroupableStream {}

/// Forwards one side of a partition.
@frozen
@usableFromInline
struct PartSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let condition: @Sendable (Input) -> Bool
    @usableFromInline let side: Bool
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: @escaping @Sendable (Input) -> Bool, _ side: Bool, _ downstream: consuming Downstream) {
        self.condition = condition
        self.side = side
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if condition(element) == side { downstream.receive(element, at: time) }
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
