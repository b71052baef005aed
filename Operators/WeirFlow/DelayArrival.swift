public import WeirCore
public import WeirDispatch

extension EventStream {
    /// Lets the elements arrive later, with their own times.
    ///
    ///     readings.delay(arrivalBy: .milliseconds(200), on: scheduler)
    ///
    /// Emits each element, with its time, when the scheduler's clock is `duration` after its arrival, on the thread that runs
    /// the scheduler. `delay(by:)` shifts the event times instead, and takes no time. Watermarks and the completion wait
    /// behind the elements that came before them; a failure or an interruption passes at once, and discards what waits.
    ///
    /// Remembers what waits: up to `limit` elements. What finds no room goes to ``DelayArrival/refused``, or fails the stream,
    /// as `overflowPolicy` says. Fails also when the scheduler has no room. After a restart, what waited comes when it was
    /// due; only what waits behind the end of the stream is in no checkpoint.
    ///
    /// - Parameters:
    ///   - duration: How much later; not negative.
    ///   - scheduler: The scheduler that waits.
    ///   - overflowPolicy: What happens to an element that finds no room.
    ///   - limit: How many elements may wait; positive.
    /// - Returns: The same elements, later.
    /// - Complexity: O(1) per element beside a timer of the scheduler for each arrival time.
    public func delay(
        arrivalBy duration: Duration,
        on scheduler: Scheduler,
        overflowPolicy: LimitPolicy = .fail,
        limit: Int = 1 << 20
    ) -> DelayArrival<Self> {
        precondition(duration >= .zero, "delay: duration must not be negative, but is \(duration)")
        precondition(limit > 0, "delay: limit must be positive, but is \(limit)")
        return DelayArrival(self, duration, scheduler, overflowPolicy, limit)
    }
}

/// The elements of a stream, later; made by `delay(arrivalBy:on:)`.
public struct DelayArrival<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    /// The elements that found no room.
    public let refused = SideOutput<Element>()

    let upstream: Upstream
    let duration: Duration
    let scheduler: Scheduler
    let policy: LimitPolicy
    let limit: Int

    init(_ upstream: Upstream, _ duration: Duration, _ scheduler: Scheduler, _ policy: LimitPolicy, _ limit: Int) {
        self.upstream = upstream
        self.duration = duration
        self.scheduler = scheduler
        self.policy = policy
        self.limit = limit
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let line = DelayLine(duration, scheduler)
        let own = DeferredSubscription()
        let junction = Junction(DelayState(line, policy, limit, refused, own, sink), inputs: 1)
        // A timer that is set keeps the junction, which the channel lets go at the end.
        line.setTick { [weak junction] in
            guard let junction else { return nil }
            return { junction.receive(.tick, from: 0, at: .distantPast) }
        }
        own.set(upstream.attach(DelayArrivalSink(junction)))
        return junction.subscription(
            Subscription {
                own.cancel()
                line.cancel()
            }
        )
    }
}

/// What waits for its time.
private enum DelayedSignal<Element: Sendable>: Sendable {
    case element(Element)
    case watermark
    case completion(Completion)
    case tick
}

/// Keeps signals until they are due.
private struct DelayState<Downstream: Sink>: JunctionState {
    typealias Signal = DelayedSignal<Downstream.Input>

    /// An element, or a watermark if there is none, and when it is to arrive.
    typealias Waiting = (element: Downstream.Input?, time: Timestamp, due: Timestamp)

    let line: DelayLine
    let policy: LimitPolicy
    let limit: Int
    let refused: SideOutput<Downstream.Input>
    let own: DeferredSubscription
    var waiting = Deque<Waiting>()
    // Of those that wait.
    var elementCount = 0
    // When the stream is to finish.
    var end: Timestamp?
    var isFinished = false
    var downstream: Downstream

    init(
        _ line: DelayLine,
        _ policy: LimitPolicy,
        _ limit: Int,
        _ refused: SideOutput<Downstream.Input>,
        _ own: DeferredSubscription,
        _ downstream: consuming Downstream
    ) {
        self.line = line
        self.policy = policy
        self.limit = limit
        self.refused = refused
        self.own = own
        self.downstream = downstream
    }

    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        guard !isFinished else { return }
        switch signal {
        case .element(let element): wait(element, time)
        case .watermark: wait(watermark: time)
        case .completion(.finished):
            if waiting.isEmpty { schedule(at: line.due) }
            end = end ?? line.due
        case .completion(let completion): finish(completion)
        case .tick: emitDue()
        }
    }

    private mutating func wait(_ element: Downstream.Input, _ time: Timestamp) {
        if elementCount >= limit {
            switch policy {
            case .dropNewest: return refused.send(element, at: time)
            case .dropOldest:
                // More than one where the state is of a pipeline with a greater limit.
                for _ in limit...elementCount { dropOldest() }
            case .fail:
                refused.send(element, at: time)
                return finish(.failed(FlowError.overflow(limit: limit)))
            }
        }
        elementCount += 1
        append((element, time, line.due))
    }

    private mutating func dropOldest() {
        // There is one; watermarks before it stay, and may wait for a timer that is set.
        for index in 0..<waiting.count {
            guard let element = waiting[index].element else { continue }
            let time = waiting[index].time
            waiting.removeAll(from: index, to: index + 1)
            elementCount -= 1
            return refused.send(element, at: time)
        }
    }

    private mutating func wait(watermark: Timestamp) {
        // No element lies between: the later one takes the place of the earlier one, so that they need no limit.
        if let last = waiting.last, last.element == nil {
            waiting[waiting.count - 1].time = max(last.time, watermark)
        } else {
            append((nil, watermark, line.due))
        }
    }

    private mutating func append(_ signal: Waiting) {
        let isFirst = waiting.isEmpty
        waiting.append(signal)
        if isFirst { schedule(at: signal.due) }
    }

    private mutating func schedule(at time: Timestamp) {
        do throws(TimerError) {
            try line.schedule(at: time)
        } catch {
            finish(.failed(error))
        }
    }

    private mutating func emitDue() {
        let now = line.now
        while let first = waiting.first, first.due <= now, !isFinished {
            waiting.removeFirst()
            if let element = first.element {
                elementCount -= 1
                downstream.receive(element, at: first.time)
            } else {
                downstream.advance(to: first.time)
            }
        }
        if let first = waiting.first {
            schedule(at: first.due)
        } else if let end {
            if end <= now { finish(.finished) } else { schedule(at: end) }
        }
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        waiting.removeAll()
        elementCount = 0
        downstream.finish(completion)
        own.cancel()
        line.cancel()
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("delay(arrivalBy:)")
        try state.exchange(refused)
        try state.exchange(&waiting)
        try state.exchange(&elementCount)
        try state.exchange(&end)
        try state.exchange(&isFinished)
        let isRestoring = state.isRestoring
        if isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
        if isRestoring, !isFinished, let next = waiting.first?.due ?? end { schedule(at: next) }
    }
}

/// Hands the signals of the stream to the state.
private struct DelayArrivalSink<Downstream: Sink>: Sink {
    typealias Input = Downstream.Input

    let junction: Junction<DelayState<Downstream>>

    init(_ junction: Junction<DelayState<Downstream>>) {
        self.junction = junction
    }

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        junction.receive(.element(copy element), from: 0, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        junction.receive(.watermark, from: 0, at: watermark)
    }

    mutating func finish(_ completion: Completion) {
        junction.receive(.completion(completion), from: 0, at: .distantFuture)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var input = junction.input(0, DelayPort())
        try input.exchangeState(&state)
    }
}

/// The port by which the state is saved.
private struct DelayPort<Value: Sendable>: JunctionPort {
    func signal(_ element: borrowing Value) -> DelayedSignal<Value> { .element(copy element) }
}
