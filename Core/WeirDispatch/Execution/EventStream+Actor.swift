public import WeirCore

extension EventStream {
    /// Calls `handler` for each element on the actor that calls this.
    ///
    ///     @MainActor final class Dashboard {
    ///         var hottest = 0.0
    ///         let bag = SubscriptionBag()
    ///
    ///         func start() {
    ///             readings.subscribeOnActor { [weak self] in self?.hottest = $0.celsius }.store(in: bag)
    ///         }
    ///     }
    ///
    /// The handler may use what belongs to the actor; it need not be `Sendable`, and is released on the actor. Elements
    /// wait in a ring, and one task hands over all that waits. The actor is not kept alive: when it has gone, the next
    /// element detaches. A handler that refers to `self` does keep it, until the subscription is cancelled. In a class
    /// of the main actor `[weak self]` avoids that, in an actor `[weak self]` with `self?.assumeIsolated {
    /// $0.note(reading) }`. Code outside of an actor does not compile; there use `receive(on: .mainActor)`.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait; a power of two.
    ///   - policy: What happens to an element that finds all places taken. An actor cannot be waited for: with
    ///     `OverflowPolicy.block` the element is dropped, as with `dropNewest`.
    ///   - dropped: Gets the elements that found no room.
    ///   - actor: The actor; the one that calls.
    ///   - handler: Called on the actor, in order.
    /// - Returns: The handle that ends it. After `cancel()` returns on the actor, no call follows.
    @discardableResult
    public func subscribeOnActor(
        capacity: Int = 1024,
        overflowPolicy policy: OverflowPolicy = .dropNewest,
        dropped: SideOutput<Element> = SideOutput(),
        isolation actor: isolated any Actor = #isolation,
        _ handler: @escaping (Element) -> Void
    ) -> Subscription {
        let own = DeferredSubscription()
        let context = ExecutionContext.actor(actor) { own.cancel() }
        let box = ActorBox(handler, of: actor)
        let received = ReceivedOn(
            upstream: self,
            context: context,
            capacity: capacity,
            policy: policy,
            dropped: dropped
        )
        own.set(received.attach(ActorSink(box: box)))
        return Subscription {
            own.cancel()
            context.perform { box.empty() }
        }
    }
}

/// Hands elements to a handler on its actor, where the sink runs.
private struct ActorSink<Input: Sendable>: Sink {
    let box: ActorBox<(Input) -> Void>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        box.use { $0(element) }
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        box.empty()
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}

extension EventChannel {
    /// Handles the events of the channel on the actor that calls this.
    ///
    ///     @MainActor final class Panel {
    ///         func start(_ channel: EventChannel<Temperature>) {
    ///             channel.listenOnActor { [weak self] temperature, context in self?.show(temperature) }
    ///         }
    ///         func show(_ temperature: Temperature) { print(temperature) }
    ///     }
    ///
    /// The handler may use what belongs to the actor; it need not be `Sendable`, and is released on the actor. The
    /// actor is not kept alive by the listener, but by a handler that refers to it; when it has gone, the listener
    /// ends.
    ///
    /// - Parameters:
    ///   - filter: Which of the events are worth handling.
    ///   - capacity: How many events may wait; a power of two. Further ones are dropped and counted.
    ///   - actor: The actor; the one that calls.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it. After `cancel()` returns on the actor, no call follows.
    @discardableResult
    public func listenOnActor(
        filter: ListenerFilter<Element> = .all,
        capacity: Int = 1024,
        isolation actor: isolated any Actor = #isolation,
        _ handler: @escaping (Element, EventContext) -> Void
    ) -> Subscription {
        // The owner is the actor: what comes after it finds nobody.
        let listener = Listener(filter: filter, owner: actor)
        let box = ActorBox(handler, of: actor)
        let queue = ActorQueue(actor) { listener.end() }
        let subscription = start(listener, capacity: capacity, limit: 1) { pending in
            queue.perform {
                while let (event, context) = pending.next() {
                    guard let claimed = listener.claim(event, context) else { continue }
                    box.use { $0(claimed.event, claimed.context) }
                }
            }
        }
        listener.onEnd { queue.perform { box.empty() } }
        return subscription
    }
}

extension EventBus {
    /// Handles the events of a type on the actor that calls this, wherever they are published on this bus.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - filter: Which of the events are worth handling.
    ///   - capacity: How many events may wait; a power of two. Further ones are dropped and counted.
    ///   - actor: The actor; the one that calls. It is not kept alive; when it has gone, the listener ends.
    ///   - handler: Takes the event and how it was dispatched; released on the actor.
    /// - Returns: The handle that ends it. After `cancel()` returns on the actor, no call follows.
    @discardableResult
    public func listenOnActor<E: Sendable>(
        to type: E.Type,
        filter: ListenerFilter<E> = .all,
        capacity: Int = 1024,
        isolation actor: isolated any Actor = #isolation,
        _ handler: @escaping (E, EventContext) -> Void
    ) -> Subscription {
        channel(of: type).listenOnActor(filter: filter, capacity: capacity, handler)
    }
}
