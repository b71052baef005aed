public import WeirCore

extension EventStream {
    /// Merges the stream with another one in the order of event time; at equal times this one has priority.
    ///
    ///     corrections.merge(readings)
    ///
    /// No queue is read here that priority could choose. So priority orders elements with the same time.
    ///
    /// Everything else is as in `merged(limit:)`.
    ///
    /// - Parameters:
    ///   - other: The stream of lower priority.
    ///   - limit: How many elements may wait; positive.
    /// - Returns: The elements of both in order.
    /// - Complexity: O(1) per element that is nearly in order, without allocation once the memory has grown.
    @inlinable
    public func merge<Other: EventStream>(_ other: Other, limit: Int = 1 << 20) -> Merge<Self, Other>
    where Other.Element == Element {
        precondition(limit > 0, "merge: limit must be positive, but is \(limit)")
        return Merge(self, other, limit)
    }
}

extension Sequence where Element: EventStream {
    /// Merges streams in the order of event time; at equal times the first stream has priority.
    ///
    ///     [alarms, warnings, notes].merged()
    ///
    /// Emits an element, with its time, when the watermarks of all streams that have not finished have passed its time:
    /// by time, equal times by the position of the stream, those of one stream in the order of arrival. So the output
    /// does not depend on which stream was quicker. Forwards the earliest of the watermarks. Finishes when all have
    /// finished, after what still waits, and ends as soon as one fails or is interrupted, which discards what waits.
    ///
    /// So it needs watermarks of every stream; `stalls` tells when elements wait and none has come.
    ///
    /// Remembers the elements that wait; when there are `limit` of them, those of the oldest time are emitted ahead of
    /// time, and that time is a watermark for what follows. An element that is older than what was forwarded goes to
    /// `late`. The streams may run on different threads; signals that meet a busy merge wait in a ring of 1,024, and
    /// when that is full the publishing thread waits.
    ///
    /// - Parameter limit: How many elements may wait; positive.
    /// - Returns: The elements of all in order; of no streams, a stream that finishes at once.
    /// - Complexity: O(*n*) per element for *n* streams, and O(*d*) for one that arrives after *d* younger ones of its
    ///   stream; without allocation once the memory has grown.
    @inlinable
    public func merged(limit: Int = 1 << 20) -> MergeOfMany<Element> {
        precondition(limit > 0, "merged: limit must be positive, but is \(limit)")
        return MergeOfMany(Array(self), limit)
    }
}

/// The elements of two streams in the order of event time; made by `merge`.
@frozen
public struct Merge<First: EventStream, Second: EventStream>: WatermarkWaiting where First.Element == Second.Element {
    public typealias Element = First.Element

    /// The elements that arrived too late to be put in order.
    public let late = SideOutput<Element>()

    public let stalls = SideOutput<WatermarkStall>()

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let limit: Int

    @inlinable
    init(_ first: First, _ second: Second, _ limit: Int) {
        self.first = first
        self.second = second
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(MergeState(inputs: 2, limit, late, stalls, sink), inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, PlainPort())),
            second.attach(junction.input(1, PlainPort()))
        )
    }
}

/// The elements of any number of streams of one type in the order of event time; made by `merged`.
@frozen
public struct MergeOfMany<Upstream: EventStream>: WatermarkWaiting {
    public typealias Element = Upstream.Element

    /// The elements that arrived too late to be put in order.
    public let late = SideOutput<Element>()

    public let stalls = SideOutput<WatermarkStall>()

    @usableFromInline let streams: [Upstream]
    @usableFromInline let limit: Int

    @inlinable
    init(_ streams: [Upstream], _ limit: Int) {
        self.streams = streams
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        guard !streams.isEmpty else {
            sink.finish(.finished)
            return Subscription()
        }
        let junction = Junction(MergeState(inputs: streams.count, limit, late, stalls, sink), inputs: streams.count)
        return junction.subscription(
            streams.enumerated().map { index, stream in stream.attach(junction.input(index, PlainPort())) }
        )
    }
}

/// Keeps elements until no older one, and none of higher priority, can come.
@frozen
@usableFromInline
struct MergeState<Downstream: Sink>: JunctionState {
    @usableFromInline let limit: Int
    @usableFromInline let late: SideOutput<Downstream.Input>
    @usableFromInline let stalls: SideOutput<WatermarkStall>
    // By input, the highest priority first.
    @usableFromInline var waiting: [TimeOrderedQueue<Downstream.Input>]
    @usableFromInline var count = 0
    // The last watermark that was forwarded; older elements are late.
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        inputs: Int,
        _ limit: Int,
        _ late: SideOutput<Downstream.Input>,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        self.limit = limit
        self.late = late
        self.stalls = stalls
        waiting = Array(repeating: TimeOrderedQueue(), count: inputs)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Downstream.Input, from input: Int, at time: Timestamp) {
        if watermark == .distantPast, count >= min(1024, limit) { noteStall(time) }
        // More than once where the state is of a pipeline with a greater limit.
        while count >= limit, time >= watermark { makeRoom() }
        guard time >= watermark else { return late.send(signal, at: time) }
        waiting[input].insert(signal, at: time)
        count += 1
    }

    /// Tells that no watermark has come, when some hundred elements wait.
    @inlinable
    @inline(never)
    func noteStall(_ now: Timestamp) {
        guard let oldest = oldest()?.time, now > oldest else { return }
        stalls.sendFirst(WatermarkStall(since: oldest, until: now), at: now)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        // One that came ahead of time may have been later.
        guard watermark > self.watermark else { return }
        while let next = oldest(), next.time < watermark { emitFirst(of: next.input) }
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func setIdle(_ isIdle: Bool) {
        downstream.passOn(idleness: isIdle)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            while let next = oldest() { emitFirst(of: next.input) }
        }
        for input in waiting.indices { waiting[input].removeAll() }
        count = 0
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("merge")
        try state.exchange(late)
        try state.exchange(stalls)
        try state.exchange(&waiting)
        try state.exchange(&count)
        // Room is made until it is right: a number without elements would have no end.
        if state.isRestoring { count = waiting.reduce(0) { $0 + $1.count } }
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    /// The input whose element is next, and the time of that.
    @inlinable
    func oldest() -> (input: Int, time: Timestamp)? {
        var found: (input: Int, time: Timestamp)?
        for input in waiting.indices {
            guard let first = waiting[input].first else { continue }
            if let found, found.time <= first.time { continue }
            found = (input, first.time)
        }
        return found
    }

    @inlinable
    mutating func emitFirst(of input: Int) {
        let entry = waiting[input].removeFirst()
        count -= 1
        downstream.receive(entry.value, at: entry.time)
    }

    /// Emits the elements of the oldest time.
    @inlinable
    mutating func makeRoom() {
        guard let time = oldest()?.time else { return }
        while let next = oldest(), next.time == time { emitFirst(of: next.input) }
        guard time > watermark else { return }
        watermark = time
        downstream.advance(to: time)
    }
}
