public import WeirCore

extension EventStream {
    /// Finds out what almost was a situation that a query states, and why it was none.
    ///
    ///     func explain(_ guessed: Query<Attempt>) {
    ///         attempts.nearMatches(of: guessed, count: 3).subscribe { near in
    ///             print(near.keys, near.ending, near.missed.first?.closest?.failed ?? [])
    ///         }
    ///     }
    ///
    /// Emits at the completion the matches and the partial matches, for each key that was chosen or else for all keys
    /// together: the first matches, then the partial matches that came closest, the closest first. Their time is when they
    /// ended. What is said of them is what the engine of `matches(of:)` decides. An element whose time is before that of one
    /// before it is left out and counted. Watermarks end what is out of time, and pass; so does the completion.
    ///
    /// - Parameters:
    ///   - query: The query; its pipes are left out.
    ///   - keys: The keys to explain, each with all of its values in the order of the query; `nil` for all keys together,
    ///     where keys for which nothing began count only if nothing began at all.
    ///   - count: How many matches, and how many partial matches, are emitted at most; positive.
    ///   - limit: How many keys, and how many events of pending matches, are kept; the oldest give way. Positive.
    /// - Returns: What came closest.
    /// - Complexity: O(*s*) per element for *s* steps with their runs, besides the conditions.
    public func nearMatches(
        of query: Query<Element>,
        keys: [[QueryValue]]? = nil,
        count: Int = 10,
        limit: Int = 1_000_000
    ) -> NearMatches<Self> {
        precondition(count > 0, "at least one partial match is kept, not \(count)")
        precondition(limit > 0, "a query keeps at least one key, not \(limit)")
        return NearMatches(self, QueryTrace(query, keys, count, limit))
    }
}

extension Query where Root: Event {
    /// Finds out what almost was a situation among some events, and why it was none.
    ///
    ///     func explain(_ guessed: Query<Attempt>, in recorded: [Attempt]) {
    ///         for near in guessed.nearMatches(in: recorded, keys: [[.text("alice")]]) {
    ///             print(near.satisfied.count, "of", near.eventCount, near.ending)
    ///         }
    ///     }
    ///
    /// - Parameters:
    ///   - events: The events in the order of their times; one that is before the one before it is left out.
    ///   - keys: The keys to explain, each with all of its values in the order of the query; `nil` for all keys together.
    ///   - count: How many matches, and how many partial matches, are returned at most, of each key; positive.
    /// - Returns: For each key the first matches, then the partial matches that came closest, the closest first.
    /// - Complexity: O(*n* · *s*) for *n* events and *s* steps with their runs, besides the conditions.
    public func nearMatches(
        in events: some Swift.Sequence<Root>,
        keys: [[QueryValue]]? = nil,
        count: Int = 10
    ) -> [NearMatch<Root>] {
        precondition(count > 0, "at least one partial match is kept, not \(count)")
        var trace = QueryTrace(self, keys, count, 1_000_000)
        for event in events { _ = trace.receive(event, at: event.timestamp) }
        return trace.finish(.finished)
    }
}

/// What almost was a situation; made by `nearMatches(of:keys:count:limit:)`.
public struct NearMatches<Upstream: EventStream>: EventStream {
    public typealias Element = NearMatch<Upstream.Element>

    /// What was not looked at, or given up.
    public let losses = QueryLosses()

    private let upstream: Upstream
    private let trace: QueryTrace<Upstream.Element>

    init(_ upstream: Upstream, _ trace: QueryTrace<Upstream.Element>) {
        (self.upstream, self.trace) = (upstream, trace)
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(NearMatchSink(trace, losses, sink))
    }
}

extension NearMatches: GroupableStream where Upstream: GroupableStream {}

/// Explains a query at the completion.
struct NearMatchSink<Root: Sendable, Downstream: Sink>: Sink where Downstream.Input == NearMatch<Root> {
    typealias Input = Root

    private var trace: QueryTrace<Root>
    private let losses: QueryLosses
    private var downstream: Downstream

    init(_ trace: QueryTrace<Root>, _ losses: QueryLosses, _ downstream: consuming Downstream) {
        (self.trace, self.losses, self.downstream) = (trace, losses, downstream)
    }

    mutating func receive(_ element: borrowing Root, at time: Timestamp) {
        if !trace.receive(copy element, at: time) { losses.addLate() }
    }

    mutating func advance(to watermark: Timestamp) {
        trace.advance(to: watermark)
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        for near in trace.finish(completion) { downstream.receive(near, at: near.endTime) }
        losses.addGivenUp(trace.lostCount)
        downstream.finish(completion)
    }
}

/// A query over elements of a type with what became of its partial matches.
struct QueryTrace<Root: Sendable>: Sendable {
    private var reading: QueryReading<Root>
    private var rule: RuleTrace<Root>
    private var lastTime = Timestamp.distantPast

    /// How many pending matches were given up for the limit, and how many keys were forgotten.
    private(set) var lostCount: UInt64 = 0

    init(_ query: Query<Root>, _ keys: [[QueryValue]]?, _ count: Int, _ limit: Int) {
        reading = QueryReading(query)
        rule = RuleTrace(
            query.plan,
            shown: Array(query.plan.fields.indices),
            choice: keys.map { KeyChoice(exactly: $0) } ?? .all,
            count: count,
            limit: limit
        )
    }

    /// Takes an element.
    ///
    /// - Returns: Whether it was looked at: not where it is before the one before it.
    mutating func receive(_ element: Root, at time: Timestamp) -> Bool {
        guard time >= lastTime else { return false }
        lastTime = time
        _ = reading.read(element)
        rule.receive(reading.satisfied, at: time, line: 0, reading.values, reading.category) { element }
        return true
    }

    mutating func advance(to time: Timestamp) { rule.advance(to: time) }

    mutating func finish(_ completion: Completion) -> [NearMatch<Root>] {
        let result = rule.finish(completion)
        lostCount = result.givenUpCount + result.forgottenCount
        return result.lists.flatMap { $0.list.complete + $0.list.shown }
    }
}
