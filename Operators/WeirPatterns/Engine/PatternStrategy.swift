public import WeirCore

/// What keeps the partial matches of a pattern and finds its matches: ``RunsStrategy`` or ``CompactStrategy``.
///
/// A ``PatternFront`` does for both what does not depend on how partial matches are kept. The compiler makes a front for
/// each, so an event calls through no existential.
@usableFromInline
protocol PatternStrategy<Element>: ~Copyable, Sendable {
    /// The events.
    associatedtype Element: Sendable

    /// What an event can do, before its group is known.
    associatedtype Meaning

    /// How far time has come: an event that is older is late.
    var now: Timestamp { get }

    /// How many partial matches, or nodes that stand for some, are held.
    var heldCount: Int { get }

    /// How many complete matches wait for earlier ones.
    var heldMatches: Int { get }

    /// What has been given up since the front looked at it last.
    var losses: StrategyLosses { get set }

    /// Whether a group has partial matches; it need not have been heard of.
    func hasPartialMatch(slot: UInt32) -> Bool

    /// What events can do to the pattern at all.
    mutating func eventEffects() -> EventEffects

    /// Looks up what the truth values of the conditions for an event mean, one bit each.
    mutating func meaning(of truths: UInt64) -> Meaning

    /// Whether an event does nothing to any group.
    func isIdle(_ meaning: Meaning) -> Bool

    /// Whether an event may begin a partial match, or be one of its own.
    func mayBegin(_ meaning: Meaning) -> Bool

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - element: The event.
    ///   - meaning: What it can do.
    ///   - time: Its time, to which ``advance(to:into:)`` has moved.
    ///   - slot: Its group; one that has no partial match yet becomes known by its first.
    ///   - output: Takes the matches that it completes.
    /// - Returns: Whether the group has partial matches now.
    mutating func receive<Output: MatchReceiver>(
        _ element: borrowing Element,
        _ meaning: Meaning,
        at time: Timestamp,
        slot: UInt32,
        into output: inout Output
    ) -> Bool where Output.Element == Element

    /// Moves time on, unless it has come further, and emits what the windows that close by then bring about.
    ///
    /// - Returns: Whether there are groups to forget, or losses.
    mutating func advance<Output: MatchReceiver>(to time: Timestamp, into output: inout Output) -> Bool
    where Output.Element == Element

    /// Forgets the groups that have lost their last partial match as time has moved on.
    mutating func forgetGroups<Key: Hashable & Sendable>(in groups: inout SlotTable<Key>)

    /// Gives back the memory that is not needed any more; called once for every two windows.
    ///
    /// - Parameter endOfSlots: One more than the greatest slot in use.
    mutating func shrink(endOfSlots: UInt32)

    /// Prefetches what is kept of a group.
    func prefetch(slot: UInt32)

    /// Names the group that may get a slot, for a trace.
    mutating func nameGroup<Key>(_ slot: UInt32, _ key: Key)

    /// Saves the partial matches, or gives them back.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

/// What events can do to a pattern, as far as it is known before they come.
@frozen
@usableFromInline
struct EventEffects: Sendable {
    /// The conditions of which one must hold for an event to begin a partial match, or to be one of its own, one bit each.
    @usableFromInline var beginning: UInt64
    /// Whether an event for which no condition holds can do so, too.
    @usableFromInline var alwaysBegins: Bool
    /// Whether such an event, or time alone, can do something to partial matches beside expiring them.
    @usableFromInline var alwaysChanges: Bool
}

/// What a strategy has given up, and why it cannot go on.
@frozen
@usableFromInline
struct StrategyLosses: Sendable {
    @usableFromInline var isEmpty = true

    /// Partial matches that were refused, given up for newer ones, or too many to compare an event with; with the compact
    /// strategy their first events.
    @usableFromInline var partialMatches = 0 { didSet { isEmpty = false } }

    /// Events that a limit left no room for.
    @usableFromInline var refusedEvents = 0 { didSet { isEmpty = false } }

    /// Events that completed more matches than ``PatternLimits/work`` allowed.
    @usableFromInline var eventsCutShort = 0 { didSet { isEmpty = false } }

    /// Why it cannot go on: the first reason.
    @usableFromInline private(set) var failure: PatternFailure? { didSet { isEmpty = false } }

    @inlinable
    init() {}

    @usableFromInline
    mutating func fail(_ reason: PatternFailure) {
        failure = failure ?? reason
    }
}
