/// Reads times of RFC 3339 and of posts, see ``TimeText``; and knows dates.
package enum CalendarText {
    /// A point in time as texts say it.
    private struct Reading {
        let year, month, day, hour, minute, second: Int64
        var nanosecond: Int64 = 0
        /// How many minutes its clock is ahead of UTC.
        let offset: Int64
    }

    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The nanoseconds since the epoch that `text` stands for.
    static func nanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> ParsedInteger {
        guard let reading = unsafe internetTime(text) ?? postTime(text), reading.hour < 24, reading.minute < 60,
            (1...12).contains(reading.month), reading.second <= 60,
            (1...dayCount(of: reading.month, in: reading.year)).contains(reading.day)
        else { return .malformed }
        let days = daysSinceEpoch(reading.year, reading.month, reading.day)
        let minutes = days * 1440 + reading.hour * 60 + reading.minute - reading.offset
        if reading.second == 60, minutes.flooredQuotientAndRemainder(dividingBy: 1440).remainder != 1439 {
            return .malformed
        }
        // Within a few hundred billion: the year has four digits.
        let seconds = minutes * 60 + reading.second
        // Before the epoch `seconds` times a billion may be too small although the sum fits.
        let (base, isBorrowing) = seconds < 0 ? (seconds + 1, true) : (seconds, false)
        let (product, overflow) = base.multipliedReportingOverflow(by: 1_000_000_000)
        let nanosecond = isBorrowing ? reading.nanosecond - 1_000_000_000 : reading.nanosecond
        let (sum, carry) = product.addingReportingOverflow(nanosecond)
        return overflow || carry ? .outOfRange : .value(sum)
    }

    /// RFC 3339, such as `2018-10-10T20:19:24.5+02:00`.
    private static func internetTime(_ text: UnsafeBufferPointer<UInt8>) -> Reading? {
        var rest = unsafe Rest(text)
        guard let year = unsafe rest.number(ofDigits: 4), unsafe rest.take("-"),
            let month = unsafe rest.number(ofDigits: 2), unsafe rest.take("-"),
            let day = unsafe rest.number(ofDigits: 2),
            unsafe rest.take("T") || rest.take("t") || rest.take(" "),
            let (hour, minute, second) = unsafe rest.clock(),
            let fraction = unsafe rest.fraction(),
            let offset = unsafe rest.offset(separator: ":"), unsafe rest.isEmpty
        else { return nil }
        return Reading(
            year: year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second,
            nanosecond: fraction,
            offset: offset
        )
    }

    /// The form of posts in version 1.1 of Twitter's interface, such as `Wed Oct 10 20:19:24 +0000 2018`; the name of the
    /// day is not looked at.
    private static func postTime(_ text: UnsafeBufferPointer<UInt8>) -> Reading? {
        var rest = unsafe Rest(text)
        guard unsafe rest.skip(3), unsafe rest.takeBlanks(),
            let month = months.firstIndex(where: { unsafe rest.takeWord($0) }), unsafe rest.takeBlanks(),
            let day = unsafe rest.dayNumber(), unsafe rest.takeBlanks(),
            let (hour, minute, second) = unsafe rest.clock(), unsafe rest.takeBlanks(),
            let offset = unsafe rest.offset(separator: nil), unsafe rest.takeBlanks(),
            let year = unsafe rest.number(ofDigits: 4), unsafe rest.isEmpty
        else { return nil }
        return Reading(
            year: year,
            month: Int64(month + 1),
            day: day,
            hour: hour,
            minute: minute,
            second: second,
            offset: offset
        )
    }

    /// The number of days from 1970-01-01 to a date.
    ///
    /// Counts years from March, so that the leap day is the last one, in eras of 400 years, which all have the same
    /// number of days.
    static func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
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

    static func dayCount(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// What was not read yet.
    @unsafe
    private struct Rest {
        private var bytes: Slice<UnsafeBufferPointer<UInt8>>

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            unsafe self.bytes = bytes[...]
        }

        var isEmpty: Bool { unsafe bytes.isEmpty }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard unsafe bytes.first == UInt8(ascii: character) else { return false }
            unsafe bytes.removeFirst()
            return true
        }

        /// Takes a word, or nothing.
        mutating func takeWord(_ word: StaticString) -> Bool {
            let count = word.utf8CodeUnitCount
            let start = unsafe UnsafeBufferPointer(start: word.utf8Start, count: count)
            guard unsafe bytes.prefix(count).elementsEqual(start) else { return false }
            return unsafe skip(count)
        }

        mutating func skip(_ count: Int) -> Bool {
            guard unsafe bytes.count >= count else { return false }
            unsafe bytes.removeFirst(count)
            return true
        }

        mutating func takeBlanks() -> Bool {
            guard unsafe take(" ") else { return false }
            while unsafe take(" ") {}
            return true
        }

        mutating func number(ofDigits count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let digit = unsafe digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// A number of one or two digits.
        mutating func dayNumber() -> Int64? {
            guard let first = unsafe digit() else { return nil }
            guard let second = unsafe digit() else { return first }
            return first * 10 + second
        }

        /// Hours, minutes and seconds.
        mutating func clock() -> (hour: Int64, minute: Int64, second: Int64)? {
            guard let hour = unsafe number(ofDigits: 2), unsafe take(":"),
                let minute = unsafe number(ofDigits: 2), unsafe take(":"),
                let second = unsafe number(ofDigits: 2)
            else { return nil }
            return (hour, minute, second)
        }

        /// The nanoseconds of a fraction of a second, if there is one; further digits are cut.
        mutating func fraction() -> Int64? {
            guard unsafe take(".") else { return 0 }
            guard var value = unsafe digit() else { return nil }
            var count = 1
            while let digit = unsafe digit() {
                if count < 9 { value = value * 10 + digit }
                count += 1
            }
            for _ in min(count, 9)..<9 { value *= 10 }
            return value
        }

        /// The minutes that the clock is ahead of UTC; `separator` stands between hours and minutes, if anything does.
        mutating func offset(separator: Unicode.Scalar?) -> Int64? {
            if unsafe separator != nil && (take("Z") || take("z")) { return 0 }
            let isWest = unsafe take("-")
            guard unsafe isWest || take("+"), let hours = unsafe number(ofDigits: 2), hours < 24 else { return nil }
            if let separator { guard unsafe take(separator) else { return nil } }
            guard let minutes = unsafe number(ofDigits: 2), minutes < 60 else { return nil }
            return (isWest ? -1 : 1) * (hours * 60 + minutes)
        }

        private mutating func digit() -> Int64? {
            guard let byte = unsafe bytes.first, byte &- UInt8(ascii: "0") < 10 else { return nil }
            unsafe bytes.removeFirst()
            return Int64(byte &- UInt8(ascii: "0"))
        }
    }
}
