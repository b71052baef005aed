public import WeirCore

extension EventStream {
    /// Emits the element that arrived last, when the stream has finished.
    ///
    ///     readings.last()
    ///
    /// Emits one element at the completion, with its own time; none if the stream broke off. A stream without elements
    /// finishes without one, which ``failIfEmpty()`` makes a failure. Remembers one element. Watermarks pass, but none
    /// that is later than the element that it remembers, so that the element is not late when it is emitted; the
    /// completion passes after the element.
    ///
    /// - Returns: The element that arrived last.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func last() -> Last<Self> {
        Last(self)
    }
}

/// The last element of a stream; made by `last`.
@frozen
public struct Last<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(LastSink(sink))
    }
}

extension Last: GroupableStream where Upstream: GroupableStream {}

/// Forwards the last element at the completion.
@frozen
@usableFromInline
struct LastSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var last: Input?
    // After every watermark as long as there is no element.
    @usableFromInline var time = Timestamp.distantFuture
    @usableFromInline var sentWatermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        last = copy element
        self.time = time
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        let safe = min(watermark, time)
        guard safe > sentWatermark else { return }
        sentWatermark = safe
        downstream.advance(to: safe)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, let last { downstream.receive(last, at: time) }
        last = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("last")
        try state.exchange(&last)
        try state.exchange(&time)
        try state.exchange(&sentWatermark)
        try downstream.exchangeState(&state)
    }
}
