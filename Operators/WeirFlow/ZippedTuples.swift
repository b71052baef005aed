public import WeirCore

/// The elements of several streams, by their numbers; what `zip` of more than two streams runs.
@frozen
public struct ZippedTuples<each Upstream: EventStream>: ZippedStream {
    public typealias Element = (repeat (each Upstream).Element)
    public typealias Part = (repeat (each Upstream).Element?)

    @usableFromInline let upstreams: (repeat each Upstream)
    @usableFromInline let limit: Int
    @usableFromInline let policy: LimitPolicy

    /// The elements that found no room to wait, or no partners before the end.
    public let refused = SideOutput<Part>()

    @inlinable
    init(_ upstreams: repeat each Upstream, limit: Int, policy: LimitPolicy) {
        precondition(limit > 0, "zip: limit must be positive, but is \(limit)")
        self.upstreams = (repeat each upstreams)
        self.limit = limit
        self.policy = policy
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        var count = 0
        for _ in repeat (each Upstream).self { count += 1 }
        let own = DeferredSubscription()
        let state = ZippedTuplesState<repeat (each Upstream).Element, S>(count, limit, policy, refused, own, sink)
        let junction = Junction(state, inputs: count)
        var position = 0
        var subscriptions: [Subscription] = []
        func join<Stream: EventStream>(_ stream: Stream) {
            let place = position
            let port = WrappingPort { (element: Stream.Element) in
                OneOf<repeat (each Upstream).Element>(element, at: place)
            }
            subscriptions.append(stream.attach(junction.input(place, port)))
            position += 1
        }
        repeat join(each upstreams)
        return own.set(junction.subscription(subscriptions))
    }
}

/// Remembers the elements of several inputs that wait for those of the others.
@frozen
@usableFromInline
struct ZippedTuplesState<each Element: Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == (repeat each Element) {
    @usableFromInline let limit: Int
    @usableFromInline let policy: LimitPolicy
    @usableFromInline let refused: SideOutput<(repeat (each Element)?)>
    @usableFromInline let own: DeferredSubscription
    // By input; at least one is empty.
    @usableFromInline var waiting: [Deque<(part: OneOf<repeat each Element>, time: Timestamp)>]
    @usableFromInline var hasFinished: [Bool]
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ count: Int,
        _ limit: Int,
        _ policy: LimitPolicy,
        _ refused: SideOutput<(repeat (each Element)?)>,
        _ own: DeferredSubscription,
        _ downstream: consuming Downstream
    ) {
        self.limit = limit
        self.policy = policy
        self.refused = refused
        self.own = own
        waiting = Array(repeating: Deque(), count: count)
        hasFinished = Array(repeating: false, count: count)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: OneOf<repeat each Element>, from input: Int, at time: Timestamp) {
        guard !isFinished else { return }
        if waiting[input].count >= limit {
            switch policy {
            case .dropNewest:
                refused.send(signal.values, at: time)
                return
            case .dropOldest:
                // More than one where the state is of a pipeline with a greater limit.
                while waiting[input].count >= limit, let oldest = waiting[input].popFirst() {
                    refused.send(oldest.part.values, at: oldest.time)
                }
            case .fail:
                refused.send(signal.values, at: time)
                finish(.failed(FlowError.overflow(limit: limit)))
                return
            }
        }
        waiting[input].append((signal, time))
        for queue in waiting where queue.count == 0 { return }
        emit()
    }

    /// Emits the first elements of all inputs.
    @inlinable
    mutating func emit() {
        var tuple = OneOf<repeat each Element>()
        var youngest = Timestamp.distantPast
        var isOver = false
        for input in waiting.indices {
            guard let next = waiting[input].popFirst() else { continue }
            tuple = tuple.merged(with: next.part)
            youngest = max(youngest, next.time)
            if hasFinished[input], waiting[input].count == 0 { isOver = true }
        }
        if let elements = tuple.complete { downstream.receive(elements, at: youngest) }
        if isOver { finish(.finished) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if !isFinished { downstream.advance(to: watermark) }
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool {
        hasFinished[input] = true
        return waiting[input].count == 0
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        for input in waiting.indices {
            while let alone = waiting[input].popFirst() { refused.send(alone.part.values, at: alone.time) }
        }
        waiting = []
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("zip")
        try state.exchange(refused)
        try state.exchange(&waiting)
        try state.exchange(&hasFinished)
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
