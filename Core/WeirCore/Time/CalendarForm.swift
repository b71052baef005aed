/// How a text writes a time of the calendar, in a few bits.
package struct CalendarForm: RawRepresentable, Hashable, Sendable {
    /// The order of the parts.
    package enum Layout: UInt64 {
        /// `2024-06-08T16:05:00Z`
        case dateFirst = 1
        /// `Sat Jun 08 16:05:00 +0000 2024`
        case post
        /// `08/Jun/2024:16:05:00 +0000`
        case log
    }

    /// What stands between the date and the time of day.
    package enum Separator: UInt64 {
        /// There is no time of day.
        case absent
        case letter, smallLetter, blank

        var character: Unicode.Scalar { self == .letter ? "T" : self == .smallLetter ? "t" : " " }
    }

    /// How the distance to UTC is written.
    package enum Zone: UInt64 {
        case absent
        case letter, smallLetter
        /// `+02:00`
        case colon
        /// `+0200`
        case digits
        /// `+02`
        case hours
        /// `UTC`
        case word
    }

    package var rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    init(_ layout: Layout) {
        rawValue = layout.rawValue
    }

    private func bits(_ place: UInt64, _ mask: UInt64) -> UInt64 { rawValue >> place & mask }

    @inline(__always)
    private mutating func set(_ bits: UInt64, _ place: UInt64, _ mask: UInt64) {
        rawValue = rawValue & ~(mask << place) | bits << place
    }

    package var layout: Layout { Layout(rawValue: bits(0, 7)) ?? .dateFirst }

    var hasSlashes: Bool {
        get { bits(3, 1) != 0 }
        set { set(newValue ? 1 : 0, 3, 1) }
    }
    var separator: Separator {
        get { Separator(rawValue: bits(4, 3)) ?? .absent }
        set { set(newValue.rawValue, 4, 3) }
    }
    var lacksSeconds: Bool {
        get { bits(7, 1) != 0 }
        set { set(newValue ? 1 : 0, 7, 1) }
    }
    package var zone: Zone {
        get { Zone(rawValue: bits(8, 7)) ?? .absent }
        set { set(newValue.rawValue, 8, 7) }
    }
    var hasBlankBeforeZone: Bool {
        get { bits(11, 1) != 0 }
        set { set(newValue ? 1 : 0, 11, 1) }
    }
    var hasComma: Bool {
        get { bits(12, 1) != 0 }
        set { set(newValue ? 1 : 0, 12, 1) }
    }

    /// The seconds that the clock is ahead of UTC; less than a day.
    package var offset: Int64 {
        get { Int64(bits(16, 0x3FFFF)) - 86_400 }
        set { set(UInt64(newValue + 86_400), 16, 0x3FFFF) }
    }

    /// Whether a text of this form is one of RFC 3339, or has a space or small letters in the place of its letters.
    var isInternetTime: Bool {
        guard layout == .dateFirst, !hasSlashes, separator != .absent, !lacksSeconds, !hasBlankBeforeZone, !hasComma
        else { return false }
        return zone == .letter || zone == .smallLetter || zone == .colon
    }

    /// Appends a time in this form.
    ///
    /// What the form has no room for (seconds, or a time of day) is written all the same where it is not zero; the
    /// fraction has as many digits as it needs.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - offset: How many seconds the clock is ahead of UTC; less than a day.
    ///   - bytes: The bytes are appended to it.
    package func append(_ time: Timestamp, offset: Int64, to bytes: inout [UInt8]) {
        // A letter or a word says that the clock is that of UTC, and minutes are the finest that a distance is written in.
        let says0 = zone == .letter || zone == .smallLetter || zone == .word
        let offset = says0 ? 0 : zone == .absent ? offset : offset / 60 * 60
        let clock = ClockReading(of: time, offset: offset)
        switch layout {
        case .dateFirst:
            let dash: Unicode.Scalar = hasSlashes ? "/" : "-"
            bytes.append(digits: clock.year, 4, dash)
            bytes.append(digits: clock.month, 2, dash)
            bytes.append(digits: clock.day, 2)
            let isMidnight = clock.hour == 0 && clock.minute == 0 && clock.second == 0 && clock.nanosecond == 0
            if separator != .absent || !isMidnight {
                bytes.append(UInt8(ascii: separator.character))
                appendTimeOfDay(of: clock, to: &bytes)
            }
            appendZone(offset, to: &bytes)
        case .post:
            let days = (clock.localSeconds ?? 0).flooredQuotientAndRemainder(dividingBy: 86_400).quotient
            bytes += EnglishDates.weekday(daysSinceEpoch: days).prefix(3).utf8
            bytes.append(UInt8(ascii: " "))
            bytes += EnglishDates.months[Int(clock.month) - 1].prefix(3).utf8
            bytes.append(UInt8(ascii: " "))
            bytes.append(digits: clock.day, 2, " ")
            appendTimeOfDay(of: clock, to: &bytes)
            appendZone(offset, to: &bytes)
            bytes.append(UInt8(ascii: " "))
            bytes.append(digits: clock.year, 4)
        case .log:
            bytes.append(digits: clock.day, 2, "/")
            bytes += EnglishDates.months[Int(clock.month) - 1].prefix(3).utf8
            bytes.append(UInt8(ascii: "/"))
            bytes.append(digits: clock.year, 4, ":")
            appendTimeOfDay(of: clock, to: &bytes)
            appendZone(offset, to: &bytes)
        }
    }

    private func appendTimeOfDay(of clock: ClockReading, to bytes: inout [UInt8]) {
        bytes.append(digits: clock.hour, 2, ":")
        bytes.append(digits: clock.minute, 2)
        if lacksSeconds, clock.second == 0, clock.nanosecond == 0 { return }
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digits: clock.second, 2)
        let fraction = clock.nanosecond.magnitude.decimalFraction(of: 1_000_000_000)
        bytes += hasComma && !fraction.isEmpty ? [UInt8(ascii: ",")] + fraction.dropFirst().utf8 : Array(fraction.utf8)
    }

    private func appendZone(_ offset: Int64, to bytes: inout [UInt8]) {
        if zone != .absent, hasBlankBeforeZone || layout != .dateFirst { bytes.append(UInt8(ascii: " ")) }
        switch zone {
        case .absent: break
        case .letter: bytes.append(UInt8(ascii: "Z"))
        case .smallLetter: bytes.append(UInt8(ascii: "z"))
        case .word: bytes += "UTC".utf8
        case .colon: bytes.append(offset: offset, separator: ":")
        case .digits: bytes.append(offset: offset, separator: nil)
        case .hours: bytes.append(offset: offset, separator: nil, withMinutes: offset % 3_600 != 0)
        }
    }
}

/// The English names of months and days of the week.
package enum EnglishDates {
    package static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    package static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    /// The name of the day of the week; 1970-01-01 was a Thursday.
    package static func weekday(daysSinceEpoch days: Int64) -> String {
        weekdays[Int((days + 4).flooredQuotientAndRemainder(dividingBy: 7).remainder)]
    }
}

extension [UInt8] {
    /// Appends a number that is not negative, with leading zeros, and perhaps a character.
    package mutating func append(digits value: Int64, _ count: Int, _ end: Unicode.Scalar? = nil) {
        var power: Int64 = 1
        for _ in 1..<Swift.max(count, 1) { power *= 10 }
        while power > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / power % 10))
            power /= 10
        }
        if let end { append(UInt8(ascii: end)) }
    }

    /// Appends how far a clock is ahead of UTC, such as `+02:00`.
    package mutating func append(offset: Int64, separator: Unicode.Scalar?, withMinutes: Bool = true) {
        append(UInt8(ascii: offset < 0 ? "-" : "+"))
        append(digits: abs(offset) / 3_600, 2)
        guard withMinutes else { return }
        if let separator { append(UInt8(ascii: separator)) }
        append(digits: abs(offset) / 60 % 60, 2)
    }
}
