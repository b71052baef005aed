public import WeirCore

extension EventStream {
    /// Finds elements that an element of another stream follows within a duration.
    ///
    ///     orders.then(payments, within: .seconds(600))
    ///         .subscribe { (order, payment) in print(order.number, "may be paid by", payment.number) }
    ///
    /// A result is an element of this stream and an element of `other` that is younger (equal event times do not follow
    /// one another), by less than `duration`. Other elements may lie between them. Results depend on event times alone,
    /// not on the order of arrival.
    ///
    /// - With `ConsumptionPolicy/reuse`, every such pair is a result. It is emitted when the second of the two arrives: in input
    ///   that is in order that is the element of `other`. Pairs that arrive together come with the oldest first.
    /// - With `ConsumptionPolicy/consume`, an element is part of at most one pair: each element of `other`, in the order of their
    ///   event times, takes the oldest element before it that is free and young enough. Results are emitted when the
    ///   watermark has passed the element of `other`, oldest first.
    ///
    /// A pair has the event time of its element of `other`. Elements older than the watermark of both streams together
    /// go to ``Then/late``. An element is remembered until the watermark rules out that another pairs with it, and at
    /// most `limit` per stream: beyond that the oldest is forgotten and goes to ``Then/dropped``. So without watermarks
    /// the operator works on the last `limit` elements of each stream. The completion comes when both streams have
    /// ended, or at the first failure; it settles what waits for the watermark, unless it is a failure or an
    /// interruption.
    ///
    /// - Parameters:
    ///   - other: The stream whose elements come second.
    ///   - duration: The second element is less than this younger than the first; positive.
    ///   - consumption: Whether an element may be part of several pairs.
    ///   - limit: How many elements of each stream are remembered; positive.
    /// - Returns: The pairs.
    /// - Complexity: O(log *n* + *p*) per element, for *n* remembered elements and *p* pairs; without allocation.
    @inlinable
    public func then<Other: EventStream>(
        _ other: Other,
        within duration: Duration,
        consumption: ConsumptionPolicy = .reuse,
        limit: Int = 1024
    ) -> Then<Self, Other> {
        Then(self, other, duration, consumption, limit)
    }
}

/// The pairs of elements of two streams that follow one another; made by `then`.
@frozen
public struct Then<First: EventStream, Second: EventStream>: WatermarkWaiting {
    public typealias Element = (First.Element, Second.Element)

    /// An element of one of the streams.
    public typealias Part = Either<First.Element, Second.Element>

    /// The elements that were older than the watermark of both streams together; they are part of no pair.
    public let late = SideOutput<Part>()

    /// The elements that were removed at the limit, the oldest first.
    public let dropped = SideOutput<Part>()

    public let stalls = SideOutput<WatermarkStall>()

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let duration: Int64
    @usableFromInline let consumption: ConsumptionPolicy
    @usableFromInline let limit: Int

    @inlinable
    init(_ first: First, _ second: Second, _ duration: Duration, _ consumption: ConsumptionPolicy, _ limit: Int) {
        precondition(duration >= .nanoseconds(1), "Then: duration must be positive, but is \(duration)")
        precondition(limit > 0, "Then: limit must be positive, but is \(limit)")
        self.first = first
        self.second = second
        self.duration = duration.wholeNanoseconds
        self.consumption = consumption
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        EitherStream(first, second).attach(ThenSink(duration, consumption, limit, late, dropped, stalls, sink))
    }
}

/// Remembers elements of two streams and finds those that follow one another.
@frozen
@usableFromInline
struct ThenSink<First: Sendable, Second: Sendable, Downstream: Sink>: Sink
where Downstream.Input == (First, Second) {
    @usableFromInline typealias Input = Either<First, Second>

    @usableFromInline let duration: Int64
    @usableFromInline let consumption: ConsumptionPolicy
    @usableFromInline let limit: Int
    @usableFromInline let late: SideOutput<Either<First, Second>>
    @usableFromInline let dropped: SideOutput<Either<First, Second>>
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var firsts = TimeOrderedQueue<First>()
    @usableFromInline var seconds = TimeOrderedQueue<Second>()
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ duration: Int64,
        _ consumption: ConsumptionPolicy,
        _ limit: Int,
        _ late: SideOutput<Either<First, Second>>,
        _ dropped: SideOutput<Either<First, Second>>,
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
        watch.expect(at: time.shifted(byNanoseconds: duration), within: duration)
        watch.look(at: time)
        switch element {
        case .first(let first):
            if consumption == .reuse { pair(first, at: time) }
            // More than one where the state is of a pipeline with a greater limit.
            while firsts.count >= limit {
                let oldest = firsts.removeFirst()
                dropped.send(.first(oldest.value), at: oldest.time)
            }
            firsts.insert(first, at: time)
        case .second(let second):
            if consumption == .reuse {
                pair(second, at: time)
                // Nothing that is still to come is older.
                guard time > watermark else { return }
            }
            while seconds.count >= limit {
                let oldest = seconds.removeFirst()
                dropped.send(.second(oldest.value), at: oldest.time)
            }
            seconds.insert(second, at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if watermark > self.watermark {
            self.watermark = watermark
            watch.end()
            switch consumption {
            case .reuse:
                while let second = seconds.first, second.time <= watermark { seconds.removeFirst() }
            case .consume:
                while let second = seconds.first, second.time < watermark { settle(seconds.removeFirst()) }
            }
            forget(from: watermark)
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if consumption == .consume, case .finished = completion {
            while !seconds.isEmpty { settle(seconds.removeFirst()) }
        }
        firsts.removeAll()
        seconds.removeAll()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("then")
        try state.exchange(late)
        try state.exchange(dropped)
        try state.exchange(&watermark)
        try state.exchange(&firsts)
        try state.exchange(&seconds)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func pair(_ first: First, at time: Timestamp) {
        let end = time.shifted(byNanoseconds: duration)
        var index = seconds.isEmpty ? 0 : seconds.firstPosition(after: time)
        while index < seconds.count, seconds[index].time < end {
            downstream.receive((first, seconds[index].value), at: seconds[index].time)
            index += 1
        }
    }

    @inlinable
    mutating func pair(_ second: Second, at time: Timestamp) {
        var index = firsts.firstPosition(after: time.shifted(byNanoseconds: -duration))
        while index < firsts.count, firsts[index].time < time {
            downstream.receive((firsts[index].value, second), at: time)
            index += 1
        }
    }

    /// Pairs an element with the oldest that is free and young enough, when all that are older are known.
    @inlinable
    mutating func settle(_ second: TimeOrderedQueue<Second>.Entry) {
        forget(from: second.time)
        guard let first = firsts.first, first.time < second.time else { return }
        firsts.removeFirst()
        downstream.receive((first.value, second.value), at: second.time)
    }

    /// Removes the elements that nothing from `horizon` on can follow in time.
    @inlinable
    mutating func forget(from horizon: Timestamp) {
        let oldest = horizon.shifted(byNanoseconds: -duration)
        while let first = firsts.first, first.time <= oldest { firsts.removeFirst() }
    }
}
