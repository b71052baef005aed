public import WeirCore

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

    /// Attaches the first stream.
    @usableFromInline
    func attachFirst(_ attach: () -> Subscription) {
        let number = next()
        set(number, numbers.attach(attach))
    }

    /// Goes on with another stream, unless the subscription was cancelled.
    @usableFromInline
    func goOn(because departure: Departure, _ attach: () -> Subscription) {
        guard !isCancelled else { return }
        numbers.leave(because: departure)
        attachFirst(attach)
    }

    /// Says that no signals follow.
    @usableFromInline
    func end() { numbers.end() }

    /// Says that nothing is attached until the next call of ``attachAgain(_:)``.
    ///
    /// - Parameter exchange: Exchanges the state of what will be.
    @usableFromInline
    func pause(_ exchange: @escaping @Sendable (inout StateExchange) throws(StateError) -> Void) {
        numbers.pause(exchange)
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
            numbers.end()
            current?.cancel()
        }
    }
}
