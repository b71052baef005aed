extension Timestamp: LosslessStringConvertible {
    /// Reads a time of RFC 3339, such as `2024-06-08T16:05:00.25+02:00`.
    ///
    ///     Timestamp("2024-06-08T16:05:00Z")! + .minutes(10)  // 2024-06-08T16:15:00Z
    ///
    /// A space or a small letter may stand in the place of `T` and `Z`. The calendar is the Gregorian one, also before it
    /// was introduced. The second 60 is accepted where RFC 3339 has it, at 23:59 UTC, and is the first second of the next
    /// day, as in Unix time. Digits beyond the nanosecond are cut.
    ///
    /// The result is `nil` when the text is anything else, or the time lies outside the years 1677 to 2262.
    ///
    /// - Parameter text: The text, without blanks around it.
    /// - Complexity: O(*n*) for *n* bytes.
    public init?(_ text: String) {
        var text = text
        guard case .value(let nanoseconds) = text.withUTF8({ unsafe CalendarText.internetNanoseconds($0) }) else {
            return nil
        }
        self.init(nanosecondsSinceEpoch: nanoseconds)
    }

    /// The time in RFC 3339, in UTC, with as many digits after the second as it needs.
    ///
    ///     print(Timestamp(millisecondsSinceEpoch: 1_717_862_700_250))  // 2024-06-08T16:05:00.25Z
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(30)
        appendText(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the time in RFC 3339, in UTC, with as many digits after the second as it needs.
    package func appendText(to bytes: inout [UInt8]) {
        let second: Int64 = 1_000_000_000
        let (date, time) = nanosecondsSinceEpoch.flooredQuotientAndRemainder(dividingBy: 86_400 * second)
        let (year, month, day) = GregorianCalendar.date(daysSinceEpoch: date)
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: second)
        func append(_ value: Int64, _ width: Int64, _ end: Unicode.Scalar) {
            var power = width
            while power > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / power % 10))
                power /= 10
            }
            bytes.append(UInt8(ascii: end))
        }
        append(year, 1_000, "-")
        append(month, 10, "-")
        append(day, 10, "T")
        append(seconds / 3600, 10, ":")
        append(seconds / 60 % 60, 10, ":")
        append(seconds % 60, 10, "Z")
        guard rest > 0 else { return }
        bytes.removeLast()
        bytes += rest.magnitude.decimalFraction(of: second.magnitude).utf8
        bytes.append(UInt8(ascii: "Z"))
    }
}

extension UInt64 {
    /// The digits of the number divided by a power of ten, from the point on, or nothing when it is zero.
    package func decimalFraction(of whole: UInt64) -> String {
        var digits = ""
        var rest = self
        var unit = whole
        while rest > 0 {
            unit /= 10
            let (digit, remainder) = rest.quotientAndRemainder(dividingBy: unit)
            digits.append(String(digit))
            rest = remainder
        }
        return digits.isEmpty ? "" : "." + digits
    }
}
