public import WeirCore

/// The engine of the compact strategy, and what it works with.
@frozen
@usableFromInline
struct CompactState<Element: Sendable>: ~Copyable, Sendable {
    @usableFromInline var engine: CompactEngine<Element>
    @usableFromInline var match = FoundMatch<Element>()
    // Takes the place of the graph where only the number of matches is wanted.
    @usableFromInline var counter: CompactCounter
    @usableFromInline let counts: Bool
    @usableFromInline var budget: WorkBudget

    /// Creates the state.
    ///
    /// - Parameters:
    ///   - engine: The engine.
    ///   - onlyCounts: Whether only the number of matches is wanted, of all groups together.
    ///   - isGrouped: Whether the slots are groups of the pattern.
    @inlinable
    init(_ engine: consuming CompactEngine<Element>, onlyCounts: Bool, isGrouped: Bool) {
        budget = WorkBudget(engine.limits, isGrouped: isGrouped, stateCount: 1)
        counter = CompactCounter(stateCount: Int(engine.cellsPerSlot), isBounded: engine.within != nil)
        counts =
            onlyCounts && !engine.starts.isExact && engine.programs.isDense
            && engine.cellsPerSlot <= CompactCounter.greatestStateCount
        self.engine = engine
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
        _ program: CompactProgram,
        _ element: borrowing Element,
        _ time: Int64,
        _ slot: UInt32,
        into output: inout Output
    ) -> Bool where Output.Element == Element {
        if program.isIdle { return slot < engine.slotCount && engine.hasPartialMatch(slot: slot) }
        if counts {
            let count = counter.receive(program, engine.programs.instructions, time, engine.graph.floor)
            if count != 0 { output.receive(count: count, at: Timestamp(nanosecondsSinceEpoch: time)) }
            return true
        }
        budget.beginEvent()
        if engine.receive(program, element, slot: slot) { emit(element, into: &output) }
        let isOccupied = engine.hasPartialMatch(slot: slot)
        if engine.starts.isNeeded, let within = engine.within {
            engine.starts.note(time, within: within, slot: slot, begins: program.starts, isOccupied: isOccupied)
        }
        return isOccupied
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
                    engine.cutShort()
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
}
