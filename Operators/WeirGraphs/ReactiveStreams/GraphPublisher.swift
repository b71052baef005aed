internal import WeirCore

/// The end of a graph as a publisher, for one subscriber.
///
/// The subscriber's demand reaches the graph's sources.
///
/// Thread safety: any thread.
public final class GraphPublisher<Output: Sendable>: Publisher {
    private struct State: Sendable {
        var subscriber: (any Subscriber<Output>)?
        var hasSubscriber = false
        var demand = 0
        var isCancelled = false
        var error: (any Error)?
        var wake: Waker?
    }

    private let state = Locked(State())

    init() {}

    public func subscribe(_ subscriber: any Subscriber<Output>) {
        let isFirst = state.withLock { state in
            defer { state.hasSubscriber = true }
            return !state.hasSubscriber
        }
        guard isFirst else {
            // Rule 1.9: the subscription comes first, also where nothing follows but the error.
            subscriber.onSubscribe(NoSubscription())
            return subscriber.onError(DemandError.subscribed)
        }
        subscriber.onSubscribe(PublisherSubscription(publisher: self))
        // Not before `onSubscribe` has returned, so that signals are serial (rule 1.3).
        state.withLock { $0.subscriber = $0.isCancelled ? nil : subscriber }
        wake()
    }

    func request(_ count: Int) {
        let mustWake = state.withLock { state in
            guard !state.isCancelled else { return false }
            if count > 0 {
                let (sum, overflow) = state.demand.addingReportingOverflow(count)
                state.demand = overflow ? .max : sum
            } else if state.error == nil {
                state.error = DemandError.notPositive(count)
            }
            return true
        }
        if mustWake { wake() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Rule 3.13: release the subscriber.
            state.subscriber = nil
        }
        wake()
    }

    private func wake() {
        state.withLock { $0.wake }?()
    }

    // MARK: For the stage

    func onChange(_ wake: Waker) {
        state.withLock { $0.wake = wake }
    }

    /// Moves elements and demand between the wire and the subscriber; on the island's thread.
    func step(_ inlet: Wire<Output>, batch: Int) {
        while true {
            let (subscriber, demand, isCancelled, error) = state.withLock {
                ($0.subscriber, $0.demand, $0.isCancelled, $0.error)
            }
            if isCancelled { return inlet.cancel() }
            guard let subscriber else { return }
            if let error {
                end()
                inlet.cancel()
                return subscriber.onError(error)
            }
            if inlet.takeWatermark() != nil { continue }
            if demand > 0, inlet.available > 0 {
                // Before it is sent, because the subscriber may add demand meanwhile.
                state.withLock { if $0.demand != .max { $0.demand -= 1 } }
                subscriber.onNext(inlet.takeFirst().element)
            } else if inlet.isDrained, let completion = inlet.completion {
                guard !inlet.isCancelled else { return }
                end()
                inlet.cancel()
                switch completion {
                case .finished: subscriber.onComplete()
                case .failed(let error): subscriber.onError(error)
                // Reactive Streams has no third end.
                case .interrupted: subscriber.onError(CancellationError())
                }
                return
            } else {
                return inlet.request(upTo: min(batch, demand))
            }
        }
    }

    private func end() {
        state.withLock { state in
            state.isCancelled = true
            state.subscriber = nil
        }
    }
}

/// The subscription of a graph's publisher.
private struct PublisherSubscription<Output: Sendable>: DemandSubscription {
    let publisher: GraphPublisher<Output>

    func request(_ count: Int) {
        publisher.request(count)
    }

    func cancel() {
        publisher.cancel()
    }
}

/// The subscription of a rejected subscriber.
private struct NoSubscription: DemandSubscription {
    func request(_ count: Int) {}

    func cancel() {}
}

extension GraphSink where Result == GraphPublisher<Element> {
    /// Sends elements to its subscriber, up to the subscriber's demand.
    ///
    /// - Returns: The sink; its result is the publisher.
    public static func publisher() -> GraphSink {
        GraphSink(unchecked: { builder in
            let publisher = GraphPublisher<Element>()
            let stage = builder.addStage("publisher", inlets: ["in"], isExternal: true) { context in
                let inlet = context.inlet(0, of: Element.self)
                let batch = context.batch
                publisher.onChange(context.waker())
                return { publisher.step(inlet, batch: batch) }
            }
            return (Inlet(builder, stage, 0), publisher)
        })
    }
}
