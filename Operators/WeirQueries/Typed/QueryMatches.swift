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

    func addLate() { counts.withLock { $0.late += 1 } }

    func addGivenUp(_ count: UInt64) { counts.withLock { $0.givenUp += count } }
}

/// Finds the situations that a query states.
struct QuerySink<Root: Sendable, Downstream: Sink>: Sink where Downstream.Input == QueryMatch<Root> {
    typealias Input = Root

    private let query: Query<Root>
    private let steps: [QueryPlan.Step]
    private let programs: [TermProgram?]
    private let hasCategories: Bool
    private let losses: QueryLosses
    // Not of `Root`, so that the engine is compiled for one type, here: it costs a box for each event that is kept.
    private var runner: RuleRunner<any Sendable>
    private var downstream: Downstream
    private var lastTime = Timestamp.distantPast
    private var values: [QueryValue]
    private var matched: [Bool]
    private var found: [FoundMatch<KeptEvent<any Sendable>>] = []
    private var results: [QueryFinding<any Sendable>] = []
    private var lostCount: UInt64 = 0

    init(_ query: Query<Root>, _ limit: Int, _ losses: QueryLosses, _ downstream: consuming Downstream) {
        self.query = query
        self.losses = losses
        self.downstream = downstream
        runner = RuleRunner(query.plan, limit: limit)
        steps = query.plan.situation.steps
        hasCategories = steps.contains { $0.category != nil }
        programs = steps.map { $0.condition.map { TermProgram($0, over: query.plan.fields) } }
        values = Array(repeating: .missing, count: query.plan.fields.count)
        matched = Array(repeating: false, count: steps.count)
    }

    mutating func receive(_ element: borrowing Root, at time: Timestamp) {
        guard time >= lastTime else { return losses.addLate() }
        lastTime = time
        let element = copy element
        for index in query.fields.indices { values[index] = query.fields[index](element) }
        let category = hasCategories ? category(of: element) : nil
        var isWanted = false
        for index in steps.indices {
            matched[index] = satisfies(steps[index], programs[index], category)
            if matched[index] { isWanted = true }
        }
        guard isWanted else { return pass(time) }
        let (values, terms) = (self.values, runner.pipeTerms)
        var keys = runner.keySets.map { set in EventKey.keys(set) { values[$0] }.keys }
        runner.receive(
            matched,
            at: time.nanosecondsSinceEpoch,
            keys: &keys,
            payload: { KeptEvent(content: element, values: terms.map { $0.map { $0.value(of: values) } }) },
            found: &found
        )
        emit()
    }

    mutating func advance(to watermark: Timestamp) {
        pass(watermark)
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            runner.finish(completion, into: &results)
            send()
        }
        downstream.finish(completion)
    }

    /// What the first field says that decides the category, and that the element has.
    private func category(of element: Root) -> String? {
        for index in query.categories.indices {
            let value = query.categories[index](element)
            if !value.isMissing { return value.written }
        }
        return nil
    }

    private func satisfies(_ step: QueryPlan.Step, _ program: TermProgram?, _ category: String?) -> Bool {
        if let wanted = step.category, category != wanted { return false }
        guard let program else { return true }
        return Truth(program.value(of: values)) == .yes
    }

    private mutating func pass(_ time: Timestamp) {
        runner.advance(to: time.nanosecondsSinceEpoch, found: &found)
        emit()
    }

    private mutating func emit() {
        guard !found.isEmpty || runner.lostCount != lostCount else { return }
        for match in found { runner.pipe(match, into: &results) }
        found.removeAll(keepingCapacity: true)
        send()
    }

    private mutating func send() {
        for case .match(let match) in results {
            downstream.receive(
                QueryMatch(
                    events: match.events.map { $0.flatMap { $0.content as? Root } },
                    keys: KeyEncoding.values(in: match.key)
                ),
                at: Timestamp(nanosecondsSinceEpoch: match.time)
            )
        }
        results.removeAll(keepingCapacity: true)
        if runner.lostCount > lostCount { losses.addGivenUp(runner.lostCount - lostCount) }
        lostCount = runner.lostCount
    }
}
