public import WeirCore

/// All that it takes to evaluate a pattern on a stream.
@frozen
@usableFromInline
struct PatternEvaluation<Element: Sendable, Key: Hashable & Sendable>: Sendable {
    @usableFromInline let plan: PatternPlan
    @usableFromInline let conditions: ConditionTable<Element>
    @usableFromInline let key: (@Sendable (borrowing Element) -> Key)?
    @usableFromInline let settings: PatternSettings
    @usableFromInline let sides: PatternSides<Element>
    // What the compact strategy evaluates; `nil` for runs.
    @usableFromInline let compact: CompactPlan?
    // The order of events of the same time that wait for the watermark.
    @usableFromInline let tieOrder: (@Sendable (Element, Element) -> Bool)?

    @usableFromInline
    init(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<Element>,
        _ key: (@Sendable (borrowing Element) -> Key)?,
        _ settings: PatternSettings,
        tieOrder: (@Sendable (Element, Element) -> Bool)? = nil
    ) throws(PatternError) {
        self.tieOrder = tieOrder
        self.plan = plan
        self.conditions = conditions
        self.key = key
        self.settings = settings
        sides = PatternSides()
        compact = try settings.compactPlan(for: plan)
    }

    var strategy: StrategyChoice { compact == nil ? .runs : .compact }

    /// How many bytes the limits allow, beyond what events refer to.
    var memoryBound: Int {
        let waiting = settings.order == .inOrder ? 0 : settings.limits.waiting
        let keys = key == nil ? 0 : settings.limits.groups
        // Tables and arrays that grow may be twice as large as what they hold.
        let shared =
            2 * (waiting * MemoryLayout<WaitingEvents<Element>.Waiting>.stride + keys * 2 * MemoryLayout<Key?>.stride)
        if compact == nil {
            return shared + runs.memoryBound
        }
        let nodes = CompactEngine<Element>.nodeLimit(settings.limits)
        let cells = (key == nil ? 1 : settings.limits.groups) * AutomatonBuilder(plan).automaton.states.count
        // A node of the graph has 24 bytes, a cell of a group 16, and an event its time beside it.
        return shared + 2 * (nodes * (24 + 8 + MemoryLayout<Element>.stride) + cells * 16)
    }

    @usableFromInline
    var runs: RunsStrategy<Element> {
        RunsStrategy(
            plan: plan,
            conditions: conditions,
            limits: settings.limits,
            isGrouped: key != nil,
            trace: settings.tracer
        )
    }

    /// Attaches the evaluation between a stream and a sink of its matches.
    @inlinable
    func attach<Upstream: EventStream, Downstream: Sink>(
        to upstream: Upstream,
        _ downstream: consuming Downstream,
        _ read: @escaping @Sendable (borrowing FoundMatch<Element>) -> Downstream.Input
    ) -> Subscription where Upstream.Element == Element {
        let own = DeferredSubscription()
        let output = MatchForwarder<Element, Downstream>(
            read,
            settings.demand,
            sides,
            plan.captures,
            downstream,
            own
        )
        guard let compact else { return own.set(upstream.attach(sink(runs, output))) }
        let strategy = CompactStrategy<Element>(
            compact,
            settings.limits,
            reportsTimeouts: settings.reportsTimeouts && sides.wantsTimeouts,
            isGrouped: key != nil
        )
        return own.set(upstream.attach(sink(strategy, output)))
    }

    @inlinable
    func sink<Strategy: PatternStrategy & ~Copyable, Output: PatternOutput>(
        _ strategy: consuming Strategy,
        _ output: Output
    ) -> PatternSink<Strategy, Key, Output> where Strategy.Element == Element, Output.Element == Element {
        var front = PatternFront(
            strategy,
            within: plan.within,
            TruthTable(conditions, plan.conditions.count),
            key,
            settings,
            sides,
            output
        )
        front.waiting.tieOrder = tieOrder
        return PatternSink(front)
    }
}
