/// Reads times of RFC 3339, of posts and of access logs.
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

    /// The nanoseconds since the epoch that a text in one of the forms stands for.
    package static func nanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> ParsedInteger {
        unsafe nanoseconds(of: internetTime(text) ?? postTime(text) ?? accessLogTime(text))
    }

    /// The nanoseconds since the epoch that a text of RFC 3339 stands for.
    static func internetNanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> ParsedInteger {
        unsafe nanoseconds(of: internetTime(text))
    }

    private static func nanoseconds(of reading: Reading?) -> ParsedInteger {
        guard let reading, reading.hour < 24, reading.minute < 60,
            (1...12).contains(reading.month), reading.second <= 60,
            (1...GregorianCalendar.dayCount(of: reading.month, in: reading.year)).contains(reading.day)
        else { return .malformed }
        let days = GregorianCalendar.daysSinceEpoch(reading.year, reading.month, reading.day)
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

    /// The form of access logs, such as `10/Oct/2018:20:19:24 +0000`.
    private static func accessLogTime(_ text: UnsafeBufferPointer<UInt8>) -> Reading? {
        var rest = unsafe Rest(text)
        guard let day = unsafe rest.number(ofDigits: 2), unsafe rest.take("/"),
            let month = months.firstIndex(where: { unsafe rest.takeWord($0) }), unsafe rest.take("/"),
            let year = unsafe rest.number(ofDigits: 4), unsafe rest.take(":"),
            let (hour, minute, second) = unsafe rest.clock(), unsafe rest.takeBlanks(),
            let offset = unsafe rest.offset(separator: nil), unsafe rest.isEmpty
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
