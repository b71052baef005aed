public import WeirCore

extension EventStream {
    /// Finds the situations that a query states.
    ///
    ///     func report(_ guessed: Query<Attempt>) {
    ///         attempts.matches(of: guessed).subscribe { match in print(match.keys) }
    ///     }
    ///
    /// Emits a match when it is certain: with its last event, or where something must not follow, when the watermark has
    /// passed the time in which it might; its time is that. Remembers the pending matches of each key. An element whose time
    /// is before that of one before it is left out and counted. Watermarks pass; so does the completion, before which an
    /// orderly end brings what waits.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - limit: How many keys, and how many events of pending matches, are kept; the oldest give way, and are counted.
    ///     Positive.
    /// - Returns: The matches.
    /// - Complexity: O(*s*) per element for *s* steps with their runs, besides the conditions.
    public func matches(of query: Query<Element>, limit: Int = 1_000_000) -> QueryMatches<Self> {
        precondition(limit > 0, "a query keeps at least one key, not \(limit)")
        return QueryMatches(self, query, limit)
    }
}

/// The situations that a query states; made by `matches(of:limit:)`.
public struct QueryMatches<Upstream: EventStream>: EventStream {
    public typealias Element = QueryMatch<Upstream.Element>

    /// What was not looked at, or given up.
    public let losses = QueryLosses()

    private let upstream: Upstream
    private let query: Query<Upstream.Element>
    private let limit: Int

    init(_ upstream: Upstream, _ query: Query<Upstream.Element>, _ limit: Int) {
        self.upstream = upstream
        self.query = query
        self.limit = limit
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(QuerySink(query, limit, losses, sink))
    }
}

extension QueryMatches: GroupableStream where Upstream: GroupableStream {}

/// What a query did not look at, or gave up.
///
/// Thread safety: any thread.
public final class QueryLosses: Sendable {
    private struct Counts {
        var (late, givenUp) = (UInt64(0), UInt64(0))
    }

    private let counts = Locked(Counts())

    init() {}

    /// How many elements were left out, because their time was before that of an earlier one.
    public var lateElements: UInt64 { counts.withLock { $0.late } }

    /// How many pending matches were given up, and how many of the matches that pipes kept, because there were more than the
    /// limit.
    public var pendingMatches: UInt64 { counts.withLock { $0.givenUp } }

    /// Saves the counts, or gives them back.
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var (late, givenUp) = (lateElements, pendingMatches)
        try state.exchange(&late)
        try state.exchange(&givenUp)
        guard state.isRestoring else { return }
        counts.withLock { ($0.late, $0.givenUp) = (late, givenUp) }
    }

    func addLate() { counts.withLock { $0.late += 1 } }

    func addGivenUp(_ count: UInt64) { counts.withLock { $0.givenUp += count } }
}

/// Finds the situations that a query states.
struct QuerySink<Root: Sendable, Downstream: Sink>: Sink where Downstream.Input == QueryMatch<Root> {
    typealias Input = Root

    private var reading: QueryReading<Root>
    // Whether each element has one key at most, of one field or of none, which is the same for all steps.
    private let hasSimpleKey: Bool
    private let losses: QueryLosses
    private let program: String
    // Not of `Root`, so that the pipes are compiled for one type, here: it costs a box for each event that a pipe keeps.
    private var runner: RuleRunner<any Sendable>
    private var kept = KeptElements()
    private var downstream: Downstream
    private var lastTime = Timestamp.distantPast
    private var found = FoundMatches()
    private var results: [QueryFinding<any Sendable>] = []
    private var lostCount: UInt64 = 0

    init(_ query: Query<Root>, _ limit: Int, _ losses: QueryLosses, _ downstream: consuming Downstream) {
        reading = QueryReading(query)
        self.losses = losses
        program = query.plan.program
        self.downstream = downstream
        runner = RuleRunner(query.plan, limit: limit)
        hasSimpleKey = runner.keySets.sets.count == 1 && runner.keySets.sets[0].count <= 1
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("query")
        state.require(describing: program)
        try state.exchange(&lastTime)
        try losses.exchangeState(&state)
        var numbers = EventNumbers()
        let saved = state.isSaving ? runner.saved(&numbers) : SavedRule()
        var kept = exchange(&self.kept, with: KeptElements())
        defer { self.kept = kept }
        var elements = numbers.events.compactMap { kept.saved($0.number, as: Root.self) }
        try state.exchange(&elements)
        let restored = RestoredEvents(numbers: state.isRestoring ? kept.restore(elements) : [])
        try runner.exchangeState(
            &state,
            saved,
            nil,
            restored,
            { kept.retain($0) },
            pack: { content -> Root in
                guard let element = content as? Root else { preconditionFailure("a pipe keeps elements alone") }
                return element
            },
            unpack: { (element: Root) in element }
        )
        for number in restored.numbers { kept.release(number) }
        try downstream.exchangeState(&state)
    }

    mutating func receive(_ element: borrowing Root, at time: Timestamp) {
        guard time >= lastTime else { return losses.addLate() }
        lastTime = time
        let element = copy element
        guard reading.read(element) else { return pass(time) }
        take(element, reading.satisfied, time.nanosecondsSinceEpoch)
        emit(element)
    }

    private mutating func take(_ element: Root, _ satisfied: StepBits, _ time: Int64) {
        guard runner.hasKeys else {
            found.append(EventKey(), at: time, count: 1)
            return found.setEvent(0, FoundMatches.current)
        }
        var event = FoundMatches.missing
        runner.sequence?.begin(at: time, found: &found)
        runner.sample?.begin(at: time, found: &found)
        if hasSimpleKey, let key = simpleKey { return take(element, satisfied, time, key, &event) }
        let values = reading.values
        let keys = runner.keySets.sets.map { set in EventKey.keys(set) { values[$0] }.keys }
        for (key, steps) in runner.keySets.steps(of: keys, satisfied) { take(element, steps, time, key, &event) }
    }

    private mutating func take(
        _ element: Root,
        _ satisfied: StepBits,
        _ time: Int64,
        _ key: EventKey,
        _ event: inout UInt32
    ) {
        let (values, terms) = (reading.values, runner.pipeTerms)
        var kept = exchange(&self.kept, with: KeptElements())
        // The closures are no variable, so that they cost no allocation.
        runner.sequence?.receive(
            satisfied,
            at: time,
            key: key,
            event: &event,
            keep: { kept.keep($0, element) { terms.map { $0.map { $0.value(of: values) } } } },
            found: &found
        )
        runner.sample?.receive(
            satisfied,
            at: time,
            key: key,
            event: &event,
            keep: { kept.keep($0, element) { terms.map { $0.map { $0.value(of: values) } } } },
            found: &found
        )
        self.kept = kept
    }

    /// The key of an element with a single value for it.
    private var simpleKey: EventKey? {
        guard let field = runner.keySets.sets[0].first?.field else { return EventKey() }
        switch reading.values[field] {
        case .missing, .list: return nil
        case .integer(let number): return EventKey(number)
        case let value:
            var bytes: [UInt8] = []
            KeyEncoding.append(value, to: &bytes)
            return EventKey(bytes)
        }
    }

    mutating func advance(to watermark: Timestamp) {
        pass(watermark)
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            runner.finish(completion, found: &found)
            emit(nil)
            runner.finishPipes(into: &results)
            send()
        }
        downstream.finish(completion)
    }

    private mutating func pass(_ time: Timestamp) {
        runner.advance(to: time.nanosecondsSinceEpoch, found: &found)
        emit(nil)
    }

    /// Hands on what was found.
    ///
    /// - Parameter element: The element at hand.
    private mutating func emit(_ element: Root?) {
        runner.takeReleased { kept.release($0) }
        guard !found.matches.isEmpty || runner.lostCount != lostCount else { return }
        for match in found.matches {
            if runner.hasPipes { pipe(match, element) } else { send(match, element) }
        }
        found.removeAll()
        send()
    }

    private func event(_ number: UInt32, _ element: Root?) -> Root? {
        if number == FoundMatches.missing { return nil }
        return number == FoundMatches.current ? element : kept.element(number, as: Root.self)
    }

    private mutating func release(_ match: FoundMatches.Match) {
        for number in found.events[match.start..<match.start + match.count] where number < FoundMatches.current {
            kept.release(number)
        }
    }

    private mutating func send(_ match: FoundMatches.Match, _ element: Root?) {
        let numbers = found.events[match.start..<match.start + match.count]
        let events = numbers.map { event($0, element) }
        release(match)
        send(events, match.key, match.time)
    }

    private mutating func pipe(_ match: FoundMatches.Match, _ element: Root?) {
        let (values, terms) = (reading.values, runner.pipeTerms)
        let events = found.events[match.start..<match.start + match.count].map { number in
            event(number, element).map { event in
                KeptEvent<any Sendable>(
                    content: event,
                    values: number == FoundMatches.current
                        ? terms.map { $0.map { $0.value(of: values) } } : kept.values(number)
                )
            }
        }
        release(match)
        runner.pipe(FoundMatch(key: match.key, events: events, time: match.time), into: &results)
    }

    /// Hands on what pipes have let through.
    private mutating func send() {
        for case .match(let match) in results {
            send(match.events.map { $0.flatMap { $0.content as? Root } }, match.key, match.time)
        }
        results.removeAll(keepingCapacity: true)
        if runner.lostCount > lostCount { losses.addGivenUp(runner.lostCount - lostCount) }
        lostCount = runner.lostCount
    }

    private mutating func send(_ events: [Root?], _ key: EventKey, _ time: Int64) {
        downstream.receive(
            QueryMatch(events: events, keys: KeyEncoding.values(in: key.bytes)),
            at: Timestamp(nanosecondsSinceEpoch: time)
        )
    }
}
