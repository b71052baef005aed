public import WeirCore

extension EventStream {
    /// Shifts what happened before a point in time to that.
    ///
    ///     readings.delay(until: opening)
    ///
    /// Emits each element when it arrives, at `start` or its own time, whichever is later; so are the watermarks. Remembers
    /// whether a watermark has come. The completion passes.
    ///
    /// - Parameter start: The earliest time of what is emitted.
    /// - Returns: The same elements, none of them earlier.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func delay(until start: Timestamp) -> DelayUntil<Self> {
        DelayUntil(self, start)
    }
}

/// The elements of a stream, none before a point in time; made by `delay(until:)`.
@frozen
public struct DelayUntil<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let start: Timestamp

    @inlinable
    init(_ upstream: Upstream, _ start: Timestamp) {
        self.upstream = upstream
        self.start = start
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(DelayUntilSink(start, sink))
    }
}

extension DelayUntil: GroupableStream where Upstream: GroupableStream {}

/// Shifts early times.
@frozen
@usableFromInline
struct DelayUntilSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let start: Timestamp
    @usableFromInline var isBefore = true
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ start: Timestamp, _ downstream: consuming Downstream) {
        self.start = start
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(element, at: max(time, start))
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        // Those before the start say the same, all of them: that nothing is older than it.
        guard isBefore || watermark > start else { return }
        isBefore = false
        downstream.advance(to: max(watermark, start))
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("delay(until:)")
        try state.exchange(&isBefore)
        try downstream.exchangeState(&state)
    }
}
