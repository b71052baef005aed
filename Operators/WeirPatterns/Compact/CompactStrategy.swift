public import WeirCore

/// Evaluates a pattern whose conditions look at one event only, at a cost that depends neither on the window nor on how
/// many partial matches there are.
///
/// The truth values of all conditions for an event are the bits of a word. An automaton over those words says what becomes
/// of the partial matches; it is determinised on demand, so that an event costs a look-up. The partial matches of all
/// groups lie in one persistent graph, which shares what they have in common: an event makes a handful of nodes, whether
/// it moves on one partial match or a million. Matches are enumerated from the graph one by one, so ``MatchDemand/first(_:)``
/// does not pay for the rest.
///
/// Which plans it can evaluate is said by ``accepts(_:)``, and why it can not evaluate one by ``obstacle(_:)``.
///
/// Its limit is one of nodes: as many as ``PatternLimits/partialMatches`` or ``PatternLimits/events`` say, whichever is
/// less. A node is at least one partial match, and each event that is kept has one; an event makes a handful at most. The
/// limit of a group is not looked at, since partial matches can not be told apart. With `refuseNew` an event at the limit
/// is turned down as a whole, with `dropOldest` the partial matches that started first are forgotten, about an eighth of
/// what there is.
///
/// Copies of the strategy share one state.
///
/// - Complexity: O(1) per event, with the pattern fixed, and O(*k*) per match of *k* events; the number of nodes is
///   O(events in the window). No allocation in steady state. Where timeouts are reported, or a negation stands at the end,
///   the end of a window costs time that grows with the partial matches of the group.
@frozen
public struct CompactStrategy<Element: Sendable>: PatternStrategy {
    @usableFromInline let truths: TruthTable<Element>
    @usableFromInline let state: Confined<CompactState<Element>>

    /// Whether the strategy can evaluate a plan.
    ///
    /// - Parameter plan: A plan that has been checked.
    /// - Returns: Whether ``obstacle(_:)`` finds nothing.
    public static func accepts(_ plan: PatternPlan) -> Bool { obstacle(plan) == nil }

    /// Why the strategy can not evaluate a plan, in a few words; `nil` if it can.
    ///
    /// - Parameter plan: A plan that has been checked.
    /// - Returns: The first reason that was found.
    public static func obstacle(_ plan: PatternPlan) -> String? { CompactPlan.obstacle(plan) }

    /// Creates the strategy for a plan; fails if ``accepts(_:)`` says no.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - conditions: What its conditions are.
    ///   - limits: How much may be remembered.
    ///   - reportsTimeouts: Whether partial matches that expire are handed to the output.
    ///   - onlyCounts: Whether there is one group, and the demand is always ``MatchDemand/count``. Then matches are
    ///     counted in constant time, however many there are, and no events are kept; as long as the pattern is small
    ///     and nothing happens when windows close. Numbers are modulo 2⁶⁴.
    @inlinable
    public init?(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<Element>,
        limits: PatternLimits = PatternLimits(),
        reportsTimeouts: Bool = false,
        onlyCounts: Bool = false
    ) {
        guard let plan = try? CompactPlan(plan) else { return nil }
        truths = TruthTable(conditions, plan.conditionCount)
        let engine = CompactEngine<Element>(
            plan,
            limits,
            reportsTimeouts: reportsTimeouts,
            isGrouped: !onlyCounts
        )
        state = Confined(CompactState(engine, onlyCounts: onlyCounts))
    }

    /// What is held, and what had to be given up.
    public var metrics: CompactMetrics { state.withValue { $0.metrics } }

    /// Looks at the conditions of an event before its group is looked up.
    ///
    /// If this returns `true`, the next call must be ``receive(_:at:slot:into:)`` with the same event, which does not look
    /// at the conditions again; or this one with another event.
    ///
    /// - Parameter element: The event.
    /// - Returns: Whether the event can mean anything to any group; if not, it need not be given to the strategy.
    @inlinable
    public func concerns(_ element: borrowing Element) -> Bool {
        let truths = truths.truths(element)
        return state.withValue { state in
            let program = state.engine.programs.program(for: truths)
            state.prepared = program.isIdle ? nil : program
            return !program.isIdle
        }
    }

    @inlinable
    public mutating func receive<Output: MatchReceiver>(
        _ element: borrowing Element,
        at time: Timestamp,
        slot: Int,
        into output: inout Output
    ) -> Bool where Output.Element == Element {
        let (truths, slot, time) = (truths, UInt32(slot), time.nanosecondsSinceEpoch)
        return state.withValue(element) { state, element in
            let program: CompactProgram
            if let prepared = state.prepared {
                program = prepared
                state.prepared = nil
            } else {
                program = state.engine.programs.program(for: truths.truths(element))
            }
            return state.receive(program, element, time, slot, into: &output)
        }
    }

    @inlinable
    public mutating func advance<Output: MatchReceiver>(to time: Timestamp, into output: inout Output)
    where Output.Element == Element {
        state.withValue { state in
            state.engine.advance(to: time.nanosecondsSinceEpoch, &state.match, into: &output)
            var index: UInt32 = 0
            while index != state.engine.starts.releasedCount {
                output.release(slot: Int(state.engine.starts.released[index]))
                index &+= 1
            }
            state.engine.starts.releasedCount = 0
        }
    }

    /// Gives back the memory that is not needed any more; for when much has expired.
    ///
    /// - Parameter endOfSlots: One more than the greatest slot that is in use.
    public func shrink(endOfSlots: Int) {
        state.withValue { state in
            state.engine.removeSlots(from: UInt32(endOfSlots))
            state.engine.shrink()
            state.engine.starts.shrink(endOfSlots: UInt32(endOfSlots))
        }
    }
}

/// The engine of a ``CompactStrategy``, and what it works with.
@frozen
@usableFromInline
struct CompactState<Element: Sendable>: ~Copyable, Sendable {
    @usableFromInline var engine: CompactEngine<Element>
    @usableFromInline var match = FoundMatch<Element>()
    // What the event that comes next does, if that is known.
    @usableFromInline var prepared: CompactProgram?
    // Takes the place of the graph where only the number of matches is wanted.
    @usableFromInline var counter: CompactCounter
    @usableFromInline let counts: Bool

    /// Creates the state.
    ///
    /// - Parameters:
    ///   - engine: The engine.
    ///   - onlyCounts: Whether only the number of matches is wanted, of all groups together.
    @inlinable
    init(_ engine: consuming CompactEngine<Element>, onlyCounts: Bool) {
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
            while engine.nextMatch() {
                engine.fill(&match, element)
                if !output.receive(match, at: time) { break }
            }
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
