/// Bounds what events cost: how many partial matches they are compared with one by one, and how many matches they complete.
///
/// Each event adds its share, and what events do not use is saved for those that need more, up to a bound. So an event can
/// always do its share of work, whatever the events before it have done, and all events together do no more than their
/// shares and what can be saved. Nothing in it depends on the clock: the same events have the same results on every run.
@frozen
@usableFromInline
struct WorkBudget: Sendable {
    /// How many shares can be saved.
    @usableFromInline static var greatestSaving: Int { 4096 }

    /// How many times as much an event of a pattern without groups may do: its group is the whole stream.
    @usableFromInline static var factorWithoutGroups: Int { 32 }

    @usableFromInline let share: Int
    @usableFromInline let most: Int
    /// What an event may do in one state though it has used up its budget in others.
    @usableFromInline let least: Int
    @usableFromInline var left: Int

    @usableFromInline
    init(_ limits: PatternLimits, isGrouped: Bool, stateCount: Int) {
        share = limits.work.multiplied(by: isGrouped ? 1 : Self.factorWithoutGroups)
        most = share.multiplied(by: Self.greatestSaving)
        least = max(1, share / max(1, stateCount))
        left = most
    }

    /// Adds the share of an event.
    @inlinable
    mutating func beginEvent() {
        left = min(left &+ share, most)
    }

    /// How much may be done next; positive.
    @inlinable
    var allowance: Int { max(left, least) }

    @inlinable
    mutating func spend(_ work: Int) {
        left = max(0, left &- work)
    }
}

extension Int {
    /// The product, or so much that it is as good as no bound.
    fileprivate func multiplied(by factor: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? .max / 4 : Swift.min(product, .max / 4)
    }
}
