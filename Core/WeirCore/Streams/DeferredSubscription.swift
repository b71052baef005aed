/// The subscription of a sink that may be done with its stream before the stream has said what the subscription is.
///
/// A sink that ends its stream by itself, such as that of `take`, detaches from what comes before; a channel outlives
/// most of its sinks.
///
/// The sink gets the handle first, and the handle the subscription: `own.set(upstream.attach(TakeSink(count, own, sink)))`.
///
/// Thread safety: all members, from any thread, also from inside the sink.
@usableFromInline
package final class DeferredSubscription: Sendable {
    private let state = Locked((subscription: Subscription?.none, isCancelled: false))

    /// Creates one without a subscription.
    @usableFromInline
    package init() {}

    /// Whether ``cancel()`` was called.
    @usableFromInline
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets the subscription; cancels it at once if that was asked for before.
    ///
    /// - Returns: The same.
    @usableFromInline
    @discardableResult
    package func set(_ subscription: Subscription) -> Subscription {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.subscription = subscription }
            return state.isCancelled
        }
        if isCancelled { subscription.cancel() }
        return subscription
    }

    /// Cancels the subscription, now or when it is set, and releases it.
    @usableFromInline
    package func cancel() {
        let subscription = state.withLock { state in
            state.isCancelled = true
            return state.subscription.take()
        }
        subscription?.cancel()
    }
}
