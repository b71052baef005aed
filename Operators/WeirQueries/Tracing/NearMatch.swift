public import WeirCore

/// What became of events that satisfy a part of a ``Query``: how far they came, what they waited for, and why it did not come.
///
///     func explain(_ near: NearMatch<Attempt>) {
///         print(near.keys, near.satisfied.count, "of", near.eventCount)
///         for missed in near.missed {
///             for failed in missed.closest?.failed ?? [] { print(failed.condition, failed.values) }
///         }
///     }
///
/// Thread safety: a value.
public struct NearMatch<Root: Sendable>: Sendable {
    /// An event, as people look for it.
    public struct Event: Sendable {
        /// The event.
        public let element: Root

        /// Its event time.
        public let time: Timestamp

        /// Its number among the events that were looked at, from 1.
        public let number: UInt64

        // What the query reads of it.
        let values: [QueryValue]
        let category: QueryValue
        // Where it is in the input; zero where that is not known.
        let line: UInt64
    }

    /// A step with the event that satisfies it.
    public struct SatisfiedStep: Sendable {
        /// The index of the step in the query.
        public let step: Int

        /// Which one of the events that the step takes in a row, from 0.
        public let run: Int

        /// The event.
        public let event: Event
    }

    /// A part of a condition that does not hold for an event.
    public struct FailedCondition: Sendable, Hashable {
        /// The part, as the query writes it; alternatives stand with `or` between them.
        public let condition: String

        /// What the event has in the fields of the part, in the order of their names in the query; `.missing` where it has
        /// nothing.
        public let values: [NamedValue]
    }

    /// A value of a field.
    public struct NamedValue: Sendable, Hashable {
        /// The name of the field, or `category`.
        public let name: String

        /// The value.
        public let value: QueryValue
    }

    /// An event that does not satisfy a step, and what would have to be different.
    public struct Candidate: Sendable {
        /// The event.
        public let event: Event

        /// The fewest parts of the condition that would have to hold; at least one.
        public let failed: [FailedCondition]
    }

    /// A step without an event.
    public struct MissedStep: Sendable {
        /// The index of the step in the query.
        public let step: Int

        /// Which one of the events that the step takes in a row, from 0.
        public let run: Int

        /// The event of the same key and within the time for which the fewest parts of the condition fail; `nil` where no
        /// event came.
        public let closest: Candidate?

        /// An event of the same key that satisfies the step, but came before the steps that stand before it.
        public let early: Event?

        /// The first event of the same key that satisfies the step, but came when the time was over.
        public internal(set) var late: Event?

        /// How many events satisfied the step within the time, but have another key.
        public let otherCount: UInt64

        /// One of those: the last whose key differs in the case of letters alone, or else the last.
        public let other: Event?
    }

    /// Why it ended.
    public enum Ending: Sendable {
        /// All steps are satisfied: it is a match, before the pipes of the query.
        case complete
        /// The longest time from the first event to the last was over.
        case maxSpan
        /// The event came that ends what is pending.
        case until(Event)
        /// A newer one of the same key came as far, which takes its place; the event brought the newer one there.
        case replaced(by: Event)
        /// The event satisfies a step that must not occur.
        case occurred(step: Int, Event)
        /// There were more keys or events than the limit.
        case limit
        /// No event followed.
        case endOfEvents
        /// No event satisfied the first step.
        case notBegun
    }

    /// The values that the events share, in the order in which the query names them.
    public let keys: [QueryValue]

    /// The steps that are satisfied, in the order of the query.
    public let satisfied: [SatisfiedStep]

    /// How many events a match has.
    public let eventCount: Int

    /// The steps that lack an event: for a sequence the one that it waited for, for a sample all.
    public internal(set) var missed: [MissedStep]

    /// Why it ended.
    public let ending: Ending

    /// When it ended: the time of an event, or the end of the longest time.
    public let endTime: Timestamp

    /// The event of a step that must not occur, where one came before it ended for another reason.
    public let intruder: (step: Int, event: Event)?

    /// Whether it is a match.
    public var isComplete: Bool { if case .complete = ending { true } else { false } }
}

extension NearMatch {
    /// The time of the first event, or when it ended.
    var startTime: Timestamp { satisfied.map(\.event.time).min() ?? missed.first?.closest?.event.time ?? endTime }

    /// Whether it is closer to a match than another one: by the events, then by what failed, then by the time.
    func isCloser(than other: NearMatch) -> Bool {
        // The one that takes its place came as far.
        if isReplaced != other.isReplaced { return other.isReplaced }
        if satisfied.count != other.satisfied.count { return satisfied.count > other.satisfied.count }
        let (failed, others) = (failedCount, other.failedCount)
        if failed != others { return failed < others }
        if lateness != other.lateness { return lateness < other.lateness }
        return startTime < other.startTime
    }

    private var isReplaced: Bool { if case .replaced = ending { true } else { false } }

    /// Whether another one of the same key has all of its events.
    func isWithin(_ other: NearMatch) -> Bool {
        !satisfied.isEmpty && satisfied.count < other.satisfied.count && keys == other.keys
            && satisfied.allSatisfy { step in other.satisfied.contains { $0.event.number == step.event.number } }
    }

    private var failedCount: Int {
        var sum = 0
        for step in missed {
            // Of an event that satisfies all, only the time is wrong.
            let failed = step.late == nil ? step.closest?.failed.count ?? 1_000 : 1
            sum += min(failed, step.closest?.failed.count ?? 1_000)
        }
        return sum
    }

    private var lateness: Int64 {
        missed.first?.late.map { ($0.time - endTime).wholeNanoseconds } ?? .max
    }
}
