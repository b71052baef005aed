public import WeirCore

/// Whether events come in the order of their times.
@frozen
public enum ArrivalOrder: Sendable, Hashable {
    /// They do: each is looked at when it arrives. One that is older than one before it, or than the watermark, is late.
    case inOrder

    /// They do not: each waits until the watermark is later than it. One that is older than the watermark is late. So the
    /// stream needs watermarks; `stalls` of the matches tells when events wait and none has come.
    case byWatermark
}

/// What the evaluation of a pattern is told beside the pattern.
@frozen
public struct PatternSettings: Sendable {
    /// Whether events come in the order of their times.
    public var order: ArrivalOrder

    /// How much may be remembered.
    public var limits: PatternLimits

    /// How many of the matches that one event completes are wanted.
    public var demand: MatchDemand

    /// Records what becomes of partial matches.
    public var tracer: PatternTracer?

    /// Which strategy to use; chosen from the pattern if there is none.
    public var strategy: StrategyChoice?

    /// Whether partial matches whose time is over are handed to the side output.
    ///
    /// With the compact strategy it costs time for each of them, which there is otherwise no need to look at. So a sink
    /// of that strategy looks for them only if the side output has a subscriber when the sink is attached.
    public var reportsTimeouts: Bool

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - order: Whether events come in the order of their times.
    ///   - limits: How much may be remembered.
    ///   - demand: How many of the matches that one event completes are wanted.
    ///   - tracer: Records what becomes of partial matches.
    ///   - strategy: Which strategy to use; chosen from the pattern if there is none.
    ///   - reportsTimeouts: Whether partial matches whose time is over are handed to the side output.
    @inlinable
    public init(
        order: ArrivalOrder = .inOrder,
        limits: PatternLimits = PatternLimits(),
        demand: MatchDemand = .all,
        tracer: PatternTracer? = nil,
        strategy: StrategyChoice? = nil,
        reportsTimeouts: Bool = true
    ) {
        self.reportsTimeouts = reportsTimeouts
        self.order = order
        self.limits = limits
        self.demand = demand
        self.tracer = tracer
        self.strategy = strategy
    }
}

extension PatternSettings {
    /// The strategy for a plan: the compact one where it can evaluate the plan.
    func choice(for plan: PatternPlan) throws(PatternError) -> StrategyChoice {
        try compactPlan(for: plan) == nil ? .runs : .compact
    }

    /// The plan of the compact strategy; `nil` if runs evaluate the pattern.
    @usableFromInline
    func compactPlan(for plan: PatternPlan) throws(PatternError) -> CompactPlan? {
        if strategy == .runs { return nil }
        switch compactPlan(of: plan) {
        case .success(let compact): return compact
        case .failure(let obstacle):
            if strategy == .compact { throw .notCompact(reason: obstacle.description) }
            return nil
        }
    }

    /// Why the compact strategy is not for a plan, in a few words; `nil` if it is.
    func obstacle(for plan: PatternPlan) -> String? {
        guard case .failure(let obstacle) = compactPlan(of: plan) else { return nil }
        return obstacle.description
    }

    /// All that decides between the strategies.
    ///
    /// The compact one knows nothing of single partial matches: it cannot trace them, nor bound their number for each
    /// group. It makes room for an event before it knows how much that takes, so limits of a few events are too narrow.
    private func compactPlan(of plan: PatternPlan) -> Result<CompactPlan, CompactPlan.Obstacle> {
        do throws(CompactPlan.Obstacle) {
            let compact = try CompactPlan(plan)
            if tracer != nil { throw .isTraced }
            if let most = limits.partialMatchesPerGroup, most < limits.partialMatches { throw .boundsGroups }
            if CompactEngine<Int>.nodeLimit(limits) < compact.leastNodeLimit { throw .hasNarrowLimits }
            return .success(compact)
        } catch {
            return .failure(error)
        }
    }
}

/// How a pattern is evaluated.
@frozen
public enum StrategyChoice: String, Sendable, Hashable {
    /// With a deterministic automaton and a shared graph of partial matches.
    case compact
    /// With a run for each partial match.
    case runs
}

/// The side outputs of a stream of matches; all sinks that are attached to it share them.
public struct PatternSides<Element: Sendable>: Sendable {
    /// The events that came too late.
    public let late: SideOutput<Element>

    /// The events that a limit on groups, or on waiting events, left no room for.
    public let refused: SideOutput<Element>

    /// That events wait and no watermark has come, with ``ArrivalOrder/byWatermark``.
    public let stalls = SideOutput<WatermarkStall>()

    /// The partial matches whose time was over, each at the time when its window closed.
    ///
    /// Subscribe before a sink is attached: the compact strategy looks for them only if there is a subscriber then.
    public let timeouts: SideOutput<PartialMatch<Element>>

    /// How many partial matches were refused, or given up, at a limit.
    ///
    /// The compact strategy turns down events, which go to ``refused``; of what it gives up for newer ones it counts the
    /// first events, since it does not tell the partial matches apart that began with the same one.
    public var givenUpPartialMatches: UInt64 { losses.partialMatches }

    /// What limits made the sinks give up, for displays and metrics.
    public let losses: PatternLosses

    /// How many partial matches are held.
    public let partialMatches: PartialMatchCount

    /// Saves what was counted, or gives it back.
    @usableFromInline
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(late)
        try state.exchange(refused)
        try state.exchange(stalls)
        try state.exchange(timeouts)
        try losses.exchangeState(&state)
    }

    /// Counts what a strategy has given up with an event, and offers the event if it was refused.
    @usableFromInline
    func note(_ losses: inout StrategyLosses, of element: borrowing Element, at time: Timestamp) {
        self.losses.noteGivenUp(losses.partialMatches)
        self.losses.noteCutShort(losses.eventsCutShort)
        if losses.refusedEvents != 0 { refused.send(copy element, at: time) }
        losses = StrategyLosses()
    }

    /// Counts what is given up with the end of the stream of matches.
    @usableFromInline
    func noteEnd(heldMatches: Int, waitingEvents: Int) {
        losses.noteHeldBack(heldMatches)
        losses.noteAbandoned(waitingEvents)
    }

    /// Creates side outputs without subscribers.
    public init() {
        late = SideOutput()
        refused = SideOutput()
        timeouts = SideOutput()
        losses = PatternLosses()
        partialMatches = PartialMatchCount()
    }

    /// The side outputs of a set, with the counts of one of its patterns.
    @usableFromInline
    init(of rule: PatternRule, in set: PatternSides) {
        late = set.late
        refused = set.refused
        timeouts = set.timeouts
        losses = rule.losses
        partialMatches = rule.partialMatches
    }

    /// Whether the compact strategy has to look for timeouts.
    @usableFromInline
    var wantsTimeouts: Bool { timeouts.hasSubscribers }
}

/// A partial match whose time is over.
public struct PartialMatch<Element: Sendable>: Sendable {
    /// The events in the order in which they came, each with the number of the stage that captured it.
    public let entries: [FoundMatch<Element>.Entry]

    /// The names of the stages.
    public let stages: [String]

    @inlinable
    init(_ entries: [FoundMatch<Element>.Entry], _ stages: [String]) {
        self.entries = entries
        self.stages = stages
    }

    /// The events that a stage captured, in the order in which they came.
    ///
    /// - Parameter stage: The name of the stage.
    public subscript(stage: String) -> [Element] {
        guard let capture = stages.firstIndex(of: stage) else { return [] }
        return self[capture]
    }

    /// The events that a stage captured, in the order in which they came.
    ///
    /// - Parameter capture: The number of the stage.
    public subscript(capture: Int) -> [Element] {
        entries.filter { $0.capture == capture }.map(\.element)
    }
}

extension PartialMatch: Equatable where Element: Equatable {}
extension PartialMatch: Hashable where Element: Hashable {}

extension PartialMatch: CustomStringConvertible {
    /// The events, each with the name of its stage.
    public var description: String {
        "[\(entries.map { "\(stages[$0.capture]): \($0.element)" }.joined(separator: ", "))]"
    }
}
