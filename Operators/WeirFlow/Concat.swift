public import WeirCore

extension EventStream {
    /// Continues with another stream when this one has finished.
    ///
    ///     history.concat(live)
    ///
    /// Emits the elements of this stream, and then those of the other, when they arrive, with their times. The other
    /// stream is attached only then; events that a channel publishes before are not seen. Remembers the last watermark;
    /// watermarks of the other stream that are not later are dropped. Finishes with the other stream; ends when one
    /// fails or is interrupted.
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
        chain.set(chain.next(), first.attach(ConcatSink(second, chain, sink)))
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
            if !chain.isCancelled { chain.set(chain.next(), next.attach(LaterSink(watermark, downstream))) }
        case .failed, .interrupted:
            downstream.finish(completion)
        }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("concat")
        try state.exchange(&watermark)
        try downstream?.exchangeState(&state)
    }
}

/// Drops the watermarks that are not later than the last one.
@frozen
@usableFromInline
struct LaterSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var watermark: Timestamp
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ watermark: Timestamp, _ downstream: consuming Downstream) {
        self.watermark = watermark
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
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // In the place where the next stream has it: a stream that has switched while it was attached, such as one that
        // begins with known values, has it there in a new process too.
        try state.begin("later")
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }
}

/// The subscription of streams that are attached one after the other; refers to the current one.
@usableFromInline
final class SubscriptionChain: Sendable {
    private struct State: Sendable {
        var current: Subscription?
        // The number of the current stream. Its subscription can be set before that of a predecessor that ended while
        // it was being attached.
        var last = 0
        var isCancelled = false
        // What is attached after the stream that is being attached now.
        var following: (@Sendable () -> Subscription)?
        var isAttaching = false
    }

    private let state = Locked(State())
    private let numbers = SinkNumbers()

    @usableFromInline
    init() {
        SinkTemplate.requireNotTemplate()
    }

    @usableFromInline
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Detaches from the previous stream and returns the number of the next one.
    @usableFromInline
    func next() -> Int {
        let (number, previous) = state.withLock { state in
            state.last += 1
            return (state.last, state.current.take())
        }
        previous?.cancel()
        return number
    }

    /// Sets the subscription of a stream, which may have ended meanwhile.
    @usableFromInline
    func set(_ number: Int, _ subscription: Subscription) {
        let isCurrent = state.withLock { state in
            guard state.last == number, !state.isCancelled else { return false }
            state.current = subscription
            return true
        }
        if !isCurrent { subscription.cancel() }
    }

    /// Attaches a stream in place of the previous one; called from inside such a call, after that has returned.
    ///
    /// So streams that end while they are being attached, one after the other, take no room on the stack.
    @usableFromInline
    func attach(_ attach: @escaping @Sendable () -> Subscription) {
        let isFirst = state.withLock { state in
            state.following = attach
            defer { state.isAttaching = true }
            return !state.isAttaching
        }
        guard isFirst else { return }
        while let attach = takeFollowing() {
            let number = next()
            set(number, attach())
        }
    }

    /// Attaches a stream in place of the previous one, as ``attach(_:)`` does; checkpoints know it as the same.
    @usableFromInline
    func attachAgain(_ attach: @escaping @Sendable () -> Subscription) {
        self.attach { [numbers] in numbers.attach(attach) }
    }

    private func takeFollowing() -> (@Sendable () -> Subscription)? {
        state.withLock { state in
            let following = state.following.take()
            state.isAttaching = following != nil && !state.isCancelled
            return state.isAttaching ? following : nil
        }
    }

    @usableFromInline
    func subscription() -> Subscription {
        Subscription { [self] in
            let current = state.withLock { state in
                state.isCancelled = true
                return state.current.take()
            }
            current?.cancel()
        }
    }
}
