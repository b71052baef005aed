/// How much a pattern may remember, and what happens at the limit.
@frozen
public struct PatternLimits: Sendable, Hashable {
    /// What happens to a partial match, or an event, that a limit leaves no room for.
    @frozen
    public enum Policy: String, Sendable, Hashable, Codable {
        /// The new one is not kept, and counted.
        case refuseNew
        /// The partial matches that started first are given up, and counted, until there is room; of the events that wait
        /// for the watermark, the earliest.
        case dropOldest
        /// The stream of matches fails with ``PatternFailure/limitReached``.
        case fail
    }

    /// How many partial matches there may be in all groups together.
    public var partialMatches: Int

    /// How many partial matches there may be in one group.
    public var partialMatchesPerGroup: Int

    /// How many events partial matches may keep, in all groups together.
    public var events: Int

    /// How many groups there may be.
    public var groups: Int

    /// How many events may wait for the watermark, where events are put in order.
    public var waiting: Int

    /// What happens at a limit.
    public var policy: Policy

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - partialMatches: How many partial matches there may be in all groups together; positive.
    ///   - partialMatchesPerGroup: How many partial matches there may be in one group; positive.
    ///   - events: How many events partial matches may keep; positive.
    ///   - groups: How many groups there may be; positive.
    ///   - waiting: How many events may wait for the watermark; positive.
    ///   - policy: What happens at a limit.
    @inlinable
    public init(
        partialMatches: Int = 1 << 22,
        partialMatchesPerGroup: Int = 1 << 22,
        events: Int = 1 << 22,
        groups: Int = 1 << 22,
        waiting: Int = 1 << 20,
        policy: Policy = .refuseNew
    ) {
        precondition(partialMatches > 0, "a limit of \(partialMatches) partial matches leaves no room for any")
        precondition(partialMatchesPerGroup > 0, "a limit of \(partialMatchesPerGroup) leaves a group no room")
        precondition(events > 0, "a limit of \(events) events leaves no room for any")
        precondition(groups > 0, "a limit of \(groups) groups leaves no room for any")
        precondition(waiting > 0, "a limit of \(waiting) waiting events leaves no room for any")
        self.partialMatches = min(partialMatches, Int(Int32.max) / 2)
        self.partialMatchesPerGroup = partialMatchesPerGroup
        self.events = min(events, Int(Int32.max) / 2)
        self.groups = min(groups, Int(Int32.max) / 2)
        self.waiting = waiting
        self.policy = policy
    }
}

/// Why a stream of matches broke off.
public enum PatternFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A limit was reached whose policy is ``PatternLimits/Policy/fail``.
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

/// What a pattern holds and has given up.
@frozen
public struct PatternCounts: Sendable, Hashable {
    /// Partial matches that are open.
    public var partialMatches = 0

    /// Events that partial matches keep.
    public var events = 0

    /// Groups that have a partial match.
    public var groups = 0

    /// Partial matches that ``PatternLimits/Policy/refuseNew`` refused.
    public var refusedPartialMatches = 0

    /// Partial matches that ``PatternLimits/Policy/dropOldest`` gave up.
    public var droppedPartialMatches = 0

    /// Events that a limit left no room for.
    public var refusedEvents = 0

    @inlinable
    public init() {}
}
