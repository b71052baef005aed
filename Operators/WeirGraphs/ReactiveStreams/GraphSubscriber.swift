public import WeirCore

/// The beginning of a graph as a subscriber.
///
/// Requests as many elements as it has room for, and more as the graph takes them.
///
/// Thread safety: any thread.
public final class GraphSubscriber<Input: Sendable>: Subscriber {
    private struct State: Sendable {
        var subscription: (any DemandSubscription)?
        var requested = 0
        var isOver = false
    }

    let boundary: GraphBoundary<Input>
    private let clock: @Sendable (Input) -> Timestamp
    private let state = Locked(State())

    init(capacity: Int, at time: @escaping @Sendable (Input) -> Timestamp) {
        boundary = GraphBoundary(capacity: capacity)
        clock = time
    }

    deinit {
        state.withLock { $0.subscription }?.cancel()
    }

    public func onSubscribe(_ subscription: any DemandSubscription) {
        let room = state.withLock { state -> Int? in
            guard state.subscription == nil, !state.isOver else { return nil }
            state.subscription = subscription
            // After a restart, elements may be waiting.
            state.requested = boundary.capacity - boundary.ring.count
            return state.requested
        }
        // Rule 2.5: a second subscription is cancelled.
        guard let room else { return subscription.cancel() }
        if room > 0 { subscription.request(room) }
    }

    public func onNext(_ element: Input) {
        let crossing = Crossing.element(Timed(element, at: clock(element)))
        let wasRequested = state.withLock { state in
            // Rule 2.8: elements may still come after the cancellation.
            guard !state.isOver else { return nil as Bool? }
            guard state.requested > 0 else { return false }
            state.requested -= 1
            // With the lock, so that nothing is written while the graph is saved.
            return boundary.ring.push(crossing)
        }
        guard let wasRequested else { return }
        guard wasRequested else {
            let subscription = end()
            boundary.finish(.failed(DemandError.exceeded(requested: boundary.capacity)))
            subscription?.cancel()
            return
        }
        boundary.hasWritten()
    }

    public func onError(_ error: any Error) {
        _ = end()
        boundary.finish(.failed(error))
    }

    public func onComplete() {
        _ = end()
        boundary.finish(.finished)
    }

    // MARK: For the stage

    /// Saves what waits, or gives it back; what was requested is requested anew of the next publisher.
    func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        try boundary.exchangeState(&exchange) { body in state.withLock { _ in body() } }
    }

    func step(_ outlet: Wire<Input>) {
        let before = outlet.demand
        boundary.read(outlet)
        if outlet.isCancelled {
            end()?.cancel()
        } else {
            replenish(before - outlet.demand)
        }
    }

    private func replenish(_ taken: Int) {
        guard taken > 0 else { return }
        let subscription = state.withLock { state -> (any DemandSubscription)? in
            guard !state.isOver else { return nil }
            state.requested += taken
            return state.subscription
        }
        subscription?.request(taken)
    }

    /// Rule 3.13 for the other side: releases the subscription.
    private func end() -> (any DemandSubscription)? {
        state.withLock { state in
            state.isOver = true
            defer { state.subscription = nil }
            return state.subscription
        }
    }
}

extension Source where Handle == GraphSubscriber<Element> {
    /// A source that gets its elements from a publisher; each run gives a subscriber to hand to one.
    ///
    /// - Parameters:
    ///   - capacity: The maximum of elements that are requested or waiting; rounded up to a power of two.
    ///   - time: The event time of an element; the epoch by default.
    /// - Returns: The source.
    public static func subscriber(
        capacity: Int = 64,
        at time: @escaping @Sendable (Element) -> Timestamp = { _ in .epoch }
    ) -> Source {
        Source(unchecked: { builder in
            let subscriber = GraphSubscriber<Element>(capacity: capacity, at: time)
            let outlet: Outlet<Element> = builder.addSource("subscriber", isExternal: true) { context, outlet in
                subscriber.boundary.setReader(context.waker())
                context.state.addField { state throws(StateError) in try subscriber.exchangeState(&state) }
                return { subscriber.step(outlet) }
            }
            return (outlet, subscriber)
        })
    }
}

extension Source where Handle == Void {
    /// The elements of a publisher; each run subscribes to it.
    ///
    /// - Parameters:
    ///   - publisher: The publisher.
    ///   - capacity: The maximum of elements that are requested or waiting; rounded up to a power of two.
    ///   - time: The event time of an element; the epoch by default.
    public init<P: Publisher>(
        publisher: P,
        capacity: Int = 64,
        at time: @escaping @Sendable (Element) -> Timestamp = { _ in .epoch }
    ) where P.Output == Element {
        self.init(unchecked: { builder in
            let subscriber = GraphSubscriber<Element>(capacity: capacity, at: time)
            let outlet: Outlet<Element> = builder.addSource("publisher", isExternal: true) { context, outlet in
                subscriber.boundary.setReader(context.waker())
                context.state.addField { state throws(StateError) in try subscriber.exchangeState(&state) }
                var isSubscribed = false
                return {
                    if !isSubscribed {
                        isSubscribed = true
                        publisher.subscribe(subscriber)
                    }
                    subscriber.step(outlet)
                }
            }
            return (outlet, ())
        })
    }
}

extension Flow {
    /// Runs the flow as a processor of Reactive Streams: a subscriber on one side, a publisher on the other.
    ///
    /// - Parameter settings: How to run it.
    /// - Returns: The processor.
    public func processor(_ settings: GraphSettings = GraphSettings()) -> GraphProcessor<Input, Output> {
        let source = Source<Input, GraphSubscriber<Input>>.subscriber().via(self)
        let graph = source.to(GraphSink<Output, GraphPublisher<Output>>.publisher()) { ($0, $1) }
        let (subscriber, publisher) = graph.run(settings)
        return GraphProcessor(subscriber: subscriber, publisher: publisher)
    }
}

/// A flow that runs between a publisher and a subscriber; made by `processor`.
public struct GraphProcessor<Input: Sendable, Output: Sendable>: PublisherProcessor {
    let subscriber: GraphSubscriber<Input>
    let publisher: GraphPublisher<Output>

    public func onSubscribe(_ subscription: any DemandSubscription) {
        subscriber.onSubscribe(subscription)
    }

    public func onNext(_ element: Input) {
        subscriber.onNext(element)
    }

    public func onError(_ error: any Error) {
        subscriber.onError(error)
    }

    public func onComplete() {
        subscriber.onComplete()
    }

    public func subscribe(_ other: any Subscriber<Output>) {
        publisher.subscribe(other)
    }
}
