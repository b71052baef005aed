public import WeirCore

extension EventStream {
    /// Emits each pair of neighbours: the element before, and the element.
    ///
    ///     positions.pairwise().map { (previous, current) in distance(previous, current) }
    ///
    /// Emits a pair when its second element arrives, with that element's time; nothing for the first element. Remembers
    /// one element; every attached sink has a state of its own. Watermarks and the completion pass.
    ///
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func pairwise() -> Pairwise<Self> {
        Pairwise(self)
    }
}

/// The pairs of neighbours of a stream; made by `pairwise`.
@frozen
public struct Pairwise<Upstream: EventStream>: EventStream {
    public typealias Element = (Upstream.Element, Upstream.Element)

    @usableFromInline let upstream: Upstream

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(PairwiseSink(sink))
    }
}

extension Pairwise: GroupableStream where Upstream: GroupableStream {}

/// Forwards each pair of neighbours.
@frozen
@usableFromInline
struct PairwiseSink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == (Input, Input) {
    @usableFromInline var previous: Input?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if let previous {
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
        try state.begin("pairwise")
        try state.exchange(&previous)
        try downstream.exchangeState(&state)
    }
}
