internal import Synchronization

/// Where an operator puts what it cannot use: late elements, elements beyond a limit.
///
/// They are counted, and subscribers get them, so that nothing is lost in silence.
///
/// An operator's stream shows its side outputs as properties; they belong to the stream, so all sinks that are attached
/// to it share them.
///
///     let averages = readings.tumbling(.seconds(10)).mean(of: \.celsius)
///     averages.late.subscribe { reading in print("late:", reading) }
///     averages.late.count
///
/// Thread safety: all members, from any thread.
public final class SideOutput<Element: Sendable>: Sendable {
    private struct Handler: Sendable {
        let subscription: Subscription
        let handle: @Sendable (Element, Timestamp) -> Void
    }

    private let handlers = Locked<[Handler]>([])
    private let sent = Atomic<UInt64>(0)

    /// Creates a side output without subscribers.
    public init() {}

    /// How many elements were put here.
    public var count: UInt64 { sent.load(ordering: .relaxed) }

    /// Calls `handler` with each element that is put here from now on.
    ///
    /// - Parameter handler: Takes the element; called on the thread that runs the operator.
    /// - Returns: The handle that ends the calls; letting go of it does not.
    @discardableResult
    public func subscribe(_ handler: @escaping @Sendable (Element) -> Void) -> Subscription {
        subscribeWithTime { element, _ in handler(element) }
    }

    /// Calls `handler` with each element that is put here from now on, as long as an object is there.
    ///
    /// - Parameters:
    ///   - owner: Not kept alive. The first element that comes after it has gone ends the calls.
    ///   - handler: Takes the element; called on the thread that runs the operator.
    /// - Returns: The handle that ends the calls earlier.
    @discardableResult
    public func subscribe(
        owner: any AnyObject & Sendable,
        _ handler: @escaping @Sendable (Element) -> Void
    ) -> Subscription {
        let (owner, own) = (WeakReference(owner), DeferredSubscription())
        return own.set(
            subscribeWithTime { element, _ in
                if owner.object == nil { own.cancel() } else { handler(element) }
            }
        )
    }

    /// Calls `handler` with each element that is put here from now on, and its event time.
    ///
    /// - Parameter handler: Takes the element and its event time; called on the thread that runs the operator.
    /// - Returns: The handle that ends the calls; letting go of it does not.
    @discardableResult
    public func subscribeWithTime(_ handler: @escaping @Sendable (Element, Timestamp) -> Void) -> Subscription {
        let subscription = Subscription { [weak self] in self?.forgetCancelled() }
        handlers.withLock { $0.append(Handler(subscription: subscription, handle: handler)) }
        return subscription
    }

    /// Sends on what is put here to another side output, which then has what several operators could not use.
    ///
    ///     let late = SideOutput<Reading>()
    ///     readings.tumbling(.seconds(1)).late.forward(to: late)
    ///     readings.tumbling(.seconds(60)).late.forward(to: late)
    ///
    /// - Parameter other: The other side output; not this one, and none that forwards to it.
    /// - Returns: The handle that ends it; letting go of it does not.
    @discardableResult
    public func forward(to other: SideOutput<Element>) -> Subscription {
        subscribeWithTime { element, time in other.send(element, at: time) }
    }

    /// Publishes what is put here on a channel: operators, actors and asynchronous sequences follow.
    ///
    ///     let late = EventChannel<Reading>()
    ///     readings.tumbling(.seconds(1)).late.forward(to: late)
    ///     late.receive(on: .mainActor).subscribe { print("too late:", $0.celsius) }
    ///
    /// Elements that have no time of their own get that of their arrival.
    ///
    /// - Parameter channel: The channel; it is not finished.
    /// - Returns: The handle that ends it; letting go of it does not.
    @discardableResult
    public func forward(to channel: EventChannel<Element>) -> Subscription {
        subscribe { channel.publish($0) }
    }

    /// Whether a handler would be called.
    package var hasSubscribers: Bool { handlers.withLock { $0.contains { !$0.subscription.isCancelled } } }

    private func forgetCancelled() {
        let handlers = handlers.withLock { handlers in
            defer { handlers.removeAll { $0.subscription.isCancelled } }
            return handlers
        }
        // Outside the lock: what goes with a handler is foreign.
        withExtendedLifetime(handlers) {}
    }

    func restore(count: UInt64) { sent.store(count, ordering: .relaxed) }

    /// Puts an element here.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    public func send(_ element: Element, at time: Timestamp) {
        sent.wrappingAdd(1, ordering: .relaxed)
        for handler in handlers.withLock({ $0 }) where !handler.subscription.isCancelled {
            handler.handle(element, time)
        }
    }
}
