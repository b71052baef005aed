public import WeirCore

extension EventStream {
    /// Ends the stream after its first elements.
    ///
    ///     readings.take(3)
    ///
    /// Emits an element when it arrives, with its time; with the last one it finishes at once, and detaches. Remembers
    /// how many are still to come. Watermarks pass until then; the completion passes when it comes before.
    ///
    /// - Parameter count: How many elements, in the order of arrival; positive.
    /// - Returns: The first elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func take(_ count: Int) -> Take<Self> {
        precondition(count > 0, "take: count must be positive, but is \(count)")
        return Take(self, count)
    }

    /// Ends the stream after its first element.
    ///
    ///     alarms.first()
    ///
    /// Emits the element when it arrives, with its time, finishes at once, and detaches. Remembers whether it has
    /// arrived. Watermarks pass until then; a stream without elements finishes without one, which ``failIfEmpty()``
    /// makes a failure.
    ///
    /// - Returns: The element that arrives first.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func first() -> Take<Self> {
        Take(self, 1)
    }

    /// Ends the stream after the first element that satisfies a condition.
    ///
    ///     readings.first { $0.celsius > 30 }
    ///
    /// Emits the element when it arrives, with its time, finishes at once, and detaches. Remembers whether it has
    /// arrived. Watermarks pass until then; a stream without such an element finishes without one, which
    /// ``failIfEmpty()`` makes a failure.
    ///
    /// - Parameter condition: Called once for each element.
    /// - Returns: The first element that satisfies it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func first(@ConditionBuilder where condition: @escaping @Sendable (Element) -> Bool) -> Take<Filter<Self>> {
        Take(Filter(self, condition), 1)
    }
}

/// The first elements of a stream; made by `take(_:)` and `first`.
@frozen
public struct Take<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let count: Int

    @inlinable
    init(_ upstream: Upstream, _ count: Int) {
        self.upstream = upstream
        self.count = count
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(upstream.attach(TakeSink(count, own, sink)))
    }
}

extension Take: GroupableStream where Upstream: GroupableStream {}

/// Forwards the first elements, and then finishes.
@frozen
@usableFromInline
struct TakeSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    // Zero once the stream has ended.
    @usableFromInline var wanted: Int
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ wanted: Int, _ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.wanted = wanted
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard wanted > 0 else { return }
        wanted -= 1
        downstream.receive(element, at: time)
        guard wanted == 0 else { return }
        downstream.finish(.finished)
        own.cancel()
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if wanted > 0 { downstream.advance(to: watermark) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard wanted > 0 else { return }
        wanted = 0
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("take")
        try state.exchange(&wanted)
        if state.isRestoring, wanted == 0 { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
