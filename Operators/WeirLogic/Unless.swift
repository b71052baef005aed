public import WeirCore

extension EventStream {
    /// Finds elements that no element of another stream follows within a duration.
    ///
    ///     orders.unless(payments, within: .seconds(600)).subscribe { order in print("not paid:", order.number) }
    ///
    /// An element of `other` follows when it is younger (equal event times do not follow one another), by less than
    /// `duration`: so an element is emitted here if and only if `then` with the same arguments has no pair for it.
    ///
    /// Emits an element once, when the watermark of both streams reaches its deadline, which is `duration` after it;
    /// with the event time of the deadline; in the order of the deadlines. The order of arrival makes no difference.
    /// When both streams have ended, the waiting elements are emitted; after a failure or an interruption they
    /// go to ``Unless/dropped``.
    ///
    /// Remembers an element until it is followed or emitted, an element of `other` until the watermark reaches it, and
    /// at most `limit` of each: beyond that the oldest is forgotten and goes to ``Unless/dropped``. Elements older than
    /// the watermark of both streams together go to ``Unless/late``; they follow nothing. ``Unless/stalls`` tells when no
    /// watermark comes.
    ///
    /// - Parameters:
    ///   - other: The stream whose elements must not follow.
    ///   - duration: How long an element has to stay alone; positive.
    ///   - limit: How many elements of each stream are remembered; positive.
    /// - Returns: The elements that stay alone.
    /// - Complexity: O(log *n* + *r*) per element, for *n* remembered elements of which it rules out *r*.
    @inlinable
    public func unless<Other: EventStream>(
        _ other: Other,
        within duration: Duration,
        limit: Int = 1024
    ) -> Unless<Self, Other> {
        Unless(self, other, duration, limit)
    }
}

/// The elements of a stream that no element of another one follows; made by `unless`.
@frozen
public struct Unless<First: EventStream, Second: EventStream>: WatermarkWaiting {
    public typealias Element = First.Element

    /// An element of one of the streams.
    public typealias Part = Either<First.Element, Second.Element>

    /// The elements that were older than the watermark of both streams together.
    public let late = SideOutput<Part>()

    /// The elements that were removed at the limit, or undecided when a stream broke off.
    public let dropped = SideOutput<Part>()

    public let stalls = SideOutput<WatermarkStall>()

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let duration: Int64
    @usableFromInline let limit: Int

    @inlinable
    init(_ first: First, _ second: Second, _ duration: Duration, _ limit: Int) {
        precondition(duration >= .nanoseconds(1), "Unless: duration must be positive, but is \(duration)")
        precondition(limit > 0, "Unless: limit must be positive, but is \(limit)")
        self.first = first
        self.second = second
        self.duration = duration.wholeNanoseconds
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        EitherStream(first, second).attach(UnlessSink(duration, limit, late, dropped, stalls, sink))
    }
}

/// Forwards the elements that nothing followed, at their deadlines.
@frozen
@usableFromInline
struct UnlessSink<Second: Sendable, Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Either<Downstream.Input, Second>

    @usableFromInline let duration: Int64
    @usableFromInline let limit: Int
    @usableFromInline let late: SideOutput<Either<Downstream.Input, Second>>
    @usableFromInline let dropped: SideOutput<Either<Downstream.Input, Second>>
    @usableFromInline var watermark = Timestamp.distantPast
    // The elements that have not been followed yet.
    @usableFromInline var firsts = TimeOrderedQueue<Downstream.Input>()
    // What may follow elements that are still to come.
    @usableFromInline var seconds = TimeOrderedQueue<Second>()
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ duration: Int64,
        _ limit: Int,
        _ late: SideOutput<Either<Downstream.Input, Second>>,
        _ dropped: SideOutput<Either<Downstream.Input, Second>>,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        self.duration = duration
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
        watch.look(at: time)
        switch element {
        case .first(let first):
            let next = seconds.isEmpty ? 0 : seconds.firstPosition(after: time)
            if next < seconds.count, seconds[next].time < time.shifted(byNanoseconds: duration) { return }
            // More than one where the state is of a pipeline with a greater limit.
            while firsts.count >= limit {
                let oldest = firsts.removeFirst()
                dropped.send(.first(oldest.value), at: oldest.time)
            }
            firsts.insert(first, at: time)
            watch.expect(at: time.shifted(byNanoseconds: duration), within: duration)
        case .second(let second):
            let start = firsts.firstPosition(after: time.shifted(byNanoseconds: -duration))
            firsts.removeAll(from: start, to: firsts.firstPosition(from: time))
            // Nothing that is still to come is older.
            guard time > watermark else { return }
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
            while let first = firsts.first {
                let deadline = first.time.shifted(byNanoseconds: duration)
                guard deadline <= watermark else { break }
                firsts.removeFirst()
                downstream.receive(first.value, at: deadline)
            }
            while let second = seconds.first, second.time <= watermark { seconds.removeFirst() }
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        while !firsts.isEmpty {
            let first = firsts.removeFirst()
            switch completion {
            case .finished: downstream.receive(first.value, at: first.time.shifted(byNanoseconds: duration))
            case .failed, .interrupted: dropped.send(.first(first.value), at: first.time)
            }
        }
        seconds.removeAll()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("unless")
        try state.exchange(late)
        try state.exchange(dropped)
        try state.exchange(&watermark)
        try state.exchange(&firsts)
        try state.exchange(&seconds)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }
}
