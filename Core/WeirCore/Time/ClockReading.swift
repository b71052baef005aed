/// A date and a time of day, as a clock shows them.
package struct ClockReading {
    package var year, month, day: Int64
    package var hour: Int64 = 0
    package var minute: Int64 = 0
    /// From 0 to 60.
    package var second: Int64 = 0
    package var nanosecond: Int64 = 0

    /// How many seconds the clock is ahead of UTC; `nil` where the text does not say.
    package var offset: Int64?

    package init(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// What a clock shows at a time.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - offset: How many seconds the clock is ahead of UTC; less than a week.
    package init(of time: Timestamp, offset: Int64) {
        let (seconds, nanosecond) = time.nanosecondsSinceEpoch.flooredQuotientAndRemainder(dividingBy: 1_000_000_000)
        let (days, rest) = (seconds + offset).flooredQuotientAndRemainder(dividingBy: 86_400)
        (year, month, day) = GregorianCalendar.date(daysSinceEpoch: days)
        (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
        self.nanosecond = nanosecond
        self.offset = offset
    }

    /// The seconds from 1970-01-01T00:00:00 of the same clock; `nil` where there is no such date or time of day.
    @inline(__always)
    package var localSeconds: Int64? {
        guard hour < 24, minute < 60, second <= 60, month >= 1, month <= 12, day >= 1,
            day <= 28 || day <= GregorianCalendar.dayCount(of: month, in: year)
        else { return nil }
        return GregorianCalendar.daysSinceEpoch(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// The nanoseconds since the epoch.
    ///
    /// The second 60 is only at 23:59 UTC, and is the first second of the next day, as in Unix time.
    ///
    /// - Parameters:
    ///   - local: ``localSeconds``.
    ///   - offset: How many seconds the clock is ahead of UTC.
    /// - Returns: The nanoseconds, where there is such a time and it fits.
    @inline(__always)
    package func nanoseconds(local: Int64, offset: Int64) -> ParsedInteger {
        // Within a few hundred billion: the year has four digits.
        let seconds = local - offset
        if second == 60, seconds % 86_400 != 0 { return .malformed }
        // Before the epoch `seconds` times a billion may be too small although the sum fits.
        let (base, isBorrowing) = seconds < 0 ? (seconds + 1, true) : (seconds, false)
        let (product, overflow) = base.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(isBorrowing ? nanosecond - 1_000_000_000 : nanosecond)
        return overflow || carry ? .outOfRange : .value(sum)
    }
}
