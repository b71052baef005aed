package import WeirCore

/// Reads and writes times, exactly: no number passes through floating point.
///
/// Blanks (spaces and tabs) around a time are no part of it.
package enum TimeText {
    /// The nanoseconds that `text` stands for.
    ///
    /// A bare decimal number, with sign, fraction and exponent as you like, counts `scale`. Anything else is read as
    /// RFC 3339: `2024-06-08T16:05:00.25+02:00`, in the proleptic Gregorian calendar, or as what is often written in
    /// its place: with slashes, a space, `+0200` or `UTC`, as posts have it, `Sat Jun 08 16:05:00 +0200 2024`, or as logs
    /// do, `08/Jun/2024:16:05:00 +0200`. The second 60 is accepted
    /// where RFC 3339 has it, at 23:59 UTC, and is the first second of the next day, as in Unix time.
    ///
    /// What is smaller than a nanosecond is cut towards the past.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - scale: How many nanoseconds a bare number counts; from 1 to 10¹⁴.
    /// - Returns: The nanoseconds, since the epoch when the text is a date.
    package static func nanoseconds(_ text: UnsafeBufferPointer<UInt8>, scale: Int64) -> ParsedInteger {
        guard let first = text.baseAddress else { return .malformed }
        var next = unsafe first
        var end = unsafe first + text.count
        unsafe DecimalText.trimBlanks(&next, &end)
        guard unsafe next < end else { return .malformed }
        // What a date has in its fifth place, and a number nowhere but in its exponent.
        if unsafe end - next >= 10, unsafe next[4] == UInt8(ascii: "-") || next[4] == UInt8(ascii: "/") {
            let result = unsafe CalendarText.nanoseconds(UnsafeBufferPointer(start: next, count: end - next))
            if result != .malformed { return result }
        }
        let sign = unsafe next.pointee
        let isNegative = sign == UInt8(ascii: "-")
        let number = unsafe isNegative || sign == UInt8(ascii: "+") ? next + 1 : next
        switch unsafe ScaledDecimal(number, end) {
        case .some(let decimal): return unsafe decimal.multiplied(by: scale, isNegative: isNegative)
        case .none: return unsafe CalendarText.nanoseconds(UnsafeBufferPointer(start: next, count: end - next))
        }
    }

    /// Whether a text would be a time, if it said how far its clock is from UTC.
    package static func isWithoutZone(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.baseAddress else { return false }
        var next = unsafe first
        var end = unsafe first + text.count
        unsafe DecimalText.trimBlanks(&next, &end)
        return unsafe CalendarText.isWithoutZone(UnsafeBufferPointer(start: next, count: end - next))
    }

    /// Whether a text would be a time, if it said how far its clock is from UTC.
    package static func isWithoutZone(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        // The buffer lives while it is read.
        return unsafe bytes.withUnsafeBufferPointer { unsafe isWithoutZone($0) }
    }

    /// The number of `scale`s that `nanoseconds` is, exactly, in the fewest digits.
    ///
    /// - Returns: The number, such as `1.25`.
    package static func decimal(nanoseconds: Int64, scale: Int64) -> String {
        var bytes: [UInt8] = []
        appendDecimal(nanoseconds: nanoseconds, scale: scale, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the number of `scale`s that `nanoseconds` is, exactly, in the fewest digits.
    package static func appendDecimal(nanoseconds: Int64, scale: Int64, to bytes: inout [UInt8]) {
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: scale.magnitude)
        if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        DecimalText.append(whole, to: &bytes)
        if rest > 0 { bytes += rest.decimalFraction(of: scale.magnitude).utf8 }
    }
}
