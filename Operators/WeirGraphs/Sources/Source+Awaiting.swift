public import WeirCore

/// The elements of an asynchronous sequence on their way to a stage.
private final class AwaitedElements<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var elements: [Element] = []
        var completion: Completion?
    }

    private let state = Locked(State())
    private let wake: Waker

    init(_ wake: Waker) {
        self.wake = wake
    }

    func add(_ element: Element) {
        state.withLock { $0.elements.append(element) }
        wake()
    }

    func finish(_ completion: Completion) {
        state.withLock { $0.completion = completion }
        wake()
    }

    /// Takes what has come; the completion when nothing comes before it any more.
    func take(upTo limit: Int) -> (elements: [Element], completion: Completion?) {
        state.withLock { state in
            let taken = Array(state.elements.prefix(limit))
            state.elements.removeFirst(taken.count)
            return (taken, state.elements.isEmpty ? state.completion : nil)
        }
    }

    /// Whether no more come.
    var hasEnded: Bool { state.withLock { $0.completion != nil } }

    func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        var (elements, completion) = state.withLock { ($0.elements, $0.completion) }
        try exchange.exchange(&elements)
        try exchange.exchange(&completion)
        guard exchange.isRestoring else { return }
        state.withLock { [elements, completion] state in (state.elements, state.completion) = (elements, completion) }
    }
}

extension Source where Handle == Void {
    /// The elements of an asynchronous sequence, which is asked for no more than is requested.
    ///
    ///     Source(awaiting: notifications, at: \.timestamp).to(.forEach { print($0) }).run()
    ///
    /// A task goes through the sequence; it is cancelled when the graph takes no more. The source fails when the
    /// sequence throws; a `CancellationError` interrupts it. Sends no watermarks. After a restart from a checkpoint, the
    /// elements that had come are sent, and then those of the sequence, from its start.
    ///
    /// - Parameters:
    ///   - sequence: The sequence; each run iterates over it.
    ///   - time: The event time of an element.
    public init<Elements: AsyncSequence & Sendable>(
        awaiting sequence: Elements,
        at time: @escaping @Sendable (Element) -> Timestamp
    ) where Elements.Element == Element {
        self.init(unchecked: { builder in
            let outlet = builder.addSource("awaiting", isExternal: true) { (context, outlet: Wire<Element>) in
                let awaited = AwaitedElements<Element>(context.waker())
                context.state.addField { state throws(StateError) in try awaited.exchangeState(&state) }
                // How many elements were asked for and not sent, without those from before a restart.
                var askedCount = 0
                let (asks, ask) = AsyncStream.makeStream(of: Int.self)
                var task: Task<Void, Never>?
                return {
                    if !outlet.isClosed {
                        let (elements, completion) = awaited.take(upTo: outlet.demand)
                        for element in elements { outlet.push(Timed(element, at: time(element))) }
                        askedCount = max(0, askedCount - elements.count)
                        if let completion { outlet.finish(completion) }
                    }
                    guard !outlet.isClosed else {
                        ask.finish()
                        task?.cancel()
                        return
                    }
                    if outlet.demand > askedCount, !awaited.hasEnded {
                        ask.yield(outlet.demand - askedCount)
                        askedCount = outlet.demand
                        task = task ?? Task { await sequence.pass(to: awaited, whenAsked: asks) }
                    }
                }
            }
            return (outlet, ())
        })
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Passes on as many elements as are asked for, and then the end.
    fileprivate func pass(to awaited: AwaitedElements<Element>, whenAsked asks: AsyncStream<Int>) async {
        var iterator = makeAsyncIterator()
        do {
            for await count in asks {
                for _ in 0..<count {
                    guard let element = try await iterator.next() else { return awaited.finish(.finished) }
                    awaited.add(element)
                }
            }
        } catch {
            awaited.finish(Completion(throwing: error))
        }
    }
}
