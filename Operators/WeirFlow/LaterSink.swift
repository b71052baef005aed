public import WeirCore

/// Hands on the signals of the stream that comes next, without watermarks that are not later than the last one.
@frozen
@usableFromInline
struct LaterSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var watermark: Timestamp
    @usableFromInline let chain: SubscriptionChain
    // The operator, where a new process could not go on with the stream.
    @usableFromInline let unsaveable: String?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ watermark: Timestamp,
        _ chain: SubscriptionChain,
        _ downstream: consuming Downstream,
        unsaveable: String? = nil
    ) {
        self.watermark = watermark
        self.chain = chain
        self.unsaveable = unsaveable
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        chain.end()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        if let unsaveable, state.isSaving { throw .unsaveable(operator: unsaveable) }
        // In the place where the next stream has it, and where a new process has it too: a stream that has switched while
        // it was attached, such as one that begins with known values, does so again, and another one is told to.
        try state.begin("later")
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }
}
