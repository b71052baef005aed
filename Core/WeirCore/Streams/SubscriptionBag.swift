/// Subscriptions that end together: with the bag.
///
///     final class Monitor: Sendable {
///         let bag = SubscriptionBag()
///
///         func start() {
///             readings.subscribe { print($0) }.store(in: bag)
///             readings.subscribe { print("again:", $0) }.store(in: bag)
///         }
///     }
///
/// When the last reference to the bag goes, it cancels what it holds. Keep it in the object that the subscriptions work
/// for, and let their closures refer to that object weakly, or it never goes.
///
/// Thread safety: any thread.
public final class SubscriptionBag: Sendable {
    private struct State: Sendable {
        var subscriptions: [Subscription] = []
        // The number from which cancelled ones are searched for.
        var sweepCount = 16
    }

    private let state = Locked(State())

    /// Creates an empty bag.
    public init() {}

    deinit {
        cancel()
    }

    /// How many subscriptions the bag holds; of those that were cancelled by themselves, some may be among them.
    public var count: Int { state.withLock { $0.subscriptions.count } }

    /// Adds a subscription.
    ///
    /// - Parameter subscription: Cancelled with the bag.
    /// - Complexity: O(1), amortised; cancelled ones are forgotten.
    public func insert(_ subscription: Subscription) {
        state.withLock { state in
            if state.subscriptions.count >= state.sweepCount {
                state.subscriptions.removeAll { $0.isCancelled }
                state.sweepCount = max(16, 2 * state.subscriptions.count)
            }
            state.subscriptions.append(subscription)
        }
    }

    /// Cancels all that the bag holds, in the order in which they came, and empties it; it can be used on.
    public func cancel() {
        let subscriptions = state.withLock { state in
            defer { state = State() }
            return state.subscriptions
        }
        for subscription in subscriptions { subscription.cancel() }
    }
}

extension Subscription {
    /// Leaves the subscription to a bag, which cancels it when it goes.
    ///
    ///     readings.subscribe { print($0) }.store(in: bag)
    ///
    /// - Parameter bag: The bag.
    public func store(in bag: SubscriptionBag) {
        bag.insert(self)
    }
}
