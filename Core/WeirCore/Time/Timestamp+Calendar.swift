extension Timestamp {
    /// The timestamp of a date and a time of day in UTC, in the Gregorian calendar.
    ///
    /// - Parameters:
    ///   - year: From 1678 to 2261.
    ///   - month: From 1 to 12.
    ///   - day: From 1 to the length of the month.
    ///   - hour: From 0 to 23.
    ///   - minute: From 0 to 59.
    ///   - second: From 0 to 59.
    ///
    /// `nil` where one of them is out of its range.
    public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1678...2261).contains(year), (1...12).contains(month),
            day >= 1, day <= Int(GregorianCalendar.dayCount(of: Int64(month), in: Int64(year))),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        let days = GregorianCalendar.daysSinceEpoch(Int64(year), Int64(month), Int64(day))
        self.init(secondsSinceEpoch: days * 86_400 + Int64(hour * 3_600 + minute * 60 + second))
    }
}

/// Dates of the Gregorian calendar, counted in days since the epoch.
package enum GregorianCalendar {
    /// The number of days from 1970-01-01 to a date.
    ///
    /// Counts years from March, so that the leap day is the last one, in eras of 400 years, which all have the same
    /// number of days.
    package static func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = (month > 2 ? year : year - 1).flooredQuotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date a number of days after 1970-01-01: the reverse of ``daysSinceEpoch(_:_:_:)``.
    package static func date(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, day) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    package static func dayCount(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    /// The quotient, rounded down, and the remainder, which is not negative.
    package func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
