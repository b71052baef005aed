public import WeirCore

/// Evaluates a pattern with a run for each partial match: for conditions that look at earlier captures, and for every
/// rule that the compact strategy does not know.
///
/// For an event it looks up, for each state that has runs in the event's group, what the truth of the conditions does to
/// them. States where nothing happens cost that one look-up, however many runs they hold.
@frozen
public struct RunsStrategy<Element: Sendable>: PatternStrategy {
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
    @usableFromInline let truths: TruthTable<Element>
    @usableFromInline let unary: UInt64
    @usableFromInline let limits: PatternLimits
    @usableFromInline let within: Int64
    @usableFromInline let gaps: [Int64]
    @usableFromInline let hasGaps: Bool
    @usableFromInline let isPending: [Bool]
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

    /// What is held, and what has been given up; the groups are counted by the engine.
    @usableFromInline var tallies = PatternCounts()
    /// Why it cannot go on.
    @usableFromInline var failure: PatternFailure?
    @usableFromInline var trace: PatternTracer?
    // What the group of each slot is called; only while there is a tracer.
    @usableFromInline var groupNames: [String] = []

    /// Creates the strategy.
    ///
    /// - Parameters:
    ///   - plan: The pattern.
    ///   - conditions: The meaning of the plan's conditions.
    ///   - limits: How much may be remembered.
    public init(plan: PatternPlan, conditions: ConditionTable<Element>, limits: PatternLimits) {
        let automaton = AutomatonBuilder(plan).automaton
        self.plan = plan
        self.conditions = conditions
        self.limits = limits
        truths = TruthTable(conditions, plan.conditions.count)
        unary = plan.conditions.indices.reduce(0) { plan.conditions[$1].isUnary ? $0 | 1 << UInt64($1) : $0 }
        within = automaton.within
        gaps = automaton.states.map(\.gap)
        hasGaps = automaton.states.contains { $0.gap > 0 }
        isPending = automaton.states.map { $0.kind == .pending }
        start = automaton.start
        isOrdered = plan.afterMatch != .noSkip || (hasGaps && isPending.contains(true))
        table = StepTable(automaton, plan)
        paths = PathStore(conditions.aggregates)
        store = RunStore(automaton.states.count)
        queues = RunQueues()
        indexOfState = Self.indexes(automaton, plan, table)
        hasIndex = !isOrdered && indexOfState.contains { $0 >= 0 }
    }

    /// Whether time has to be told again, although it is the same.
    @inlinable
    var hasWaitingMatches: Bool { !waitingSlots.isEmpty || isOverdue }

    // MARK: Events

    @inlinable
    public mutating func receive<Output: MatchReceiver>(
        _ element: borrowing Element,
        at time: Timestamp,
        slot: Int,
        into output: inout Output
    ) -> Bool where Output.Element == Element {
        store.reach(slot)
        sequence &+= 1
        now = time
        if paths.eventCount >= limits.events, !makeRoomForEvent() { return store.counts[slot] > 0 }
        let truth = truths.truths(element) & unary
        if isOrdered {
            receiveInOrder(element, truth, slot, &output)
        } else {
            receiveInAnyOrder(element, truth, slot, &output)
        }
        if event >= 0 {
            paths.unpin(event)
            event = -1
        }
        return store.counts[slot] > 0
    }

    /// Visits the runs state by state.
    @inlinable
    mutating func receiveInAnyOrder<Output: MatchReceiver>(
        _ element: borrowing Element,
        _ truth: UInt64,
        _ slot: Int,
        _ output: inout Output
    ) where Output.Element == Element {
        var occupied = store.counts[slot] == 0 ? 0 : store.occupied[slot]
        while occupied != 0 {
            var state = occupied.trailingZeroBitCount
            occupied &= occupied &- 1
            while state < store.stateCount {
                let first = store.heads[slot * store.stateCount + state]
                if first >= 0 { visit(element, truth, state, slot, from: first) }
                state += 64
            }
        }
        begin(element, truth, slot)
        // Selecting a match looks at all of them, so the new runs come after.
        emit(into: &output)
        for run in born { settle(run) }
        born.removeAll(keepingCapacity: true)
        enforceLimits(slot)
    }

    /// Moves the runs of a state.
    @inlinable
    mutating func visit(_ element: borrowing Element, _ truth: UInt64, _ state: Int, _ slot: Int, from first: Int32) {
        let common = table.step(state, unary: truth)
        if trace == nil {
            if table.steps[common].isIdle { return }
            if hasIndex, indexOfState[state] >= 0, table.steps[common].decider == indexOfState[state] {
                visitEqual(element, truth, state, slot, common)
                return
            }
        }
        let needed = table.steps[common].needed
        var index = first
        while index >= 0 {
            let next = store.runs[Int(index)].next
            visitRun(element, truth, state, index, common, needed)
            index = next
        }
    }

    /// Moves a run.
    @inlinable
    mutating func visitRun(
        _ element: borrowing Element,
        _ truth: UInt64,
        _ state: Int,
        _ index: Int32,
        _ common: Int,
        _ needed: UInt64
    ) {
        let run = store.runs[Int(index)]
        var step = common
        var all = truth
        if needed != 0 {
            all |= contextual(element, needed, run.node)
            step = table.step(state, all: all)
        }
        if trace != nil { record(step, all, index) }
        guard !table.steps[step].isIdle else { return }
        let stays = table.steps[step].stay >= 0
        move(element, step, node: run.node, family: run.family)
        if !stays {
            unlink(index)
            paths.release(run.node)
            store.removeRun(index)
        }
    }

    /// Takes a run out of the lists by which events find it.
    @inlinable
    mutating func unlink(_ index: Int32) {
        store.unlink(index)
        if hasIndex { equalities.remove(index) }
    }

    /// Looks at conditions that depend on captures.
    @inlinable
    func contextual(_ element: borrowing Element, _ needed: UInt64, _ node: Int32) -> UInt64 {
        var truth: UInt64 = 0
        var rest = needed
        while rest != 0 {
            let id = rest.trailingZeroBitCount
            rest &= rest &- 1
            if let condition = conditions.contextual[id], condition(element, Captures(paths, node)) {
                truth |= 1 << UInt64(id)
            }
        }
        return truth
    }

    /// Makes the moves of a step, and notes what becomes of the run.
    @inlinable
    mutating func move(_ element: borrowing Element, _ step: Int, node: Int32, family: Int32) {
        let count = table.steps[step].moves.count
        for position in 0..<count {
            let move = table.steps[step].moves[position]
            make(element, move, node: node, family: family)
        }
    }

    @inlinable
    mutating func make(_ element: borrowing Element, _ move: StepTable.Move, node: Int32, family: Int32) {
        var node = node
        if move.capture >= 0 {
            if event < 0 { event = paths.add(element, now, sequence) }
            node = paths.extend(node, move.capture, event)
        } else {
            paths.retain(node)
        }
        if move.target >= 0 {
            store.join(family)
            born.append(Born(move.target, node, family))
            if move.completes { paths.retain(node) }
        }
        if move.completes { complete.append(Complete(node, now)) }
    }

    /// Starts partial matches with the event.
    @inlinable
    mutating func begin(_ element: borrowing Element, _ truth: UInt64, _ slot: Int) {
        var step = table.step(start, unary: truth)
        if table.steps[step].needed != 0 {
            step = table.step(start, all: truth | contextual(element, table.steps[step].needed, -1))
        }
        guard !table.steps[step].moves.isEmpty else { return }
        let family = store.makeFamily(now, sequence, slot)
        store.join(family)
        move(element, step, node: -1, family: family)
        if plan.afterMatch != .noSkip { holdMatches(family) }
        // What has not started anything is forgotten at once.
        store.leave(family)
    }

    /// Puts a run into its lists, if there is room.
    @inlinable
    mutating func settle(_ run: Born) {
        if limits.policy == .refuseNew, isFull(Int(store.families[Int(run.family)].slot)) {
            tallies.refusedPartialMatches += 1
            paths.release(run.node)
            store.leave(run.family)
            return
        }
        let index = store.makeRun(run.node, run.family, run.state)
        if !isOrdered { store.link(index) }
        if hasIndex { enterIndex(index) }
        if hasGaps { watchGap(index) }
    }

    // MARK: Matches

    /// Emits the matches that are complete.
    @inlinable
    mutating func emit<Output: MatchReceiver>(into output: inout Output) where Output.Element == Element {
        guard !complete.isEmpty else { return }
        if plan.selection != .all { keepSelected() }
        var wanted = complete.count
        switch output.demand {
        case .all: break
        case .first(let count): wanted = min(wanted, count)
        case .count:
            wanted = 0
            output.receive(count: complete.count, at: complete[0].time)
        }
        var isWanted = true
        for position in 0..<wanted where isWanted {
            paths.read(complete[position].node, into: &scratch)
            isWanted = output.receive(scratch, at: complete[position].time)
        }
        for match in complete { paths.release(match.node) }
        complete.removeAll(keepingCapacity: true)
        // Not to keep the last match's events alive.
        scratch.entries.removeAll(keepingCapacity: true)
    }

    /// Emits the matches that windows complete which have closed: those of each moment and of each group apart, so that
    /// what is selected depends neither on other groups nor on how far time went on at once.
    @inlinable
    mutating func emitMoments<Output: MatchReceiver>(into output: inout Output) where Output.Element == Element {
        if complete.count > 1, isOrdered || plan.selection != .all || output.demand != .all {
            let all = complete.enumerated().sorted {
                ($0.element.time, $0.element.slot, $0.offset) < ($1.element.time, $1.element.slot, $1.offset)
            }
            complete.removeAll(keepingCapacity: true)
            for (_, match) in all {
                if let last = complete.last, last.time != match.time || last.slot != match.slot { emit(into: &output) }
                complete.append(match)
            }
        }
        emit(into: &output)
    }

    /// Leaves only the match that the pattern selects.
    @usableFromInline
    mutating func keepSelected() {
        var best = 0
        var events = sequences(complete[0].node)
        for position in complete.indices.dropFirst() {
            let others = sequences(complete[position].node)
            let isBetter =
                switch plan.selection {
                case .all: false
                case .first: others.lexicographicallyPrecedes(events)
                case .last: events.lexicographicallyPrecedes(others)
                case .longest:
                    others.count == events.count
                        ? others.lexicographicallyPrecedes(events) : others.count > events.count
                }
            if isBetter { (best, events) = (position, others) }
        }
        for position in complete.indices where position != best { paths.release(complete[position].node) }
        complete = [complete[best]]
    }

    private func sequences(_ node: Int32) -> [UInt64] {
        var found: [UInt64] = []
        var index = node
        while index >= 0 {
            found.append(paths.events[Int(paths.nodes[Int(index)].event)].sequence)
            index = paths.nodes[Int(index)].parent
        }
        return found.reversed()
    }
}
