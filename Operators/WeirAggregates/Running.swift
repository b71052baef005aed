public import WeirCore

extension EventStream {
    /// Emits the aggregate of all elements so far, after each.
    ///
    ///     readings.running(Mean(of: \.celsius))
    ///
    /// Emits when an element arrives, with the element's time, in the order of arrival. Remembers the aggregate, which
    /// grows without a limit if it keeps elements. Watermarks and the completion pass.
    ///
    /// - Parameter aggregate: The aggregate of no elements.
    /// - Returns: The running results.
    /// - Complexity: That of the aggregate.
    @inlinable
    public func running<A: Aggregate>(_ aggregate: A) -> Running<Self, A> where A.Input == Element {
        Running(self, aggregate)
    }
}

/// The aggregates of all elements so far; made by `running`.
@frozen
public struct Running<Upstream: EventStream, Base: Aggregate>: EventStream where Base.Input == Upstream.Element {
    public typealias Element = Base.Output

    @usableFromInline let upstream: Upstream
    @usableFromInline let aggregate: Base

    @inlinable
    init(_ upstream: Upstream, _ aggregate: Base) {
        self.upstream = upstream
        self.aggregate = aggregate
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(RunningSink(aggregate, sink))
    }
}

extension Running: GroupableStream where Upstream: GroupableStream {}

/// Emits the aggregate of all elements after each.
@frozen
@usableFromInline
struct RunningSink<Base: Aggregate, Downstream: Sink>: Sink where Downstream.Input == Base.Output {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline var aggregate: Base
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ aggregate: Base, _ downstream: consuming Downstream) {
        self.aggregate = aggregate
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        aggregate.add(element, at: time)
        downstream.receive(aggregate.result(), at: time)
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
        try state.begin("running")
        try aggregate.exchangeState(&state)
        try downstream.exchangeState(&state)
    }
}
