internal import Synchronization
public import WeirCore

/// Whether events come in the order of their times.
@frozen
public enum ArrivalOrder: Sendable, Hashable {
    /// They do: each is looked at when it arrives. One that is older than one before it, or than the watermark, is late.
    case inOrder

    /// They do not: each waits until the watermark is later than it. One that is older than the watermark is late.
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
    /// With the compact strategy it costs time for each of them, which there is otherwise no need to look at; so they are
    /// only where `timeouts` was asked for, too.
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
    /// The strategy for a plan.
    ///
    /// The compact one where it can evaluate the plan; its limit is on the whole graph, so limits on groups, the policy
    /// `fail`, and tracing need runs.
    func choice(for plan: PatternPlan) throws(PatternError) -> StrategyChoice {
        let obstacle = obstacle(for: plan)
        switch strategy {
        case .runs: return .runs
        case .compact:
            if let obstacle { throw .notCompact(reason: obstacle) }
            return .compact
        case nil: return obstacle == nil ? .compact : .runs
        }
    }

    /// Why the compact strategy is not for a plan, in a few words; `nil` if it is.
    func obstacle(for plan: PatternPlan) -> String? {
        if let obstacle = plan.groupObstacle { return obstacle }
        do {
            return ownObstacle(for: try CompactPlan(plan))
        } catch {
            return error.description
        }
    }

    private func ownObstacle(for plan: CompactPlan) -> String? {
        if tracer != nil { return "partial matches that are traced need runs" }
        if limits.partialMatchesPerGroup < limits.partialMatches {
            return "a limit on the partial matches of a group needs runs"
        }
        if CompactEngine<Int>.nodeLimit(limits) < plan.leastNodeLimit { return "the limits are too narrow" }
        return nil
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
    public let late = SideOutput<Element>()

    /// The events that a limit on groups, or on waiting events, left no room for.
    public let refused = SideOutput<Element>()

    /// The partial matches whose time was over, each at the time when its window closed.
    ///
    /// Ask for it before a sink is attached: only then are they looked for.
    public var timeouts: SideOutput<PartialMatch<Element>> {
        wish.isWanted.store(true, ordering: .relaxed)
        return partial
    }

    /// How many partial matches were refused, or given up, at a limit.
    ///
    /// The compact strategy turns down events, which go to ``refused``; of what it gives up for newer ones it counts the
    /// first events, since it does not tell the partial matches apart that began with the same one.
    public var givenUpPartialMatches: UInt64 { wish.givenUp.load(ordering: .relaxed) }

    /// How many partial matches are held.
    public let partialMatches = PartialMatchCount()

    @usableFromInline
    func noteGivenUp(_ count: Int) { wish.givenUp.wrappingAdd(UInt64(count), ordering: .relaxed) }

    @usableFromInline let partial = SideOutput<PartialMatch<Element>>()
    private let wish = Wish()

    /// Creates side outputs that nobody listens to.
    public init() {}

    /// Whether somebody has asked for timeouts.
    @usableFromInline
    var reportsTimeouts: Bool { wish.isWanted.load(ordering: .relaxed) }

    private final class Wish: Sendable {
        // Relaxed: the flag guards nothing but itself; attaching comes after asking on the thread that does both.
        let isWanted = Atomic<Bool>(false)
        // Relaxed: a count that guards nothing.
        let givenUp = Atomic<UInt64>(0)
    }
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
