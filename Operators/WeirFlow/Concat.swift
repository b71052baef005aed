public import WeirCore

extension EventStream {
    /// Continues with another stream when this one has finished.
    ///
    ///     history.concat(live)
    ///
    /// Emits the elements of this stream, and then those of the other, when they arrive, with their times. The other
    /// stream is attached only then; events that a channel publishes before are not seen. Remembers the last watermark;
    /// watermarks of the other stream that are not later are dropped. Finishes with the other stream; ends when one
    /// fails or is interrupted. A checkpoint knows which stream it is at.
    ///
    /// - Parameter other: The stream to continue with; attached on the thread on which this stream finishes.
    /// - Returns: The elements of both, one after the other.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func concat<Other: EventStream>(_ other: Other) -> Concat<Self, Other> where Other.Element == Element {
        Concat(self, other)
    }
}

/// The elements of one stream and then another; made by `concat`.
@frozen
public struct Concat<First: EventStream, Second: EventStream>: EventStream where First.Element == Second.Element {
    public typealias Element = First.Element

    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let chain = SubscriptionChain()
        let sink = ConcatSink(second, chain, sink)
        chain.attachFirst { first.attach(sink) }
        return chain.subscription()
    }
}

/// Switches to the next stream at the completion.
@frozen
@usableFromInline
struct ConcatSink<Next: EventStream, Downstream: Sink>: Sink where Next.Element == Downstream.Input {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let next: Next
    @usableFromInline let chain: SubscriptionChain
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream?

    @inlinable
    init(_ next: Next, _ chain: SubscriptionChain, _ downstream: consuming Downstream) {
        self.next = next
        self.chain = chain
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream?.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream?.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard var downstream = downstream.take() else { return }
        switch completion {
        case .finished:
            chain.goOn(because: .finished) { next.attach(LaterSink(watermark, chain, downstream)) }
        case .failed, .interrupted:
            downstream.finish(completion)
        }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        if state.takeDeparture(.finished) {
            finish(.finished)
            return
        }
        try state.begin("concat")
        try state.exchange(&watermark)
        try downstream?.exchangeState(&state)
    }
}
