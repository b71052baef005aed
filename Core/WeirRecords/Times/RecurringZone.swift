internal import WeirCore

/// When clocks are set each year: the text of POSIX's variable `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct RecurringZone {
    /// A day of the year and a time of day.
    private struct Day {
        enum Kind {
            /// The day of the year from 1, never counting February 29.
            case julian(Int64)
            /// The day of the year from 0, counting February 29.
            case ordinal(Int64)
            /// A day of the week, 0 for Sunday, in a week of the month; the fifth is the last.
            case weekday(month: Int64, week: Int64, day: Int64)
        }

        let kind: Kind
        /// The seconds after midnight; may be on another day.
        let time: Int64

        /// The seconds from 1970-01-01T00:00:00 of the clock.
        func seconds(in year: Int64) -> Int64 {
            let newYear = GregorianCalendar.daysSinceEpoch(year, 1, 1)
            let day: Int64
            switch kind {
            case .julian(let number):
                let isLeapYear = GregorianCalendar.dayCount(of: 2, in: year) == 29
                day = newYear + number - (isLeapYear && number >= 60 ? 0 : 1)
            case .ordinal(let number): day = newYear + number
            case .weekday(let month, let week, let weekday):
                let first = GregorianCalendar.daysSinceEpoch(year, month, 1)
                // 1970-01-01 was a Thursday.
                let firstWeekday = (first + 4).flooredQuotientAndRemainder(dividingBy: 7).remainder
                var number = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
                if number >= GregorianCalendar.dayCount(of: month, in: year) { number -= 7 }
                day = first + number
            }
            return day * 86_400 + time
        }
    }

    private let standard: ZoneRules.Period
    private let summer: ZoneRules.Period
    private let begin: Day
    private let end: Day

    /// Reads a text; `nil` where clocks are never set.
    ///
    /// - Throws: ``ZoneFile/Flaw`` when it cannot be read.
    init?(_ text: ArraySlice<UInt8>) throws(ZoneFile.Flaw) {
        var rest = Rest(bytes: text)
        let flaw = ZoneFile.Flaw("ends with a rule that cannot be read: '\(Excerpt.of(text, limit: 40))'")
        guard let standardName = rest.name(), let behind = rest.time(limit: 24) else { throw flaw }
        standard = ZoneRules.Period(offset: -behind, abbreviation: standardName)
        if rest.isEmpty { return nil }
        guard let summerName = rest.name() else { throw flaw }
        var offset = standard.offset + 3_600
        if !rest.isEmpty, !rest.isAt(",") {
            guard let behind = rest.time(limit: 24) else { throw flaw }
            offset = -behind
        }
        summer = ZoneRules.Period(offset: offset, abbreviation: summerName)
        guard let begin = Self.day(&rest), let end = Self.day(&rest), rest.isEmpty else { throw flaw }
        (self.begin, self.end) = (begin, end)
    }

    /// All changes after a time, to the end of what a `Timestamp` can be.
    ///
    /// - Parameter time: Seconds since the epoch.
    /// - Returns: The changes, in the order of their times.
    func changes(after time: Int64) -> [ZoneRules.Change] {
        let days = max(time, -9_300_000_000).flooredQuotientAndRemainder(dividingBy: 86_400).quotient
        let firstYear = GregorianCalendar.date(daysSinceEpoch: days).year
        var changes: [ZoneRules.Change] = []
        guard firstYear <= 2263 else { return changes }
        for year in firstYear...2263 {
            let summerBegins = ZoneRules.Change(time: begin.seconds(in: year) - standard.offset, period: summer)
            let summerEnds = ZoneRules.Change(time: end.seconds(in: year) - summer.offset, period: standard)
            // In the south summer ends first.
            let pair = summerEnds.time < summerBegins.time ? [summerEnds, summerBegins] : [summerBegins, summerEnds]
            for change in pair where change.time > time {
                // Where it is always summer, each one ends as the next one begins: the later one holds.
                while let last = changes.last, last.time >= change.time { changes.removeLast() }
                changes.append(change)
            }
        }
        return changes
    }

    /// Reads `,M10.5.0/3`, `,J60` or `,59/-1`.
    private static func day(_ rest: inout Rest) -> Day? {
        guard rest.take(",") else { return nil }
        let kind: Day.Kind
        if rest.take("M") {
            guard let month = rest.number(1...12), rest.take("."), let week = rest.number(1...5), rest.take("."),
                let day = rest.number(0...6)
            else { return nil }
            kind = .weekday(month: month, week: week, day: day)
        } else if rest.take("J") {
            guard let day = rest.number(1...365) else { return nil }
            kind = .julian(day)
        } else {
            guard let day = rest.number(0...365) else { return nil }
            kind = .ordinal(day)
        }
        guard rest.take("/") else { return Day(kind: kind, time: 7_200) }
        return rest.time(limit: 167).map { Day(kind: kind, time: $0) }
    }

    /// What was not read yet.
    private struct Rest {
        var bytes: ArraySlice<UInt8>

        var isEmpty: Bool { bytes.isEmpty }

        func isAt(_ character: Unicode.Scalar) -> Bool { bytes.first == UInt8(ascii: character) }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard isAt(character) else { return false }
            bytes.removeFirst()
            return true
        }

        /// Three letters or more, or letters, digits and signs in angle brackets.
        mutating func name() -> [UInt8]? {
            let isQuoted = take("<")
            let name = bytes.prefix { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
                default: false
                }
            }
            bytes.removeFirst(name.count)
            guard name.count >= 3, !isQuoted || take(">") else { return nil }
            return Array(name)
        }

        mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
            let digits = bytes.prefix(3).prefix { $0 &- UInt8(ascii: "0") < 10 }
            guard !digits.isEmpty else { return nil }
            bytes.removeFirst(digits.count)
            let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return range.contains(value) ? value : nil
        }

        /// The seconds of `-2`, `3:30` or `0:19:32`.
        mutating func time(limit: Int64) -> Int64? {
            let isNegative = take("-")
            if !isNegative { _ = take("+") }
            guard let hours = number(0...limit) else { return nil }
            var seconds = hours * 3_600
            for unit: Int64 in [60, 1] where take(":") {
                guard let value = number(0...59) else { return nil }
                seconds += value * unit
            }
            return isNegative ? -seconds : seconds
        }
    }
}
