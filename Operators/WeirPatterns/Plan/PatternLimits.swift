public import WeirCore

/// How much a pattern may remember, and what happens at the limit.
@frozen
public struct PatternLimits: Sendable, Hashable {
    /// How many partial matches there may be in all groups together.
    public var partialMatches: Int

    /// How many partial matches there may be in one group; by default a sixteenth of ``partialMatches``, and 1,024 at least,
    /// so that a group that gets nearly all events leaves room for the others.
    ///
    /// Only the runs strategy tells the partial matches of groups apart: a number makes it the one that is used. A pattern
    /// without groups has no such limit by default.
    public var partialMatchesPerGroup: Int?

    /// How many events partial matches may keep, in all groups together.
    public var events: Int

    /// How many groups there may be.
    public var groups: Int

    /// How many events may wait for the watermark, where events are put in order.
    public var waiting: Int

    /// How much work events may make: how many partial matches of its group an event may be compared with one by one, plus
    /// how many matches it may complete, in the long run.
    ///
    /// Without it, the cost of a group grows with the square of its events, where each of them begins a partial match that
    /// each later one is compared with, and matches of *k* events grow with their *k*-th power. Work that events leave over
    /// is saved, up to 4,096 times this, so patterns of ordinary groups never meet the limit. An event of a pattern without
    /// groups may do 32 times as much.
    ///
    /// A partial match that is compared is one that an event can change only after a look at it: where a condition on the
    /// event alone fails, or an equality with a captured value is looked up, the others cost nothing and do not count.
    ///
    /// At the limit an event is compared with the partial matches that came to wait last; the others that it would have to
    /// be compared with are given up, as `dropOldest` does it whatever the policy, unless that is
    /// `fail`. What is given up has waited longest: it has been compared with most events without an effect, and
    /// would expire first. Of the matches that an event completes some are always emitted, and it is counted in
    /// `eventsCutShort` that there were more. Whether windows close does not depend on it.
    public var work: Int

    /// What happens to a partial match, or an event, that a limit leaves no room for.
    ///
    /// With `dropNewest` the new one is not kept, and counted. With `dropOldest` the partial
    /// matches that started first are given up, and counted, until there is room; of the events that wait for the watermark,
    /// the earliest. With `fail` the stream of matches fails with ``PatternFailure/limitReached(_:)``.
    public var policy: LimitPolicy

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - partialMatches: How many partial matches there may be in all groups together; positive.
    ///   - partialMatchesPerGroup: How many partial matches there may be in one group; positive. By default a
    ///     sixteenth of `partialMatches`, and 1,024 at least, where the runs strategy evaluates a pattern with groups.
    ///   - events: How many events partial matches may keep; positive.
    ///   - groups: How many groups there may be; positive.
    ///   - waiting: How many events may wait for the watermark; positive.
    ///   - work: How many partial matches an event may be compared with one by one, plus how many matches it may complete,
    ///     in the long run; positive. See ``work``.
    ///   - policy: What happens at a limit.
    @inlinable
    public init(
        partialMatches: Int = 1 << 22,
        partialMatchesPerGroup: Int? = nil,
        events: Int = 1 << 22,
        groups: Int = 1 << 22,
        waiting: Int = 1 << 20,
        work: Int = 64,
        policy: LimitPolicy = .dropNewest
    ) {
        precondition(partialMatches > 0, "a limit of \(partialMatches) partial matches leaves no room for any")
        if let partialMatchesPerGroup {
            precondition(partialMatchesPerGroup > 0, "a limit of \(partialMatchesPerGroup) leaves a group no room")
        }
        precondition(events > 0, "a limit of \(events) events leaves no room for any")
        precondition(groups > 0, "a limit of \(groups) groups leaves no room for any")
        precondition(waiting > 0, "a limit of \(waiting) waiting events leaves no room for any")
        self.partialMatches = min(partialMatches, Int(Int32.max) / 2)
        self.partialMatchesPerGroup = partialMatchesPerGroup
        self.events = min(events, Int(Int32.max) / 2)
        self.groups = min(groups, Int(Int32.max) / 2)
        precondition(work > 0, "an event that may do \(work) work can do nothing")
        self.waiting = waiting
        self.work = work
        self.policy = policy
    }
}

extension PatternLimits {
    /// How many partial matches a group may have, as the runs strategy sees it.
    @usableFromInline
    func greatestGroup(isGrouped: Bool) -> Int {
        partialMatchesPerGroup ?? (isGrouped ? min(partialMatches, max(1024, partialMatches / 16)) : partialMatches)
    }
}

/// Why a stream of matches broke off.
public enum PatternFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A limit was reached whose policy is `fail`.
    case limitReached(String)

    /// A match did not capture the event that the after-match policy skips to.
    case nothingToSkipTo(stage: String)

    /// The after-match policy skips to the event that the match started with, and would find it for ever.
    case skipsNowhere(stage: String)

    public var description: String {
        switch self {
        case .limitReached(let what):
            "the pattern reached its limit of \(what); raise the limit, or choose a policy that drops"
        case .nothingToSkipTo(let stage):
            "a match has no event of the stage \(stage) to skip to; choose another stage, or do not fail on a miss"
        case .skipsNowhere(let stage):
            "skipping to the stage \(stage) would find the same match again; choose a later stage"
        }
    }
}
