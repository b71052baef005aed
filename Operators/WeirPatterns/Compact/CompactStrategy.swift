public import WeirCore

/// Evaluates a pattern whose conditions look at one event only: the engine of ``CompactSink``, and what it works with.
@frozen
@usableFromInline
struct CompactStrategy<Element: Sendable>: ~Copyable, Sendable {
    @usableFromInline var engine: CompactEngine<Element>
    @usableFromInline var match = FoundMatch<Element>()
    // Takes the place of the graph where only the number of matches is wanted.
    @usableFromInline var counter: CompactCounter
    @usableFromInline let counts: Bool
    @usableFromInline var budget: WorkBudget

    /// Creates the strategy.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - limits: How much may be remembered.
    ///   - reportsTimeouts: Whether partial matches whose time is over are told.
    ///   - onlyCounts: Whether only the number of matches is wanted, of all groups together.
    ///   - isGrouped: Whether the slots are groups of the pattern.
    @inlinable
    init(
        _ plan: CompactPlan,
        _ limits: PatternLimits,
        reportsTimeouts: Bool,
        onlyCounts: Bool = false,
        isGrouped: Bool
    ) {
        engine = CompactEngine(plan, limits, reportsTimeouts: reportsTimeouts, isGrouped: isGrouped)
        budget = WorkBudget(limits, isGrouped: isGrouped, stateCount: 1)
        counter = CompactCounter(
            stateCount: Int(engine.cellsPerSlot),
            isBounded: engine.within != nil,
            limit: CompactEngine<Element>.nodeLimit(limits)
        )
        counts =
            onlyCounts && !engine.starts.isExact && engine.programs.isDense
            && engine.cellsPerSlot <= CompactCounter.greatestStateCount
    }

    @usableFromInline
    var metrics: CompactMetrics {
        var metrics = engine.metrics
        metrics.bytes += counter.bytes
        metrics.bytesWithoutEvents += counter.bytes
        return metrics
    }

    @inlinable
    mutating func receive<Output: MatchReceiver>(
        _ element: borrowing Element,
        _ program: CompactProgram,
        at time: Timestamp,
        slot: UInt32,
        into output: inout Output
    ) -> Bool where Output.Element == Element {
        let nanoseconds = time.nanosecondsSinceEpoch
        if counts {
            if counter.isFull, !makeRoom(toCount: program) { return true }
            let count = counter.receive(program, engine.programs.instructions, nanoseconds, engine.graph.floor)
            if count != 0 { output.receive(count: count, at: time) }
            return true
        }
        budget.beginEvent()
        if engine.receive(program, element, slot: slot) { emit(element, into: &output) }
        let isOccupied = engine.hasPartialMatch(slot: slot)
        if engine.starts.isNeeded, let within = engine.within {
            engine.starts.note(nanoseconds, within: within, slot: slot, begins: program.starts, isOccupied: isOccupied)
        }
        return isOccupied
    }

    /// Makes room for an event in the counter.
    ///
    /// - Returns: Whether there is room, or the event needs none.
    @usableFromInline
    @inline(never)
    mutating func makeRoom(toCount program: CompactProgram) -> Bool {
        counter.expire(before: engine.graph.floor, engine.programs.instructions)
        guard counter.isFull, counter.keeps(program) else { return true }
        switch engine.limits.policy {
        case .dropOldest:
            engine.noteDropped(counter.expireOldest(engine.programs.instructions))
            return true
        case .dropNewest:
            engine.refuse()
        case .fail:
            engine.refuse()
            engine.fail()
        }
        return false
    }

    @inlinable
    mutating func emit<Output: MatchReceiver>(_ element: borrowing Element, into output: inout Output)
    where Output.Element == Element {
        let time = Timestamp(nanosecondsSinceEpoch: engine.time)
        switch output.demand {
        case .count:
            output.receive(count: engine.countMatches(), at: time)
        case .all:
            engine.resetCursor()
            let allowance = budget.allowance
            var left = allowance
            while engine.nextMatch() {
                if left == 0 {
                    cutShort()
                    break
                }
                left &-= 1
                engine.fill(&match, element)
                if !output.receive(match, at: time) { break }
            }
            budget.spend(allowance &- left)
        case .first(let greatest):
            engine.resetCursor()
            var count = 0
            while count < greatest, engine.nextMatch() {
                engine.fill(&match, element)
                if !output.receive(match, at: time) { break }
                count += 1
            }
        }
    }

    /// Notes that an event completes more matches than it may.
    @usableFromInline
    @inline(never)
    mutating func cutShort() {
        engine.losses.eventsCutShort += 1
        if engine.limits.policy == .fail {
            engine.losses.fail(.limitReached("\(budget.share) matches for each event"))
        }
    }
}

extension CompactStrategy: PatternStrategy {
    @inlinable
    var now: Timestamp { Timestamp(nanosecondsSinceEpoch: engine.time) }

    @inlinable
    var heldCount: Int { engine.graph.nodeCount }

    // After-match policies, which hold matches back, need runs.
    @inlinable
    var heldMatches: Int { 0 }

    @inlinable
    var losses: StrategyLosses {
        get { engine.losses }
        set { engine.losses = newValue }
    }

    @inlinable
    func hasPartialMatch(slot: UInt32) -> Bool { engine.hasPartialMatch(slot: slot) }

    @usableFromInline
    mutating func eventEffects() -> EventEffects {
        let program = engine.programs.program(for: 0)
        return EventEffects(
            beginning: engine.programs.plan.automaton.conditionsOfBeginning,
            alwaysBegins: program.starts,
            alwaysChanges: !program.isIdle || engine.pendingCells != 0
        )
    }

    @inlinable
    mutating func meaning(of truths: UInt64) -> CompactProgram { engine.programs.program(for: truths) }

    @inlinable
    func isIdle(_ program: CompactProgram) -> Bool { program.isIdle }

    @inlinable
    func mayBegin(_ program: CompactProgram) -> Bool { program.starts }

    @inlinable
    mutating func advance<Output: MatchReceiver>(to time: Timestamp, into output: inout Output) -> Bool
    where Output.Element == Element {
        engine.advance(to: time.nanosecondsSinceEpoch, &match, into: &output)
        return engine.starts.releasedCount != 0
    }

    @inlinable
    mutating func forgetGroups<Key: Hashable & Sendable>(in groups: inout SlotTable<Key>) {
        for index in 0..<engine.starts.releasedCount { groups.remove(slot: engine.starts.released[index]) }
        engine.starts.releasedCount = 0
    }

    @inlinable
    mutating func shrink(endOfSlots: UInt32) {
        engine.removeSlots(from: max(1, endOfSlots))
        engine.starts.shrink(endOfSlots: endOfSlots)
        engine.shrink()
    }

    @inlinable
    func prefetch(slot: UInt32) { engine.cells.prefetch(slot &* engine.cellsPerSlot) }

    @inlinable
    mutating func nameGroup<Key>(_ slot: UInt32, _ key: Key) {}
}
