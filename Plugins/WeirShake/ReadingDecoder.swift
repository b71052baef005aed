internal import WeirCore

/// Reads accelerometer readings, and refuses those that go back in time within their group.
struct ReadingDecoder: EventDecoder {
    /// The fields of a record; `group` is wanted only where readings are told apart by a field.
    enum Key: Int, FieldKey {
        case time, x, y, z, group
    }

    /// The names of the groups; `nil` where all readings are one group.
    let groups: SymbolTable?

    /// The time of the last reading of each group, by the group's index.
    private var lastTimes: [Timestamp] = []

    init(groups: SymbolTable?) {
        self.groups = groups
    }

    mutating func decode(_ record: borrowing FieldReader<Key>) throws(FieldError) -> Reading {
        // The group comes last, so that a record that is refused takes up none.
        let reading = Reading(
            timestamp: try record.timestamp(.time),
            x: try record.double(.x),
            y: try record.double(.y),
            z: try record.double(.z),
            group: try group(of: record)
        )
        let group = reading.group
        while lastTimes.count <= group.index { lastTimes.append(.distantPast) }
        guard reading.timestamp >= lastTimes[group.index] else { throw FieldError(Key.time, .goesBack) }
        lastTimes[group.index] = reading.timestamp
        return reading
    }

    private func group(of record: borrowing FieldReader<Key>) throws(FieldError) -> Symbol {
        guard let groups else { return .first }
        return try groups.symbol(of: record, .group, limitOption: "max-groups")
    }
}
