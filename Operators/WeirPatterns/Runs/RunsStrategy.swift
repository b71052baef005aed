public import WeirCore

/// Evaluates a pattern with a run for each partial match: for conditions that look at earlier captures, and for every
/// rule that the compact strategy does not know.
///
/// For an event it looks up, for each state that has runs in the event's group, what the truth of the conditions does to
/// them. States where nothing happens cost that one look-up, however many runs they hold.
@frozen
@usableFromInline
struct RunsStrategy<Element: Sendable>: Sendable {
    /// A match that is about to be emitted.
    @frozen
    @usableFromInline
    struct Complete: Sendable {
        @usableFromInline let node: Int32
        // The group, where matches of several groups are completed together.
        @usableFromInline let slot: Int32
        @usableFromInline let time: Timestamp

        @inlinable
        init(_ node: Int32, _ time: Timestamp, slot: Int32 = 0) {
            self.node = node
            self.slot = slot
            self.time = time
        }
    }

    /// A run that is about to be put into its lists.
    @frozen
    @usableFromInline
    struct Born: Sendable {
        @usableFromInline let state: Int32
        @usableFromInline let node: Int32
        @usableFromInline let family: Int32

        @inlinable
        init(_ state: Int32, _ node: Int32, _ family: Int32) {
            self.state = state
            self.node = node
            self.family = family
        }
    }

    @usableFromInline let plan: PatternPlan
    @usableFromInline let conditions: ConditionTable<Element>
    @usableFromInline let unary: UInt64
    @usableFromInline let limits: PatternLimits
    @usableFromInline let greatestGroup: Int
    @usableFromInline var budget: WorkBudget
    @usableFromInline let within: Int64
    @usableFromInline let gaps: [Int64]
    // The number of the schedule of each state; -1 for none.
    @usableFromInline let schedules: [Int]
    @usableFromInline let hasGaps: Bool
    @usableFromInline let isPending: [Bool]
    // Whether a state is complete at a time of its own.
    @usableFromInline let hasOwnTime: [Bool]
    @usableFromInline let start: Int
    // Whether the order of the runs decides which of them go on.
    @usableFromInline let isOrdered: Bool
    @usableFromInline var table: StepTable
    @usableFromInline var paths: PathStore<Element>
    @usableFromInline var store: RunStore
    @usableFromInline var queues: RunQueues
    @usableFromInline var equalities = EqualityIndex()
    @usableFromInline let indexOfState: [Int]
    @usableFromInline let hasIndex: Bool
    @usableFromInline var gapTimers = GapTimers()
    @usableFromInline var quiet: QuietTimes?
    @usableFromInline var sequence: UInt64 = 0
    @usableFromInline var now = Timestamp.distantPast
    // What the current event has led to so far.
    @usableFromInline var event: Int32 = -1
    @usableFromInline var born: [Born] = []
    @usableFromInline var complete: [Complete] = []
    // Complete matches on their way to the queue where they wait for earlier ones.
    @usableFromInline var held: [Int32] = []
    // When the window of a held match closed, if that made it complete.
    @usableFromInline var closings: [Int32: Timestamp] = [:]
    // Groups whose complete matches may have become free with the last event.
    @usableFromInline var waitingSlots: [Int] = []
    // Whether a run came to a bounded state after its time.
    @usableFromInline var isOverdue = false
    // Groups that have lost their last run to a limit or to time.
    @usableFromInline var emptied: [Int] = []
    @usableFromInline var scratch = FoundMatch<Element>()

    @usableFromInline var losses = StrategyLosses()
    @usableFromInline let trace: PatternTracer?
    // What the group of each slot is called; only while there is a tracer.
    @usableFromInline var groupNames: [String] = []

    /// Creates the strategy.
    ///
    /// - Parameters:
    ///   - plan: The pattern.
    ///   - conditions: The meaning of the plan's conditions.
    ///   - limits: How much may be remembered.
    ///   - isGrouped: Whether the slots are groups of the pattern, which have limits of their own.
    ///   - trace: Records what becomes of partial matches.
    @usableFromInline
    init(
        plan: PatternPlan,
        conditions: ConditionTable<Element>,
        limits: PatternLimits,
        isGrouped: Bool = false,
        trace: PatternTracer? = nil
    ) {
        let automaton = AutomatonBuilder(plan).automaton
        self.plan = plan
        self.conditions = conditions
        self.limits = limits
        self.trace = trace
        greatestGroup = limits.greatestGroup(isGrouped: isGrouped)
        budget = WorkBudget(limits, isGrouped: isGrouped, stateCount: automaton.states.count)
        unary = plan.conditions.indices.reduce(0) { plan.conditions[$1].isUnary ? $0 | 1 << UInt64($1) : $0 }
        within = automaton.within
        gaps = automaton.states.map(\.gap)
        schedules = automaton.states.indices.map { automaton.schedules[$0] ?? -1 }
        hasGaps = !automaton.schedules.isEmpty || automaton.states.contains { $0.gap > 0 }
        isPending = automaton.states.map { $0.kind == .pending }
        hasOwnTime = automaton.haveOwnTimes
        start = automaton.start
        isOrdered = plan.afterMatch != .noSkip || (hasGaps && isPending.contains(true))
        table = StepTable(automaton, plan)
        paths = PathStore(conditions.aggregates)
        store = RunStore(automaton.states.count)
        queues = RunQueues()
        quiet = plan.quiet.map(QuietTimes.init)
        indexOfState = Self.indexes(automaton, plan, table)
        hasIndex = !isOrdered && indexOfState.contains { $0 >= 0 }
    }

    /// Whether time has to be told again, although it is the same.
    @inlinable
    var hasWaitingMatches: Bool { !waitingSlots.isEmpty || isOverdue }
}

extension RunsStrategy: PatternStrategy {
    @inlinable
    var heldCount: Int { store.count }

    @inlinable
    func hasPartialMatch(slot: UInt32) -> Bool { isOccupied(Int(slot)) }

    /// Whether something is remembered for a group.
    @inlinable
    func isOccupied(_ slot: Int) -> Bool {
        (slot < store.counts.count && store.counts[slot] > 0) || (quiet?.isWaiting(slot) ?? false)
    }

    @usableFromInline
    mutating func eventEffects() -> EventEffects {
        let beginning = table.steps[table.step(start, unary: 0)]
        // Where the order of the runs matters, each that expires can set matches free.
        let alwaysChanges =
            isOrdered || isPending.contains(true)
            || table.automaton.states.indices.contains { state in
                guard state != start, table.automaton.states[state].kind == .normal else { return false }
                return !table.steps[table.step(state, unary: 0)].isIdle
            }
        return EventEffects(
            beginning: table.automaton.conditionsOfBeginning | (quiet?.condition ?? 0),
            alwaysBegins: !beginning.moves.isEmpty || beginning.needed != 0,
            alwaysChanges: alwaysChanges
        )
    }

    // Without the runs nothing is known but the truth values.
    @inlinable
    func meaning(of truths: UInt64) -> UInt64 { truths & unary }

    @inlinable
    func isIdle(_ truth: UInt64) -> Bool { false }

    @inlinable
    func mayBegin(_ truth: UInt64) -> Bool { true }

    // Memory is given back whenever nothing is left.
    @inlinable
    func shrink(endOfSlots: UInt32) {}

    @inlinable
    func prefetch(slot: UInt32) {}
}
