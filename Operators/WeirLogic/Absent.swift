public import WeirCore

extension EventStream {
    /// Emits when a stream has been silent for a duration: the negation.
    ///
    ///     heartbeats.absent(for: .seconds(5)).subscribe { silence in print("nothing since", silence.since) }
    ///
    /// A stream is silent after an element when no other is younger by less than `duration`. Emits a ``Silence`` once
    /// for each, with the event time of its deadline, which is `duration` after the element, when the watermark has
    /// reached the deadline: exactly then if the stream goes on in silence, with the next watermark if elements follow.
    /// So it needs watermarks (a source that falls idle must go on advancing its own; ``Absent/stalls`` tells when none
    /// comes), and the order of arrival makes no difference. The end of the stream is no silence: at the end, silences between elements are emitted, but none
    /// after the last; after a failure or an interruption nothing is.
    ///
    /// Remembers the elements that the watermark has not passed, without those between two that are less than
    /// `duration` apart, and at most `limit`: beyond that the oldest goes to ``Absent/dropped``, and the silence after
    /// it is not reported. Elements older than the watermark go to ``Absent/late`` and break no silence.
    ///
    /// - Parameters:
    ///   - duration: How long a silence is; positive.
    ///   - start: From when on there should be elements; by default from the first element on.
    ///   - limit: How many elements are remembered; at least 2.
    /// - Returns: The silences.
    /// - Complexity: O(1) per element that arrives in order.
    @inlinable
    public func absent(for duration: Duration, from start: Timestamp? = nil, limit: Int = 1024) -> Absent<Self> {
        Absent(self, duration, start, limit)
    }
}

/// A duration in which a stream had no element.
@frozen
public struct Silence<Element: Sendable>: Sendable {
    /// When the silence began: the event time of the last element, or the start that `absent` was given.
    public let since: Timestamp

    /// The last element before the silence, if there was one.
    public let last: Element?

    @inlinable
    init(since: Timestamp, last: Element?) {
        self.since = since
        self.last = last
    }
}

extension Silence: Equatable where Element: Equatable {}

/// The silences of a stream; made by `absent`.
@frozen
public struct Absent<Upstream: EventStream>: WatermarkWaiting {
    public typealias Element = Silence<Upstream.Element>

    /// The elements that were older than the watermark.
    public let late = SideOutput<Upstream.Element>()

    /// The elements that were removed at the limit.
    public let dropped = SideOutput<Upstream.Element>()

    public let stalls = SideOutput<WatermarkStall>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let duration: Int64
    @usableFromInline let start: Timestamp?
    @usableFromInline let limit: Int

    @inlinable
    init(_ upstream: Upstream, _ duration: Duration, _ start: Timestamp?, _ limit: Int) {
        precondition(duration >= .nanoseconds(1), "Absent: duration must be positive, but is \(duration)")
        precondition(limit >= 2, "silences can not be found by remembering \(limit) elements: at least 2 are needed")
        self.upstream = upstream
        self.duration = duration.wholeNanoseconds
        self.start = start
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(AbsentSink(duration, start, limit, late, dropped, stalls, sink))
    }
}

extension Absent: GroupableStream where Upstream: GroupableStream {}

/// Watches for silences.
@frozen
@usableFromInline
struct AbsentSink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == Silence<Input> {
    @usableFromInline let duration: Int64
    @usableFromInline let limit: Int
    @usableFromInline let late: SideOutput<Input>
    @usableFromInline let dropped: SideOutput<Input>
    @usableFromInline var watermark = Timestamp.distantPast
    // The youngest element that the watermark has passed, or the start; `nil` when its silence has been reported.
    @usableFromInline var open: Silence<Input>?
    @usableFromInline var waiting = TimeOrderedQueue<Input>()
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ duration: Int64,
        _ start: Timestamp?,
        _ limit: Int,
        _ late: SideOutput<Input>,
        _ dropped: SideOutput<Input>,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        self.duration = duration
        self.limit = limit
        self.late = late
        self.dropped = dropped
        open = start.map { Silence(since: $0, last: nil) }
        watch = StallWatch(stalls)
        self.downstream = downstream
        if let start { watch.expect(at: start.shifted(byNanoseconds: duration), within: duration) }
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
        let next = waiting.isEmpty ? 0 : waiting.firstPosition(after: time)
        if next > 0, next < waiting.count, isClose(waiting[next - 1].time, waiting[next].time) { return }
        // An element between two close ones does not affect silences.
        if next > 1, isClose(waiting[next - 2].time, time) {
            waiting.remove(at: next - 1)
        } else if next + 1 < waiting.count, isClose(time, waiting[next + 1].time) {
            waiting.remove(at: next)
        }
        // More than one where the state is of a pipeline with a greater limit.
        while waiting.count >= limit {
            let oldest = waiting.removeFirst()
            dropped.send(oldest.value, at: oldest.time)
            open = nil
        }
        waiting.insert(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if watermark > self.watermark {
            self.watermark = watermark
            watch.end()
            while let first = waiting.first, first.time < watermark {
                waiting.removeFirst()
                follow(with: first)
            }
            tell(until: watermark)
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            while !waiting.isEmpty { follow(with: waiting.removeFirst()) }
        }
        waiting.removeAll()
        open = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("absent")
        try state.exchange(late)
        try state.exchange(dropped)
        try state.exchange(&watermark)
        try state.exchange(&open)
        try state.exchange(&waiting)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }

    @inlinable
    func isClose(_ older: Timestamp, _ younger: Timestamp) -> Bool {
        younger < older.shifted(byNanoseconds: duration)
    }

    /// Advances to the next element.
    @inlinable
    mutating func follow(with entry: TimeOrderedQueue<Input>.Entry) {
        tell(until: entry.time)
        if let open, open.since > entry.time { return }
        open = Silence(since: entry.time, last: entry.value)
    }

    /// Emits the silence that has lasted until `time`, if there is one.
    @inlinable
    mutating func tell(until time: Timestamp) {
        guard let silence = open else { return }
        let deadline = silence.since.shifted(byNanoseconds: duration)
        guard deadline <= time else { return }
        open = nil
        downstream.receive(silence, at: deadline)
    }
}
