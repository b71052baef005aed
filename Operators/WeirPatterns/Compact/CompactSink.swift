public import WeirCore

/// Finds the matches of a pattern in a stream, in event time and by group, with the compact strategy.
///
/// An event that means nothing to any partial match costs its conditions and a look-up; its group is not even looked up.
/// A group has state only while it has partial matches: a slot of 16 bytes for each state in which they can wait.
///
/// Copies of the sink share one state.
@frozen
public struct CompactSink<Input: Sendable, Key: Hashable & Sendable, Output: CompactOutput>: Sink
where Output.Element == Input {
    @usableFromInline let groups: Confined<CompactGroups<Input, Key, Output>>

    /// Creates the sink; fails if the pattern is to be left to the other strategy.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - conditions: What its conditions are.
    ///   - key: The group of an element; `nil` if there is only one.
    ///   - settings: The order of events, limits, and what else the evaluation is told.
    ///   - sides: Get what can not be used.
    ///   - output: Gets the matches. Where there are no groups and its demand is ``MatchDemand/count``, it must stay so:
    ///     see ``CompactStrategy``.
    @inlinable
    public init?(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<Input>,
        groupedBy key: (@Sendable (borrowing Input) -> Key)?,
        _ settings: PatternSettings,
        _ sides: PatternSides<Input>,
        into output: Output
    ) {
        guard settings.strategy != .runs, Self.fits(plan, settings), let compact = try? CompactPlan(plan) else {
            precondition(settings.strategy != .compact, "the compact strategy can not evaluate the pattern")
            return nil
        }
        let engine = CompactEngine<Input>(
            compact,
            settings.limits,
            reportsTimeouts: settings.reportsTimeouts,
            isGrouped: key != nil
        )
        groups = Confined(
            CompactGroups(
                CompactState(engine, onlyCounts: key == nil && output.demand == .count),
                TruthTable(conditions, compact.conditionCount),
                key,
                settings,
                sides,
                output
            )
        )
    }

    /// Whether the compact strategy can do what the settings want.
    ///
    /// It knows nothing of single partial matches: it can not trace them, nor bound their number for each group. Limits
    /// of a few events are too narrow for it, since it makes room before it knows how much an event takes: below a thousand,
    /// or more for a pattern with many states.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - settings: What is wanted.
    /// - Returns: Whether it can.
    public static func fits(_ plan: PatternPlan, _ settings: PatternSettings) -> Bool {
        guard let compact = try? CompactPlan(plan) else { return false }
        return settings.tracer == nil && settings.limits.partialMatchesPerGroup >= settings.limits.partialMatches
            && CompactEngine<Input>.nodeLimit(settings.limits) >= compact.leastNodeLimit
    }

    /// What is held, and what had to be given up.
    public var metrics: CompactMetrics {
        groups.withValue { groups in
            var metrics = groups.state.metrics
            metrics.bytes += groups.slots.bytes
            metrics.bytesWithoutEvents += groups.slots.bytes
            return metrics
        }
    }

    /// How many groups have partial matches.
    public var groupCount: Int { groups.withValue { $0.slots.count } }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let time = time.nanosecondsSinceEpoch
        groups.withValue(element) { groups, element in groups.receive(element, time) }
    }

    @inlinable
    public var looksAhead: Bool { groups.withValue { $0.looksAhead } }

    @inlinable
    public func fetch(for element: borrowing Input, isNear: Bool) {
        groups.withValue(element) { groups, element in groups.fetch(for: element, isNear: isNear) }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        groups.withValue { $0.advance(toWatermark: watermark) }
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        groups.withValue { $0.finish(completion) }
    }
}
