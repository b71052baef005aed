internal import WeirCore
internal import WeirRecords

/// Reads accelerometer readings, and refuses those that go back in time within their group.
struct ReadingDecoder: EventDecoder {
    /// The fields of a record; `group` is wanted only where readings are told apart by a field.
    enum Key: Int, FieldKey {
        case time, x, y, z, group
    }

    /// The names of the groups; `nil` where all readings are one group.
    let groups: SymbolTable?

    /// The time of the last reading, where all are one group.
    private var latest = Timestamp.distantPast

    /// The last reading of each group, by the group's index.
    private var last: [(group: Symbol, time: Timestamp)] = []

    init(groups: SymbolTable?) {
        self.groups = groups
    }

    @inline(__always)
    mutating func decode(_ record: borrowing FieldReader<Key>) throws(FieldError) -> Reading {
        // The group comes last, so that a record that is refused takes up none.
        let time = try record.timestamp(.time)
        let reading = Reading(
            timestamp: time,
            x: try record.double(.x),
            y: try record.double(.y),
            z: try record.double(.z),
            group: try group(of: record, at: time)
        )
        guard follows(reading) else { throw FieldError(Key.time, .goesBack) }
        return reading
    }

    /// Notes a reading, unless it is older than the one before it in its group.
    @inline(__always)
    private mutating func follows(_ reading: Reading) -> Bool {
        let (group, time) = (reading.group, reading.timestamp)
        guard groups != nil else {
            guard time >= latest else { return false }
            latest = time
            return true
        }
        while last.count <= group.index { last.append((group, .distantPast)) }
        let before = last[group.index]
        // A group in the place of one that was forgotten begins anew.
        guard time >= before.time || before.group != group else { return false }
        last[group.index] = (group, time)
        return true
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&latest)
        try state.exchange(&last)
        try groups?.exchangeState(&state)
    }

    private func group(of record: borrowing FieldReader<Key>, at time: Timestamp) throws(FieldError) -> Symbol {
        guard let groups else { return .first }
        return try groups.symbol(of: record, .group, at: time, limitOption: "max-groups")
    }
}
