public import WeirCore

/// A way to evaluate a plan: takes events and time, and hands complete matches to a ``MatchReceiver``.
///
/// The engine around it looks up the group of an event and puts events in order, so that times never decrease. The state
/// of a group is known by a slot, a small number that is used again when the group has gone. Slot 0 is the only one where
/// the pattern is not grouped.
///
/// Before an event, the engine calls ``advance(to:into:)`` with the event's time.
public protocol PatternStrategy<Element>: Sendable {
    /// The events.
    associatedtype Element: Sendable

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - element: The event.
    ///   - time: Its time; not before the last one.
    ///   - slot: The group that it belongs to.
    ///   - output: Gets the matches that the event completes.
    /// - Returns: Whether the group has a partial match; if not, the engine may forget the slot at once.
    mutating func receive<Output: MatchReceiver>(
        _ element: borrowing Element,
        at time: Timestamp,
        slot: Int,
        into output: inout Output
    ) -> Bool where Output.Element == Element

    /// Moves time on for all groups: partial matches expire, and negations at the end of a pattern come true.
    ///
    /// - Parameters:
    ///   - time: No event before this time follows. What must come before a bound has expired when `time` is at the
    ///     bound: `time - start >= within`.
    ///   - output: Gets the matches and timeouts, and the slots of groups that have no partial match any more.
    mutating func advance<Output: MatchReceiver>(to time: Timestamp, into output: inout Output)
    where Output.Element == Element
}

/// What takes the matches of a strategy.
public protocol MatchReceiver<Element> {
    /// The events.
    associatedtype Element: Sendable

    /// How many of the matches that one event completes are wanted.
    var demand: MatchDemand { get }

    /// Takes a match.
    ///
    /// - Parameters:
    ///   - match: The match; its storage belongs to the strategy.
    ///   - time: The time of the event that completed the match; for a negation at the end, the time at which the window
    ///     closed.
    /// - Returns: Whether a further match of the same event is wanted.
    mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool

    /// Takes the number of matches that one event completes, where ``demand`` is ``MatchDemand/count``.
    mutating func receive(count: Int, at time: Timestamp)

    /// Takes a partial match whose time is over.
    ///
    /// - Parameters:
    ///   - match: What it has captured.
    ///   - time: When the window closed.
    mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp)

    /// Takes note that a group has no partial match any more, after time has moved on.
    mutating func release(slot: Int)
}

/// How many of the matches that one event completes are wanted.
@frozen
public enum MatchDemand: Sendable, Hashable {
    /// All of them.
    case all
    /// So many at most: the rest is not enumerated.
    case first(Int)
    /// None of them, but their number.
    case count
}

/// A match, or a partial match: its events in the order in which they came, each with the capture that took it.
///
/// Among the matches that one event completes the order is that of the strategy, the same on every run.
@frozen
public struct FoundMatch<Element: Sendable>: Sendable {
    /// An event of a match.
    @frozen
    public struct Entry: Sendable {
        /// The capture that took it.
        public var capture: Int

        /// The event.
        public var element: Element

        /// Its time.
        public var time: Timestamp

        @inlinable
        public init(capture: Int, element: Element, time: Timestamp) {
            self.capture = capture
            self.element = element
            self.time = time
        }
    }

    /// The events in the order in which they came.
    public var entries: [Entry]

    @inlinable
    public init(entries: [Entry] = []) {
        self.entries = entries
    }
}
