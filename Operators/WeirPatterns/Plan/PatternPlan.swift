/// What a pattern means, without the types that it was written with: the input of every strategy.
///
/// The typed language and `PatternDefinition` both end here. A plan is a tree of stages in the order in which they
/// match; conditions are numbers, which a ``ConditionTable`` gives a meaning. Plans are checked when they are made: a
/// strategy may rely on the rules that ``PatternError`` names.
///
/// ### Meaning
///
/// The rules are those of the pattern engine of Apache Flink 1.20, case by case:
/// - A bound is exclusive: at `start + within` a partial match has expired, and it does so before the event of that time.
/// - A relaxed loop goes on after the stage behind it has matched: `A B C B C` gives A B C, and A B B C.
/// - A loop at the end is a match with each event that it takes, and the open rest of it still times out.
/// - A negation in the middle ends a partial match also with the event that the next stage takes, unless that completes
///   the match.
/// - A negation behind a loop of events also holds within the loop, from its first event on: it ends a partial match with
///   an event that the loop takes, too. Where a loop that has a greatest number of times could be over, where a
///   stage before the negation could be left out, or where a round of a group begins with a stage that can be left out,
///   only the very next event is looked at.
/// - A negation in the middle that has a duration, or a schedule, holds that long after the last event before it, and the
///   stage behind it takes an event only when that time is over; those in between are passed over. At the end, the match is
///   complete then, unless the window closes before: that is a timeout. It begins with each event that a loop before it takes;
///   behind a greedy loop with `until`, with the next event.
/// - A negation at the end that the window bounds begins behind a loop with the next event, whatever that is: without one
///   the loop times out.
/// - The bound of a stage on the time since the event before ends the partial matches that wait for that stage, also those
///   that could leave it out. It does not reach those that still wait in a loop before it, or for a stage before it that
///   can be left out: bound the whole match, or its ``neighbours``, where that matters.
/// - A stage at the beginning of a group may be left out: then the next stage joins what is before the group as it says
///   itself. In `next(group: b? next c)` and in `followedBy(group: b? next c)`, c is the very next event without a b.
/// - A group that is repeated waits for its next round, and with each event that it passes over what is behind the group
///   is tried again: `(a b)+ followedBy c` gives A B D C twice.
/// - A match that an after-match policy may skip waits until no partial match is left that started before it. What still
///   waits when the stream ends is not emitted; it is counted in ``PatternLosses/heldMatches``.
///
/// ### Differences
///
/// Where Flink's behaviour comes from the inside of its engine rather than from a rule, this one differs:
/// - Where a pattern can be left out altogether up to a negation (through groups in groups: Flink forbids it for a stage),
///   a forbidden event ends Flink's pattern for ever, because its beginning is given up with the rest. Here the pattern
///   begins anew with the next event.
/// - A group that is repeated and can match without an event makes Flink go round for ever. Here it is refused.
/// - A negation at the end is bounded by the window of the match wherever that was said; Flink overlooks a window that was
///   said of an earlier stage only.
/// - The order of the matches that one event completes is not Flink's, which is that of its queues.
/// - A loop at the beginning of a group, or of an alternative, follows its own contiguity; Flink gives it that of the
///   group's rounds.
/// - A group at the beginning of a group joins what is before as the outer group says; Flink takes the very next event.
/// - A condition that ends the loop of a group also holds for groups in that group.
/// - A negation before a group that can be left out, or whose first stage can be, holds until the group has taken an
///   event; Flink forgets it with the first event that is passed over.
/// - A bound on the time since the event before that is said of a group is one for the first event of each round.
/// - `either`, `allOf`, ``neighbours`` and ``selection`` have no counterpart in Flink. In `either` and `allOf`, events are
///   passed over until the first one that any of the alternatives, or of the missing events, can begin with; the stages
///   that an alternative begins with may be left out, and all of it may. In `allOf` no event counts for two of those that
///   are missing. A negation behind a loop of them without an end holds for each event that the loop passes over.
public struct PatternPlan: Sendable, Hashable {
    /// The stages, in the order in which they match.
    public var stages: [PlanStage]

    /// The names of the captures; `PlanStage/capture` is the position.
    public var captures: [String]

    /// What is known about each condition; a ``ConditionID`` is the position.
    public var conditions: [PlanCondition]

    /// The greatest time between the first and the last event of a match, in nanoseconds; exclusive.
    public var within: Int64?

    /// The greatest time between neighbours in a match, in nanoseconds; exclusive.
    public var neighbours: Int64?

    /// What a match does to the partial matches that overlap with it.
    public var afterMatch: AfterMatch

    /// Which of the matches that one event completes are emitted.
    public var selection: MatchSelection

    /// What must not have come in the time before the first event.
    public var quiet: PlanQuiet?
}

/// What must not have come in the time before the first event of a match.
public struct PlanQuiet: Sendable, Hashable {
    /// The condition on the event that must not have come, which looks at the event alone; `nil` for an event that a match
    /// began with.
    public var condition: ConditionID?

    /// How long before, in nanoseconds; exclusive.
    ///
    /// `Int64.max` stands for ever.
    public var duration: Int64

    public init(condition: ConditionID?, duration: Int64) {
        self.condition = condition
        self.duration = duration
    }
}

/// The number of a condition in its plan; equal conditions of a pattern have the same number.
public typealias ConditionID = Int

/// What a strategy may know of a condition.
public struct PlanCondition: Sendable, Hashable {
    /// The captures that the condition looks at beside the current event; none for a condition on the event alone.
    public var captures: [Int]

    /// The condition as in the source code, or what a closure is called.
    public var text: String

    /// The value that an event must have for the condition to hold, where it is an equality that can be indexed.
    public var equality: PlanEquality?

    /// Whether the condition looks at nothing but the current event.
    public var isUnary: Bool { captures.isEmpty }

    public init(captures: [Int], text: String, equality: PlanEquality? = nil) {
        self.captures = captures
        self.text = text
        self.equality = equality
    }
}

/// That a condition can only hold where a value of the event equals a value of the last event of a capture.
///
/// ``ConditionTable/keyOfEvent`` and ``ConditionTable/keyOfCapture`` compute the two values, hashed to 64 bits.
public struct PlanEquality: Sendable, Hashable {
    /// The capture.
    public var capture: Int

    public init(capture: Int) {
        self.capture = capture
    }
}

/// What a match does to the partial matches, and to the other matches, that overlap with it.
public enum AfterMatch: Sendable, Hashable {
    /// Nothing: every match is emitted.
    case noSkip
    /// Those that started with the same event are dropped.
    case skipToNext
    /// Those that started with an event of the match, or between its events, are dropped.
    case skipPastLast
    /// Those that started before the first event that the stage captured are dropped.
    case skipToFirst(capture: Int, failsOnMiss: Bool)
    /// Those that started before the last event that the stage captured are dropped.
    case skipToLast(capture: Int, failsOnMiss: Bool)
}

/// Which of the matches that one event completes, or that one moment of time completes, are emitted.
public enum MatchSelection: Sendable, Hashable {
    /// All of them.
    case all
    /// The one that started first; of those, the one that took its events earliest.
    case first
    /// The one that started last; of those, the one that took its events latest.
    case last
    /// The one with the most events; of those, the one that ``first`` would pick.
    case longest
}

extension PatternPlan {
    /// Whether a match can have any number of events.
    var hasLoopWithoutEnd: Bool { stages.contains(where: \.hasLoopWithoutEnd) }

    /// How many events a match can have at most, loops without an end counted once.
    var mostEvents: Int { stages.reduce(0) { $0 + $1.mostEvents } }
}

extension PlanStage {
    /// What ends the loop, if something does.
    var ends: [ConditionID] { until.map { [$0] } ?? [] }

    /// Whether the stage can match without an event.
    var canBeLeftOut: Bool { quantifier.isOptional || content.canBeEmpty }

    var hasGreedyLoop: Bool {
        switch content {
        case .event: quantifier.isGreedy
        case .group(let stages), .allOf(let stages): stages.contains(where: \.hasGreedyLoop)
        case .either(let alternatives): alternatives.contains { $0.contains(where: \.hasGreedyLoop) }
        }
    }

    var hasLoopWithoutEnd: Bool {
        if quantifier.most == nil { return true }
        switch content {
        case .event: return false
        case .group(let stages), .allOf(let stages): return stages.contains(where: \.hasLoopWithoutEnd)
        case .either(let alternatives):
            return alternatives.contains { $0.contains(where: \.hasLoopWithoutEnd) }
        }
    }

    var mostEvents: Int {
        let once =
            switch content {
            case .event: isNegation ? 0 : 1
            case .group(let stages), .allOf(let stages): stages.reduce(0) { $0 + $1.mostEvents }
            case .either(let alternatives):
                alternatives.map { $0.reduce(0) { $0 + $1.mostEvents } }.max() ?? 0
            }
        return once * (quantifier.most ?? quantifier.least)
    }
}

extension PlanStage.Content {
    /// Whether it can match without an event.
    var canBeEmpty: Bool {
        switch self {
        case .event, .allOf: false
        case .group(let stages): Self.canBeEmpty(stages)
        case .either(let alternatives): alternatives.contains(where: Self.canBeEmpty)
        }
    }

    private static func canBeEmpty(_ stages: [PlanStage]) -> Bool {
        stages.allSatisfy { $0.canBeLeftOut || $0.isNegation }
    }
}
