/// An event of a pending match: what matches show of it, and what pipes compute of it.
struct KeptEvent<Content: Sendable>: Sendable {
    let content: Content

    /// For each pipe what its terms are of the event; empty where no pipe has terms.
    let values: [[QueryValue]]
}

/// What a record is kept as by pipes: a JSON object.
typealias KeptRecord = KeptEvent<[UInt8]>

/// What a rule brings.
enum QueryFinding<Content: Sendable> {
    /// Events that satisfy it.
    case match(FoundMatch<KeptEvent<Content>>)
    /// How many matches there were with some values.
    case count(Tally)
}

/// How many matches there were with some values.
struct Tally: Sendable, Hashable {
    let values: [QueryValue]
    let count: UInt64
    /// Of all matches, from 0 to 1.
    let share: Double
}
