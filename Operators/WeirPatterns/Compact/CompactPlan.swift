/// A plan that the compact strategy can evaluate: its automaton, and what the engine needs to know.
@usableFromInline
struct CompactPlan: Sendable {
    /// Why a plan is left to the other strategy.
    @usableFromInline
    enum Obstacle: Error, Sendable, Hashable, CustomStringConvertible {
        /// A condition looks at captured events.
        case looksBack(condition: String)
        /// There are more conditions than bits of a word.
        case tooManyConditions(Int)
        /// Runs can wait in more places than a group should have to remember.
        case tooManyStates(Int)
        /// Matches would have to end partial matches that are one with others.
        case skips
        /// Matches would have to be compared.
        case selects
        /// A stage bounds the time since the event before it.
        case boundsNeighbours
        /// Events could go round in the automaton for ever.
        case proceedsForEver
        /// A loop at the head of a group waits in the state in which the group can be passed by, again and again, and each
        /// time is a partial match of its own.
        case headsGroup
        /// Partial matches are to be recorded one by one.
        case isTraced
        /// There is a limit on the partial matches of each group.
        case boundsGroups
        /// An event could need more room than the limits leave.
        case hasNarrowLimits

        @usableFromInline var description: String {
            switch self {
            case .looksBack(let condition): "the condition '\(condition)' looks at captured events"
            case .tooManyConditions(let count): "\(count) conditions are more than 64"
            case .tooManyStates(let count): "\(count) states to wait in are more than \(CompactPlan.greatestStateCount)"
            case .skips: "the after-match policy ends partial matches one by one"
            case .selects: "the selection compares matches"
            case .boundsNeighbours: "the time between neighbours is bounded"
            case .proceedsForEver: "a loop could go on without an event"
            case .headsGroup: "a group begins with a loop or with another group"
            case .isTraced: "partial matches that are traced need runs"
            case .boundsGroups: "a limit on the partial matches of a group needs runs"
            case .hasNarrowLimits: "the limits are too narrow"
            }
        }
    }

    static let greatestStateCount = 64

    @usableFromInline let automaton: Automaton

    /// How many conditions there are; the number of a condition is that of its bit.
    @usableFromInline let conditionCount: Int

    /// The states in which runs wait; the position is the number of the cell.
    let waiting: [Int]

    /// How long a match may last, in nanoseconds; exclusive.
    let within: Int64?

    /// Translates a plan.
    ///
    /// - Parameter plan: One that has been checked.
    /// - Throws: The first obstacle that was found.
    @usableFromInline
    init(_ plan: PatternPlan) throws(Obstacle) {
        guard !plan.stages.contains(where: \.hasLoopAtHeadOfGroup) else { throw .headsGroup }
        guard plan.afterMatch == .noSkip else { throw .skips }
        guard plan.selection == .all else { throw .selects }
        guard plan.neighbours == nil else { throw .boundsNeighbours }
        if let condition = plan.conditions.first(where: { !$0.isUnary }) { throw .looksBack(condition: condition.text) }
        guard plan.conditions.count <= 64 else { throw .tooManyConditions(plan.conditions.count) }
        conditionCount = plan.conditions.count
        within = plan.within
        let automaton = AutomatonBuilder(plan).automaton
        guard automaton.states.allSatisfy({ $0.gap == 0 }), automaton.schedules.isEmpty else {
            throw .boundsNeighbours
        }
        if plan.quiet != nil { throw .looksBack(condition: "notPreceded") }
        guard !automaton.hasEndlessProceeding else { throw .proceedsForEver }
        // Merging compares the states with each other.
        let count = automaton.states.count
        guard count <= Self.greatestStateCount * Self.greatestStateCount else { throw .tooManyStates(count) }
        self.automaton = automaton.merged()
        waiting = self.automaton.waitingStates()
        guard waiting.count <= Self.greatestStateCount else { throw .tooManyStates(waiting.count) }
    }

    /// Below this limit on nodes, the room that is made for an event before it is known how much it takes would be too
    /// much.
    @usableFromInline var leastNodeLimit: Int { max(1024, 2 * mostNodes + 128) }

    /// How many nodes an event makes at most: one for each move, and what it takes to put it into the list of a cell.
    private var mostNodes: Int {
        let moves = ([automaton.start] + waiting).reduce(0) { sum, state in
            automaton.closure(of: state).reduce(sum) { sum, source in
                sum + automaton.states[source].edges.count { $0.action != .proceed }
            }
        }
        return moves * (waiting.count + CompactPrograms.greatestShare)
    }

    /// Whether matches come true when the window closes.
    @usableFromInline var hasPending: Bool { waiting.contains { automaton.states[$0].kind == .pending } }
}

extension PlanStage {
    fileprivate var hasLoopAtHeadOfGroup: Bool {
        guard case .group(let stages) = content, let first = stages.first else { return false }
        guard case .event = first.content, first.quantifier.isSingle else { return true }
        return stages.contains(where: \.hasLoopAtHeadOfGroup)
    }
}
