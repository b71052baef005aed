internal import WeirCore
internal import WeirGeography
internal import WeirRecords

/// Reads pedometer and location updates, from records that carry either or both.
struct MovementDecoder: EventDecoder {
    /// The fields of a record; all but the time may be missing.
    enum Key: Int, FieldKey {
        case time, steps, cadence, speed, latitude, longitude, accuracy, group
    }

    /// What a cadence counts.
    enum Cadence: String, CaseIterable {
        /// The strides of one foot a minute, as running watches do.
        case strides
        /// The steps of both feet a minute.
        case steps

        var stepsPerUnit: Double { self == .strides ? 2 : 1 }
    }

    /// What is known of a group from its earlier records.
    private struct Track {
        var group: Symbol
        var time = Timestamp.distantPast
        /// The steps that the cadence makes, up to `cadenceTime`.
        var derivedSteps = 0.0
        var cadenceTime: Timestamp?
    }

    /// The names of the groups; `nil` where all records are one group.
    let groups: SymbolTable?

    /// Locations that are not better than this are discarded, in metres.
    let worstAccuracy: Double

    let cadence: Cadence

    /// Across a longer gap, a cadence says nothing about the steps in between.
    let longestGap: Duration

    /// How many locations were discarded because they were not accurate enough.
    let inaccurate: NamedCount

    private var tracks: [Track] = []

    init(
        groups: SymbolTable?,
        worstAccuracy: Double,
        cadence: Cadence,
        longestGap: Duration,
        inaccurate: NamedCount
    ) {
        self.groups = groups
        self.worstAccuracy = worstAccuracy
        self.cadence = cadence
        self.longestGap = longestGap
        self.inaccurate = inaccurate
    }

    mutating func decode(_ record: borrowing FieldReader<Key>) throws(FieldError) -> Movement {
        // All is read before anything is kept, and the group last: a record that is refused leaves no trace.
        let time = try record.timestamp(.time)
        let location = try location(of: record)
        let cadence = try optional(.cadence, record, atLeast: 0)
        let counted = try optional(.steps, record, atLeast: 0)
        let group = try group(of: record, at: time)
        while tracks.count <= group.index { tracks.append(Track(group: group)) }
        // A group in the place of one that was forgotten begins anew.
        if tracks[group.index].group != group { tracks[group.index] = Track(group: group) }
        guard time >= tracks[group.index].time else { throw FieldError(Key.time, .goesBack) }
        tracks[group.index].time = time
        let derived = cadence.map { steps(atCadence: $0, time, &tracks[group.index]) }
        return Movement(timestamp: time, steps: counted ?? derived, location: location, group: group)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&tracks)
        try groups?.exchangeState(&state)
    }

    /// The location, unless there is none or it is not accurate enough.
    private func location(of record: borrowing FieldReader<Key>) throws(FieldError) -> Movement.Location? {
        let speed = try optional(.speed, record, atLeast: 0)
        var position: GeographicPosition?
        if record.isPresent(.latitude), record.isPresent(.longitude) {
            let latitude = try record.double(.latitude)
            let longitude = try record.double(.longitude)
            position = GeographicPosition(latitude: latitude, longitude: longitude)
            if position == nil {
                let key = (-90...90).contains(latitude) ? Key.longitude : .latitude
                throw FieldError(key, .unacceptable("is no place on the Earth"))
            }
        }
        guard speed != nil || position != nil else { return nil }
        // A negative accuracy is how receivers say that they do not know where they are.
        if let accuracy = try optional(.accuracy, record), accuracy < 0 || accuracy >= worstAccuracy {
            inaccurate.add()
            return nil
        }
        return Movement.Location(speed: speed, position: position)
    }

    /// The steps since the first record, if each was made at the cadence of the record after it.
    private func steps(atCadence value: Double, _ time: Timestamp, _ track: inout Track) -> Double {
        if let last = track.cadenceTime, time - last <= longestGap {
            let seconds = Double((time - last).wholeNanoseconds) / 1e9
            track.derivedSteps += value * cadence.stepsPerUnit / 60 * seconds
        }
        track.cadenceTime = time
        return track.derivedSteps
    }

    private func optional(
        _ key: Key,
        _ record: borrowing FieldReader<Key>,
        atLeast minimum: Double = -.infinity
    ) throws(FieldError) -> Double? {
        guard record.isPresent(key) else { return nil }
        let value = try record.double(key)
        guard value >= minimum else { throw FieldError(key, .unacceptable("is below \(minimum)")) }
        return value
    }

    private func group(of record: borrowing FieldReader<Key>, at time: Timestamp) throws(FieldError) -> Symbol {
        guard let groups else { return .first }
        return try groups.symbol(of: record, .group, at: time, limitOption: "max-groups")
    }
}
