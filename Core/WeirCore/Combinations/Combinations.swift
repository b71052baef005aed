/// The combinations of one element of each of several streams that lie within a duration; what `sequence` and `all` run.
///
/// Here is what both have in common; they differ in whether the elements must follow one another. See ``Tupled`` for what
/// they return.
@frozen
public struct Combinations<each Upstream: EventStream>: CombinationStream {
    public typealias Element = (repeat (each Upstream).Element)

    /// An element of one of the streams, in its place; the other places are `nil`.
    public typealias Part = (repeat (each Upstream).Element?)

    /// The elements that were older than the watermark of all streams together; they take part in nothing.
    public let late = SideOutput<Part>()

    /// The elements that were forgotten because there were too many to remember, the oldest first.
    public let dropped = SideOutput<Part>()

    public let stalls = SideOutput<WatermarkStall>()

    @usableFromInline let upstreams: (repeat each Upstream)
    @usableFromInline let settings: CombinationSettings

    /// Creates the stream.
    ///
    /// - Parameters:
    ///   - upstreams: At least two streams.
    ///   - inOrder: Whether each element must be younger than that of the stream before.
    ///   - duration: How far the oldest and the youngest element are apart: less than this; positive.
    ///   - consumption: Whether an element may be part of several combinations.
    ///   - limit: How many elements of each stream are remembered; positive.
    @inlinable
    public init(
        _ upstreams: repeat each Upstream,
        inOrder: Bool,
        within duration: Duration,
        consumption: ConsumptionPolicy,
        limit: Int
    ) {
        var count = 0
        for _ in repeat (each Upstream).self { count += 1 }
        precondition(count >= 2, "a combination needs at least two streams, not \(count)")
        precondition(duration >= .nanoseconds(1), "a combination needs a positive duration, not \(duration)")
        precondition(limit > 0, "a combination must remember at least one element per stream, not \(limit)")
        self.upstreams = (repeat each upstreams)
        settings = CombinationSettings(
            inOrder: inOrder,
            within: duration.wholeNanoseconds,
            consumes: consumption == .consume,
            limit: limit,
            streams: count
        )
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(
            SinkState(CombinationSink(settings, late, dropped, stalls, sink)),
            inputs: settings.streams
        )
        var position = 0
        var subscriptions: [Subscription] = []
        func join<Stream: EventStream>(_ stream: Stream) {
            let place = position
            let port = WrappingPort { (element: Stream.Element) in
                CombinationPart(OneOf<repeat (each Upstream).Element>(element, at: place), place)
            }
            subscriptions.append(stream.attach(junction.input(place, port)))
            position += 1
        }
        repeat join(each upstreams)
        return junction.subscription(subscriptions)
    }
}

/// What makes a combination.
@frozen
@usableFromInline
struct CombinationSettings: Sendable {
    @usableFromInline let inOrder: Bool
    @usableFromInline let within: Int64
    @usableFromInline let consumes: Bool
    @usableFromInline let limit: Int
    @usableFromInline let streams: Int

    @usableFromInline
    init(inOrder: Bool, within: Int64, consumes: Bool, limit: Int, streams: Int) {
        self.inOrder = inOrder
        self.within = within
        self.consumes = consumes
        self.limit = limit
        self.streams = streams
    }
}

/// An element and the number of its stream.
@frozen
public struct CombinationPart<each Element: Sendable>: Sendable {
    @usableFromInline let row: OneOf<repeat each Element>
    @usableFromInline let stream: Int

    @inlinable
    init(_ row: OneOf<repeat each Element>, _ stream: Int) {
        self.row = row
        self.stream = stream
    }
}

/// Remembers elements and finds the combinations that a new one completes.
@frozen
public struct CombinationSink<each Element: Sendable, Downstream: Sink>: Sink
where Downstream.Input == (repeat each Element) {
    public typealias Input = CombinationPart<repeat each Element>

    @usableFromInline let settings: CombinationSettings
    @usableFromInline let late: SideOutput<(repeat (each Element)?)>
    @usableFromInline let dropped: SideOutput<(repeat (each Element)?)>
    @usableFromInline var watermark = Timestamp.distantPast
    // By stream: what may still be part of a combination.
    @usableFromInline var memory: [TimeOrderedQueue<OneOf<repeat each Element>>]
    // What waits for the watermark, when elements are consumed.
    @usableFromInline var pending: [TimeOrderedQueue<OneOf<repeat each Element>>]
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ settings: CombinationSettings,
        _ late: SideOutput<(repeat (each Element)?)>,
        _ dropped: SideOutput<(repeat (each Element)?)>,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        self.settings = settings
        self.late = late
        self.dropped = dropped
        memory = Array(repeating: TimeOrderedQueue(), count: settings.streams)
        pending = memory
        watch = StallWatch(stalls)
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ part: borrowing Input, at time: Timestamp) {
        let row = part.row
        let stream = part.stream
        if time < watermark {
            late.send(row.values, at: time)
            return
        }
        watch.expect(at: time.shifted(byNanoseconds: settings.within), within: settings.within)
        watch.look(at: time)
        if settings.consumes {
            // More than one where the state is of a pipeline with a greater limit.
            while pending[stream].count >= settings.limit {
                let oldest = pending[stream].removeFirst()
                dropped.send(oldest.value.values, at: oldest.time)
            }
            pending[stream].insert(row, at: time)
        } else {
            complete(row, stream, time)
            remember(row, stream, time)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        if watermark > self.watermark {
            self.watermark = watermark
            watch.end()
            if settings.consumes { settle(before: watermark) }
            forget(before: watermark)
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        if settings.consumes, case .finished = completion { settle(before: nil) }
        memory = []
        pending = []
        downstream.finish(completion)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("all")
        try state.exchange(late)
        try state.exchange(dropped)
        try state.exchange(&watermark)
        try state.exchange(&memory)
        try state.exchange(&pending)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }

    /// Takes the elements that nothing older can follow, in the order of their times.
    @inlinable
    mutating func settle(before limit: Timestamp?) {
        while true {
            var next: (stream: Int, time: Timestamp)?
            for stream in 0..<settings.streams {
                guard let first = pending[stream].first, limit.map({ first.time < $0 }) ?? true else { continue }
                if let known = next, known.time <= first.time { continue }
                next = (stream, first.time)
            }
            guard let next else { return }
            let row = pending[next.stream].removeFirst().value
            forget(before: next.time)
            if !complete(row, next.stream, next.time) { remember(row, next.stream, next.time) }
        }
    }

    /// Removes what cannot be combined with anything that is `horizon` old or younger.
    @inlinable
    mutating func forget(before horizon: Timestamp) {
        let oldest = horizon.shifted(byNanoseconds: -settings.within)
        for stream in 0..<settings.streams {
            // What ends a sequence only waits for what is older than itself.
            let endsSequence = settings.inOrder && stream == settings.streams - 1
            while let first = memory[stream].first, first.time <= (endsSequence ? horizon : oldest) {
                memory[stream].removeFirst()
            }
        }
    }

    @inlinable
    mutating func remember(_ row: OneOf<repeat each Element>, _ stream: Int, _ time: Timestamp) {
        if settings.inOrder, stream == settings.streams - 1, settings.consumes || time <= watermark { return }
        while memory[stream].count >= settings.limit {
            let oldest = memory[stream].removeFirst()
            dropped.send(oldest.value.values, at: oldest.time)
        }
        memory[stream].insert(row, at: time)
    }

    /// Emits what a new element completes.
    @inlinable
    @discardableResult
    mutating func complete(_ row: OneOf<repeat each Element>, _ stream: Int, _ time: Timestamp) -> Bool {
        for other in 0..<settings.streams where other != stream && memory[other].isEmpty { return false }
        return extend(row, to: 0, of: stream, time, nil, time, time)
    }

    /// Adds an element of each stream from `position` on; whether there was a combination.
    @inlinable
    mutating func extend(
        _ row: OneOf<repeat each Element>,
        to position: Int,
        of stream: Int,
        _ time: Timestamp,
        _ previous: Timestamp?,
        _ oldest: Timestamp,
        _ youngest: Timestamp
    ) -> Bool {
        guard position < settings.streams else {
            guard let combination = row.complete else { return false }
            downstream.receive(combination, at: youngest)
            return true
        }
        guard position != stream else {
            if settings.inOrder, let previous, previous >= time { return false }
            return extend(row, to: position + 1, of: stream, time, time, oldest, youngest)
        }
        var lower = youngest.shifted(byNanoseconds: -settings.within)
        var upper = oldest.shifted(byNanoseconds: settings.within)
        if settings.inOrder {
            if let previous { lower = max(lower, previous) }
            if position < stream { upper = min(upper, time) }
        }
        var isFound = false
        var index = memory[position].firstPosition(after: lower)
        while index < memory[position].count, memory[position][index].time < upper {
            let candidate = memory[position][index]
            let isComplete = extend(
                row.merged(with: candidate.value),
                to: position + 1,
                of: stream,
                time,
                candidate.time,
                min(oldest, candidate.time),
                max(youngest, candidate.time)
            )
            if isComplete {
                isFound = true
                if settings.consumes {
                    memory[position].remove(at: index)
                    return true
                }
            }
            index += 1
        }
        return isFound
    }
}
