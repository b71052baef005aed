public import WeirCore

/// Finds elements of two streams that follow one another with no element of a third stream between them.
///
///     without(closings, between: openings, and: alarms, within: .seconds(60))
///         .subscribe { (opening, alarm) in print("left open:", opening.door) }
///
/// A result is an element of `first` and one of `second` that is younger, by less than `duration`, when no element of
/// `forbidden` is younger than the one and older than the other (at the event time of either it is not between them):
/// these are the pairs of `first.then(second, within: duration)`, without those with something forbidden between.
///
/// - With `ConsumptionPolicy/reuse`, every such pair is a result.
/// - With `ConsumptionPolicy/consume`, an element is part of at most one pair: each element of `second`, in the order of their
///   event times, takes the oldest element before it that is free, young enough, and has nothing forbidden behind it.
///
/// Emits a pair when the watermark of all three streams has passed its second element, with that element's time, oldest
/// first. The order of arrival makes no difference. The completion, unless it is a failure or an interruption, emits
/// the pairs that wait for the watermark. Remembers elements until the watermark passes them, those of `first` for
/// `duration` beyond it, and at most `limit` per stream: beyond that the oldest is forgotten and goes to
/// ``Without/dropped``. Elements older than the watermark go to ``Without/late``. ``Without/stalls`` tells when no watermark
/// comes.
///
/// - Parameters:
///   - forbidden: The stream whose elements must not lie between.
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - duration: The second element is less than this younger than the first; positive.
///   - consumption: Whether an element may be part of several pairs.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: The pairs.
/// - Complexity: O(*p*) per element that arrives in order, for *p* pairs that it is in.
@inlinable
public func without<Forbidden: EventStream, First: EventStream, Second: EventStream>(
    _ forbidden: Forbidden,
    between first: First,
    and second: Second,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Without<Forbidden, First, Second> {
    Without(EitherOfThreeStream(forbidden, first, second), duration, consumption, limit)
}

/// The pairs of elements with nothing forbidden between them; made by `without`.
@frozen
public struct Without<Forbidden: EventStream, First: EventStream, Second: EventStream>: WatermarkWaiting {
    public typealias Element = (First.Element, Second.Element)

    /// An element of one of the streams: the forbidden, the first, the second.
    public typealias Part = EitherOfThree<Forbidden.Element, First.Element, Second.Element>

    /// The elements that were older than the watermark of the three streams together.
    public let late = SideOutput<Part>()

    /// The elements that were removed at the limit.
    public let dropped = SideOutput<Part>()

    public let stalls = SideOutput<WatermarkStall>()

    @usableFromInline let streams: EitherOfThreeStream<Forbidden, First, Second>
    @usableFromInline let duration: Int64
    @usableFromInline let consumption: ConsumptionPolicy
    @usableFromInline let limit: Int

    @inlinable
    init(
        _ streams: EitherOfThreeStream<Forbidden, First, Second>,
        _ duration: Duration,
        _ consumption: ConsumptionPolicy,
        _ limit: Int
    ) {
        precondition(duration >= .nanoseconds(1), "Without: duration must be positive, but is \(duration)")
        precondition(limit > 0, "Without: limit must be positive, but is \(limit)")
        self.streams = streams
        self.duration = duration.wholeNanoseconds
        self.consumption = consumption
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        streams.attach(WithoutSink(duration, consumption, limit, late, dropped, stalls, sink))
    }
}

/// Pairs elements that have nothing forbidden between them, in the order of their times.
@frozen
@usableFromInline
struct WithoutSink<Forbidden: Sendable, First: Sendable, Second: Sendable, Downstream: Sink>: Sink
where Downstream.Input == (First, Second) {
    @usableFromInline typealias Input = EitherOfThree<Forbidden, First, Second>

    @usableFromInline let duration: Int64
    @usableFromInline let consumption: ConsumptionPolicy
    @usableFromInline let limit: Int
    @usableFromInline let late: SideOutput<EitherOfThree<Forbidden, First, Second>>
    @usableFromInline let dropped: SideOutput<EitherOfThree<Forbidden, First, Second>>
    @usableFromInline var watermark = Timestamp.distantPast
    // The elements that the watermark has not passed.
    @usableFromInline var forbidden = TimeOrderedQueue<Forbidden>()
    @usableFromInline var firsts = TimeOrderedQueue<First>()
    @usableFromInline var seconds = TimeOrderedQueue<Second>()
    // The first elements that no forbidden element has followed yet.
    @usableFromInline var open = TimeOrderedQueue<First>()
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ duration: Int64,
        _ consumption: ConsumptionPolicy,
        _ limit: Int,
        _ late: SideOutput<EitherOfThree<Forbidden, First, Second>>,
        _ dropped: SideOutput<EitherOfThree<Forbidden, First, Second>>,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        self.duration = duration
        self.consumption = consumption
        self.limit = limit
        self.late = late
        self.dropped = dropped
        watch = StallWatch(stalls)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        guard time >= watermark else {
            late.send(element, at: time)
            return
        }
        watch.expect(at: time, within: duration)
        watch.look(at: time)
        switch element {
        case .first(let element):
            // More than one where the state is of a pipeline with a greater limit.
            while forbidden.count >= limit {
                let oldest = forbidden.removeFirst()
                dropped.send(.first(oldest.value), at: oldest.time)
            }
            forbidden.insert(element, at: time)
        case .second(let element):
            while firsts.count >= limit {
                let oldest = firsts.removeFirst()
                dropped.send(.second(oldest.value), at: oldest.time)
            }
            firsts.insert(element, at: time)
        case .third(let element):
            while seconds.count >= limit {
                let oldest = seconds.removeFirst()
                dropped.send(.third(oldest.value), at: oldest.time)
            }
            seconds.insert(element, at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if watermark > self.watermark {
            self.watermark = watermark
            watch.end()
            settle(before: watermark)
            forget(from: watermark)
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { settle(before: nil) }
        forbidden.removeAll()
        firsts.removeAll()
        seconds.removeAll()
        open.removeAll()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("without")
        try state.exchange(late)
        try state.exchange(dropped)
        try state.exchange(&watermark)
        try state.exchange(&forbidden)
        try state.exchange(&firsts)
        try state.exchange(&seconds)
        try state.exchange(&open)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }

    /// Takes the elements that nothing older can follow, in the order of their times.
    ///
    /// Of equal times, what ends pairs comes first, then what forbids them, then what begins them: nothing at the same
    /// time lies before or behind.
    @inlinable
    mutating func settle(before limit: Timestamp?) {
        while true {
            if seconds.isEmpty, forbidden.isEmpty, firsts.isEmpty { return }
            let end = seconds.first?.time ?? .distantFuture
            let ban = forbidden.first?.time ?? .distantFuture
            let start = firsts.first?.time ?? .distantFuture
            let time = min(end, ban, start)
            if let limit, time >= limit { return }
            if end == time, !seconds.isEmpty {
                pair(seconds.removeFirst())
            } else if ban == time, !forbidden.isEmpty {
                forbidden.removeFirst()
                open.removeAll()
            } else {
                let first = firsts.removeFirst()
                forget(from: first.time)
                while open.count >= self.limit {
                    let oldest = open.removeFirst()
                    dropped.send(.second(oldest.value), at: oldest.time)
                }
                open.insert(first.value, at: first.time)
            }
        }
    }

    @inlinable
    mutating func pair(_ second: TimeOrderedQueue<Second>.Entry) {
        forget(from: second.time)
        switch consumption {
        case .reuse:
            for index in 0..<open.count { downstream.receive((open[index].value, second.value), at: second.time) }
        case .consume:
            guard !open.isEmpty else { return }
            downstream.receive((open.removeFirst().value, second.value), at: second.time)
        }
    }

    /// Removes the elements that nothing from `horizon` on can follow in time.
    @inlinable
    mutating func forget(from horizon: Timestamp) {
        let oldest = horizon.shifted(byNanoseconds: -duration)
        while let first = open.first, first.time <= oldest { open.removeFirst() }
    }
}
