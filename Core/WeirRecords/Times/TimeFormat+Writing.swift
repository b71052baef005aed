internal import WeirCore

extension TimeFormat {
    /// Appends a time in this format.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - offset: How many seconds the clock is ahead of UTC; less than a day.
    ///   - zone: What the time is called at that clock, such as `CEST`.
    ///   - bytes: The bytes are appended to it.
    /// - Complexity: O(*n*) for *n* bytes.
    func append(_ time: Timestamp, offset: Int64, zone: [UInt8], to bytes: inout [UInt8]) {
        // Minutes are the finest that a distance is written in.
        var clock = ClockReading(of: time, offset: items.contains(where: \.isOffset) ? offset / 60 * 60 : offset)
        // The sign of the seconds since the epoch is that of their fraction too.
        if items.contains(.field(.epoch, .none)) {
            clock.nanosecond = Int64((time.nanosecondsSinceEpoch % 1_000_000_000).magnitude)
        }
        for item in items {
            switch item {
            case .byte(let byte): bytes.append(byte)
            case .blank: bytes.append(UInt8(ascii: " "))
            case .field(let field, let padding): Self.append(field, padding, clock, time, zone, to: &bytes)
            }
        }
    }

    private static func append(
        _ field: Field,
        _ padding: Padding,
        _ clock: ClockReading,
        _ time: Timestamp,
        _ zone: [UInt8],
        to bytes: inout [UInt8]
    ) {
        func append(_ number: Int64, _ digits: Int = 2) {
            switch padding {
            case .none: bytes += String(number).utf8
            case .blank:
                if number < 10 { bytes.append(UInt8(ascii: " ")) }
                bytes += String(number).utf8
            case .zeros: bytes.append(digits: number, digits)
            }
        }
        func append(_ name: String, isFull: Bool) { bytes += isFull ? Array(name.utf8) : Array(name.utf8.prefix(3)) }
        let days = (clock.localSeconds ?? 0).flooredQuotientAndRemainder(dividingBy: 86_400).quotient
        switch field {
        case .year: append(clock.year, 4)
        case .shortYear: append(clock.year % 100)
        case .month: append(clock.month)
        case .monthName(let isFull): append(EnglishDates.months[Int(clock.month) - 1], isFull: isFull)
        case .day: append(clock.day)
        case .dayOfYear: append(days - GregorianCalendar.daysSinceEpoch(clock.year, 1, 1) + 1, 3)
        case .weekday(let isFull): append(EnglishDates.weekday(daysSinceEpoch: days), isFull: isFull)
        case .hour: append(clock.hour)
        case .halfHour: append((clock.hour + 11) % 12 + 1)
        case .half: bytes += (clock.hour < 12 ? "AM" : "PM").utf8
        case .minute: append(clock.minute)
        case .second: append(clock.second)
        case .fraction(let digits): appendFraction(clock, digits, to: &bytes)
        case .pointAndFraction:
            guard clock.nanosecond > 0 else { return }
            bytes.append(UInt8(ascii: "."))
            appendFraction(clock, 0, to: &bytes)
        case .epoch:
            let (seconds, rest) = time.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
            if seconds < 0 || rest < 0 { bytes.append(UInt8(ascii: "-")) }
            bytes += String(seconds.magnitude).utf8
        case .offset(let hasColon): bytes.append(offset: clock.offset ?? 0, separator: hasColon ? ":" : nil)
        case .zoneName: bytes += zone
        }
    }

    /// Appends digits of the fraction: `digits` of them, or as many as it needs where that is zero.
    private static func appendFraction(_ clock: ClockReading, _ digits: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(digits: clock.nanosecond, 9)
        if digits > 0 {
            bytes.removeLast(9 - digits)
        } else {
            while bytes.count > start + 1, bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        }
    }
}

extension TimeFormat.Item {
    fileprivate var isOffset: Bool { if case .field(.offset, _) = self { true } else { false } }
}
