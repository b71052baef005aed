public import WeirCore

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
}

/// How many of the matches that one event completes are wanted.
@frozen
public enum MatchDemand: Sendable, Hashable {
    /// All of them.
    case all
    /// At most that number: the rest is not enumerated.
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

extension FoundMatch: Equatable where Element: Equatable {}
extension FoundMatch: Hashable where Element: Hashable {}
extension FoundMatch.Entry: Equatable where Element: Equatable {}
extension FoundMatch.Entry: Hashable where Element: Hashable {}
