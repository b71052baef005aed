/// Matches as the engines find them: their events are numbers, which the owner of an engine gives and knows.
///
/// The events of a match have a holder: the match.
struct FoundMatches: Sendable {
    struct Match: Sendable {
        /// The values that its events share.
        let key: EventKey
        /// When it was certain: the time of the last event, or when nothing more could occur that must not.
        let time: Int64
        /// Where its events are in ``events``.
        let start: Int
        let count: Int
        /// Where the owner stood: see ``FoundMatches/row``.
        let row: Int
    }

    /// Stands for an event that is missing.
    static let missing = UInt32.max

    /// Stands for the event that the engine has just received, which it did not keep.
    static let current = UInt32.max - 1

    /// Where the owner stands: the index of the record that it gives to the engine; negative for none.
    var row = -1

    /// The matches, in the order in which they were found.
    private(set) var matches: [Match] = []

    /// The events of all matches; those of one are in the order of the steps.
    private(set) var events: [UInt32] = []

    /// Adds a match.
    ///
    /// - Parameters:
    ///   - key: The values that its events share.
    ///   - time: When it was certain.
    ///   - count: How many events it has, with those that are missing; they are, until they are set.
    mutating func append(_ key: EventKey, at time: Int64, count: Int) {
        matches.append(Match(key: key, time: time, start: events.count, count: count, row: row))
        for _ in 0..<count { events.append(Self.missing) }
    }

    /// Sets an event of the match that was added last.
    mutating func setEvent(_ index: Int, _ event: UInt32) { events[matches[matches.count - 1].start + index] = event }

    /// Forgets all matches.
    mutating func removeAll() {
        matches.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
    }
}

/// Events that satisfy a query, apart from the engine that found them.
struct FoundMatch<Payload: Sendable>: Sendable {
    /// The values that they share.
    let key: EventKey
    /// The events; `nil` where one is missing.
    let events: [Payload?]
    /// When it was certain: the time of the last event, or when nothing more could occur that must not.
    let time: Int64
}
