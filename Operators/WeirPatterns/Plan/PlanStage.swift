/// A stage of a plan: an event, or a group of stages, with the rules for how often and how closely it matches.
public struct PlanStage: Sendable, Hashable {
    /// What the stage is called in diagnostics and in after-match policies.
    public var name: String

    /// How the stage joins what comes before it.
    public var contiguity: Contiguity

    /// What the stage matches.
    public var content: Content

    /// How often.
    public var quantifier: PlanQuantifier

    /// What ends the loop: an event for which it holds is not taken any more, and nothing after it.
    public var until: ConditionID?

    /// How long after the event before it, in nanoseconds, the stage's event must come; exclusive.
    ///
    /// Of a negation, how long after that event it holds. See ``PatternPlan`` for what that means behind a loop or a stage that can be left out.
    public var gap: Int64?

    /// Of a negation, the number of the schedule in ``ConditionTable/schedules`` that says until when it holds.
    public var schedule: Int?

    public init(
        name: String,
        contiguity: Contiguity,
        content: Content,
        quantifier: PlanQuantifier = PlanQuantifier(),
        until: ConditionID? = nil,
        gap: Int64? = nil,
        schedule: Int? = nil
    ) {
        self.name = name
        self.contiguity = contiguity
        self.content = content
        self.quantifier = quantifier
        self.until = until
        self.gap = gap
        self.schedule = schedule
    }

    /// What a stage matches.
    public indirect enum Content: Sendable, Hashable {
        /// One event (or several, by the quantifier), put into the capture with this number.
        ///
        /// All conditions must hold; without one every event will do. The stages of negations have captures too, which stay empty.
        case event(capture: Int, conditions: [ConditionID])
        /// Several stages, one after the other; the first one joins what is before the group as the group says.
        case group([PlanStage])
        /// One of several sequences of stages.
        case either([[PlanStage]])
        /// Several events in any order, each of them once.
        case allOf([PlanStage])
    }

    /// Whether the stage forbids something rather than captures it.
    public var isNegation: Bool { contiguity == .notNext || contiguity == .notFollowedBy }

    /// Whether the stage is a negation that is over at some time.
    var hasDuration: Bool { contiguity == .notFollowedBy && (gap != nil || schedule != nil) }
}

/// How a stage joins what comes before it.
public enum Contiguity: String, Sendable, Hashable, Codable {
    /// Nothing comes before it.
    case first = "begin"
    /// The very next event (of the group) must match.
    case next
    /// Events in between are passed over until the first that matches.
    case followedBy
    /// Events in between are passed over, also those that match: every possibility is a match of its own.
    case followedByAny
    /// The very next event must not match.
    case notNext
    /// No event may match before the next stage does, or, at the end, before the window closes.
    case notFollowedBy
}

/// How often a stage matches, and how closely the events of its loop follow each other.
public struct PlanQuantifier: Sendable, Hashable {
    /// The least number of times; at least 1: ``isOptional`` says whether there may be none.
    public var least: Int

    /// The greatest number of times; `nil` for no end.
    public var most: Int?

    /// Whether the stage may be left out.
    public var isOptional: Bool

    /// Whether the loop takes all that it can before the next stage may go on.
    public var isGreedy: Bool

    /// How the events of the loop follow each other.
    public var inner: LoopContiguity

    /// Whether the stage was given a number of times, be it one.
    ///
    /// It matters at the head of a group that can be left out: there a stage that is counted waits in the state from which
    /// the group is passed by, as in Flink.
    public var isCounted: Bool

    /// Whether the stage is a single event, or a single round of a group, rather than a loop.
    public var isSingle: Bool { least == 1 && most == 1 && !isCounted }

    public init(
        least: Int = 1,
        most: Int? = 1,
        isOptional: Bool = false,
        isGreedy: Bool = false,
        inner: LoopContiguity = .relaxed,
        isCounted: Bool = false
    ) {
        self.isCounted = isCounted
        self.least = least
        self.most = most
        self.isOptional = isOptional
        self.isGreedy = isGreedy
        self.inner = inner
    }
}

/// How the events of a loop follow each other.
public enum LoopContiguity: String, Sendable, Hashable, Codable {
    /// Events that do not match may lie between.
    case relaxed
    /// Any events may lie between: every combination is a match of its own.
    case combinations
    /// Nothing may lie between.
    case consecutive
}
