package import WeirCore

/// When the clocks of a time zone were, are and will be set, and what they show.
///
/// A time that clocks do not show, because they are set forward, is read as if they had not been set yet, and so is one
/// that they show twice: of two times it is the earlier. That is what RFC 5545 demands, and the Java library does.
package struct ZoneRules: Sendable, Hashable {
    /// What clocks show between two changes.
    struct Period: Hashable {
        /// How many seconds the clocks are ahead of UTC.
        var offset: Int64
        /// What the time is called, such as `CEST`.
        var abbreviation: [UInt8]
    }

    /// A change of the clocks.
    struct Change: Hashable {
        /// The seconds since the epoch.
        var time: Int64
        var period: Period
    }

    /// How a time of a clock is one of UTC.
    package enum Reading: Hashable {
        case once
        /// The clock does not show it.
        case skipped
        /// The clock shows it twice; the earlier one was taken.
        case repeated
    }

    /// The zone's name.
    package let name: String

    // One more than there are changes: the first one is before all of them.
    private let periods: [Period]

    // When they begin, in seconds since the epoch, without the first one.
    private let starts: [Int64]

    // When they begin on their clocks for good: after what is shown twice or not at all.
    private let localStarts: [Int64]

    /// Creates the rules of a zone.
    ///
    /// - Parameters:
    ///   - name: The zone's name.
    ///   - first: What clocks show before the first change.
    ///   - changes: The changes, in the order of their times.
    init(name: String, first: Period, changes: [Change]) {
        self.name = name
        periods = [first] + changes.map(\.period)
        starts = changes.map(\.time)
        var latest = Int64.min
        var localStarts: [Int64] = []
        for (index, change) in changes.enumerated() {
            let before = index == 0 ? first : changes[index - 1].period
            // Later than all before, so that the search finds its way whatever a file says.
            latest = max(latest, change.time + max(before.offset, change.period.offset))
            localStarts.append(latest)
        }
        self.localStarts = localStarts
    }

    /// The clock that is always the same distance from UTC.
    package init(name: String, offset: Int64) {
        self.init(name: name, first: Period(offset: offset, abbreviation: Array(name.utf8)), changes: [])
    }

    /// How far clocks are ahead of UTC that show a time.
    ///
    /// - Parameters:
    ///   - local: The seconds from 1970-01-01T00:00:00 of the clock.
    ///   - place: Where to look first, and afterwards where it was found; any number.
    /// - Returns: The seconds, and what kind of time it is.
    /// - Complexity: O(1) near the last one, otherwise O(log *n*) for *n* changes.
    package func offset(atLocal local: Int64, place: inout Int) -> (seconds: Int64, reading: Reading) {
        if !(0...localStarts.count).contains(place) || place > 0 && local < localStarts[place - 1]
            || place < localStarts.count && local >= localStarts[place]
        {
            place = Self.count(in: localStarts, upTo: local)
        }
        let before = periods[place].offset
        guard place < starts.count else { return (before, .once) }
        let after = periods[place + 1].offset
        guard local >= starts[place] + min(before, after) else { return (before, .once) }
        return (before, after > before ? .skipped : .repeated)
    }

    /// How far clocks are ahead of UTC that show a time, where its name is given.
    ///
    /// - Parameters:
    ///   - local: The seconds from 1970-01-01T00:00:00 of the clock.
    ///   - abbreviation: What the time is called, such as `CEST`.
    /// - Returns: The seconds; `nil` where clocks do not show that.
    func offset(atLocal local: Int64, called abbreviation: some Collection<UInt8>) -> Int64? {
        var place = Self.count(in: localStarts, upTo: local)
        _ = offset(atLocal: local, place: &place)
        for index in [place, place + 1] where index < periods.count {
            let period = periods[index]
            guard period.abbreviation.elementsEqual(abbreviation) else { continue }
            let time = local - period.offset
            if index == 0 || time >= starts[index - 1], index == starts.count || time < starts[index] {
                return period.offset
            }
        }
        return nil
    }

    /// What clocks show at a time.
    ///
    /// - Complexity: O(log *n*) for *n* changes.
    func period(at time: Timestamp) -> Period {
        let seconds = time.nanosecondsSinceEpoch.flooredQuotientAndRemainder(dividingBy: 1_000_000_000).quotient
        return periods[Self.count(in: starts, upTo: seconds)]
    }

    /// How far clocks are ahead of UTC at a time, in seconds.
    package func offset(at time: Timestamp) -> Int64 { period(at: time).offset }

    /// How many of the ascending numbers are not greater than `value`.
    private static func count(in numbers: [Int64], upTo value: Int64) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
