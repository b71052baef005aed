public import WeirCore

extension EventStream {
    /// Numbers the elements from zero.
    ///
    ///     readings.enumerated().filter { $0.index.isMultiple(of: 10) }
    ///
    /// Emits an element and its number when it arrives, with its time. Remembers the next number. Watermarks and the
    /// completion pass.
    ///
    /// - Returns: The elements with their numbers, in the order of arrival.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func enumerated() -> Enumerated<Self> {
        Enumerated(self)
    }
}

/// The elements of a stream with their numbers; made by `enumerated`.
@frozen
public struct Enumerated<Upstream: EventStream>: EventStream {
    public typealias Element = (index: Int, element: Upstream.Element)

    @usableFromInline let upstream: Upstream

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(EnumeratedSink(sink))
    }
}

extension Enumerated: GroupableStream where Upstream: GroupableStream {}

/// Forwards each element with its number.
@frozen
@usableFromInline
struct EnumeratedSink<Input: Sendable, Downstream: Sink>: Sink
where Downstream.Input == (index: Int, element: Input) {
    @usableFromInline var next = 0
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive((index: next, element: copy element), at: time)
        next += 1
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
        try state.begin("enumerated")
        try state.exchange(&next)
        try downstream.exchangeState(&state)
    }
}
