public import WeirCore

/// Finds the matches of a pattern whose conditions look at one event only, at a cost that depends neither on the window nor
/// on how many partial matches there are.
///
/// The truth values of all conditions for an event are the bits of a word. An automaton over those words says what becomes
/// of the partial matches; it is determinised on demand, so that an event costs a look-up. The partial matches of all
/// groups lie in one persistent graph, which shares what they have in common: an event makes a handful of nodes, whether
/// it moves on one partial match or a million. Matches are enumerated from the graph one by one, so ``MatchDemand/first(_:)``
/// does not pay for the rest.
///
/// An event that means nothing to any partial match costs its conditions and a look-up; its group is not even looked up.
/// A group has state only while it has partial matches: a slot of 16 bytes for each state in which they can wait.
///
/// Its limit is one of nodes: as many as ``PatternLimits/partialMatches`` or ``PatternLimits/events`` say, whichever is
/// less. A node is at least one partial match, and each event that is kept has one. With `dropNewest` an event at the limit
/// is refused as a whole, with `dropOldest` the partial matches that started first are forgotten, about an eighth of
/// what there is.
///
/// Copies of the sink share one state.
///
/// - Complexity: O(1) per event, with the pattern fixed, and O(*k*) per match of *k* events; the number of nodes is
///   O(events in the window). No allocation in steady state. Where timeouts are reported, or a negation stands at the end,
///   the end of a window costs time that grows with the partial matches of the group.
@frozen
public struct CompactSink<Input: Sendable, Key: Hashable & Sendable, Output: PatternOutput>: Sink
where Output.Element == Input {
    @usableFromInline var base: PatternSink<CompactStrategy<Input>, Key, Output>

    /// Creates the sink; fails if the pattern is evaluated with runs.
    ///
    /// - Parameters:
    ///   - plan: The plan; it must be one for the compact strategy if the settings ask for that.
    ///   - conditions: What its conditions are.
    ///   - key: The group of an element; `nil` if there is only one.
    ///   - settings: The order of events, limits, and other settings of the evaluation.
    ///   - sides: Get what can not be used.
    ///   - output: Gets the matches. Where there are no groups and its demand is ``MatchDemand/count``, it must stay so:
    ///     then matches are counted in constant time, however many there are, and no events are kept; as long as the
    ///     pattern is small and nothing happens when windows close. Numbers are modulo 2⁶⁴.
    @inlinable
    public init?(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<Input>,
        groupedBy key: (@Sendable (borrowing Input) -> Key)?,
        _ settings: PatternSettings,
        _ sides: PatternSides<Input>,
        into output: Output
    ) {
        let compact: CompactPlan?
        do { compact = try settings.compactPlan(for: plan) } catch { preconditionFailure("\(error)") }
        guard let compact else { return nil }
        let strategy = CompactStrategy<Input>(
            compact,
            settings.limits,
            reportsTimeouts: settings.reportsTimeouts,
            onlyCounts: key == nil && output.demand == .count,
            isGrouped: key != nil
        )
        let truths = TruthTable(conditions, plan.conditions.count)
        base = PatternSink(PatternFront(strategy, within: plan.within, truths, key, settings, sides, output))
    }

    /// What is held, and what had to be given up.
    public var metrics: CompactMetrics {
        base.front.withValue { front in
            var metrics = front.strategy.metrics
            metrics.bytes += front.groups.bytes
            metrics.bytesWithoutEvents += front.groups.bytes
            return metrics
        }
    }

    /// How many groups have partial matches.
    public var groupCount: Int { base.front.withValue { $0.groups.count } }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) { base.receive(element, at: time) }

    @inlinable
    public var wantsPrefetch: Bool { base.wantsPrefetch }

    @inlinable
    public func prefetch(for element: borrowing Input, isNear: Bool) { base.prefetch(for: element, isNear: isNear) }

    @inlinable
    public mutating func advance(to watermark: Timestamp) { base.advance(to: watermark) }

    @inlinable
    public mutating func finish(_ completion: Completion) { base.finish(completion) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try base.exchangeState(&state)
    }
}
