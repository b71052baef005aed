public import WeirCore

/// What became of the partial matches of a pattern, to find out why it did not fire.
///
/// Hand one to `matches(of:tracing:)`, and read it with `trace(key:)` on the stream of matches. It remembers the latest
/// entries. Without a tracer nothing is recorded, and nothing is paid for.
///
/// Thread safety: all members, from any thread.
public final class PatternTracer: Sendable {
    /// What happened to a partial match.
    public enum Happening: Sendable, Hashable {
        /// It passed over the event: these conditions said no.
        case passedOver
        /// It captured the event.
        case captured
        /// A negation ended it.
        case forbidden(stage: String)
        /// No edge was open for the event: what had to come next did not.
        case broken
        /// Its time was over.
        case timedOut
        /// Another match skipped it.
        case skipped
        /// It became a match when its window closed.
        case matched
    }

    /// What happened to one partial match at one time.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// The group, as text.
        public let key: String

        /// When the partial match started; it is known by that.
        public let start: Timestamp

        /// The time of the event, or the time that had come.
        public let time: Timestamp

        /// What happened.
        public let happening: Happening

        /// The stage that was waited for.
        public let stage: String

        /// The conditions that were looked at, and what they said.
        public let conditions: [Condition]

        /// What had been captured.
        public let captured: [Captured]

        public var description: String {
            let truths = conditions.map { "\($0.text): \($0.held ? "yes" : "no")" }.joined(separator: ", ")
            let events = captured.map { "\($0.stage) = \($0.event)" }.joined(separator: ", ")
            return "\(key) \(start) at \(time): \(happening) waiting for \(stage) [\(truths)] {\(events)}"
        }
    }

    /// What a condition said.
    public struct Condition: Sendable, Hashable {
        /// The condition.
        public let text: String
        /// Whether it held.
        public let held: Bool
    }

    /// An event that had been captured.
    public struct Captured: Sendable, Hashable {
        /// The stage that captured it.
        public let stage: String
        /// The event, as text.
        public let event: String
    }

    private struct State {
        var entries: [Entry] = []
        var next = 0
    }

    private let state = Locked(State())
    private let limit: Int
    private let keys: Set<String>?

    /// Creates a tracer.
    ///
    /// - Parameters:
    ///   - keys: The groups to trace, as text; all if there is no set.
    ///   - limit: How many entries are remembered; positive.
    public init(keys: Set<String>? = nil, limit: Int = 10_000) {
        precondition(limit > 0, "a tracer needs room for an entry, not for \(limit)")
        self.keys = keys
        self.limit = limit
    }

    func record(of key: String, _ make: () -> Entry) {
        guard keys?.contains(key) ?? true else { return }
        let entry = make()
        state.withLock { state in
            if state.entries.count < limit {
                state.entries.append(entry)
            } else {
                state.entries[state.next] = entry
                state.next = (state.next + 1) % limit
            }
        }
    }

    /// The entries of a group in the order in which they happened.
    ///
    /// - Parameters:
    ///   - key: The group, as text.
    ///   - start: The first time of interest.
    ///   - end: The last time of interest.
    /// - Returns: The entries.
    public func entries(
        of key: String,
        from start: Timestamp = .distantPast,
        through end: Timestamp = .distantFuture
    ) -> [Entry] {
        state.withLock { state in
            let ordered = state.entries[state.next...] + state.entries[..<state.next]
            return ordered.filter { $0.key == key && $0.time >= start && $0.time <= end }
        }
    }
}
