internal import CWeir
package import WeirCore

/// Reads and writes numbers in decimal.
///
/// Blanks (spaces and tabs) around a number are no part of it.
package enum DecimalText {
    /// The number that `text` stands for, correctly rounded.
    ///
    /// Accepts a sign, digits with a decimal point anywhere among them, and an exponent; also `nan`, `inf` and
    /// `infinity` in any case, so that the caller can say what is wrong with them. A number that is too large is
    /// infinite, one that is too small is zero.
    ///
    /// - Complexity: O(*n*) for *n* bytes, no allocation.
    package static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard let first = text.baseAddress else { return nil }
        var next = unsafe first
        var end = unsafe first + text.count
        unsafe trimBlanks(&next, &end)
        guard unsafe next < end else { return nil }

        let sign = unsafe next.pointee
        let isNegative = sign == UInt8(ascii: "-")
        if isNegative || sign == UInt8(ascii: "+") { unsafe next += 1 }

        let digits = unsafe next
        var mantissa: UInt64 = 0
        unsafe readDigits(&next, end, into: &mantissa)
        var digitCount = unsafe next - digits
        var exponent = 0
        if unsafe next < end, unsafe next.pointee == UInt8(ascii: ".") {
            unsafe next += 1
            let fraction = unsafe next
            unsafe readDigits(&next, end, into: &mantissa)
            exponent = unsafe fraction - next
            digitCount -= exponent
        }
        guard digitCount > 0 else { return unsafe notFinite(digits, end, isNegative: isNegative) }
        let digitsEnd = unsafe next
        var writtenExponent = 0
        if unsafe next < end {
            guard let value = unsafe exponentPart(next, end) else { return nil }
            writtenExponent = value
            exponent += value
        }

        // 19 digits fit in 64 bits; where there are more, the mantissa is meaningless.
        if digitCount > 19 { unsafe digitCount -= leadingZeroCount(digits, digitsEnd) }
        let magnitude: Double
        if digitCount <= 19, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
            // Clinger's fast path: both numbers are exact as doubles, so one operation rounds once.
            let power = powersOfTen[Int(exponent.magnitude)]
            magnitude = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        } else if digitCount <= 19, exponent >= -19, exponent <= 0 {
            magnitude = quotient(mantissa, byTenTo: -exponent)
        } else {
            magnitude = unsafe cweir_decimal_to_double(digits, digitsEnd - digits, Int64(writtenExponent))
        }
        return isNegative ? -magnitude : magnitude
    }

    /// The whole number that `text` stands for: a sign and digits, nothing else.
    ///
    /// - Complexity: O(*n*) for *n* bytes, no allocation.
    package static func integer(_ text: UnsafeBufferPointer<UInt8>) -> ParsedInteger {
        guard let first = text.baseAddress else { return .malformed }
        var next = unsafe first
        var end = unsafe first + text.count
        unsafe trimBlanks(&next, &end)
        guard unsafe next < end else { return .malformed }
        let sign = unsafe next.pointee
        let isNegative = sign == UInt8(ascii: "-")
        if isNegative || sign == UInt8(ascii: "+") { unsafe next += 1 }
        guard unsafe next < end else { return .malformed }
        var value: Int64 = 0
        var isOutOfRange = false
        while unsafe next < end {
            let digit = unsafe next.pointee &- UInt8(ascii: "0")
            guard digit < 10 else { return .malformed }
            // Towards the sign, so that the smallest number does not overflow on the way.
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? tenfold.subtractingReportingOverflow(Int64(digit)) : tenfold.addingReportingOverflow(Int64(digit))
            isOutOfRange = isOutOfRange || overflow || carry
            value = sum
            unsafe next += 1
        }
        return isOutOfRange ? .outOfRange : .value(value)
    }

    /// Moves the two ends of a text past the blanks around it.
    static func trimBlanks(_ next: inout UnsafePointer<UInt8>, _ end: inout UnsafePointer<UInt8>) {
        while unsafe next < end, unsafe isBlank(next.pointee) { unsafe next += 1 }
        while unsafe next < end, unsafe isBlank(end[-1]) { unsafe end -= 1 }
    }

    /// The exponent at `next`, from the `e` to `end`; nothing else may stand there.
    ///
    /// Exponents beyond ten billion become ten billion: no text is long enough to make up for more.
    static func exponentPart(_ next: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int? {
        var next = unsafe next
        guard unsafe next.pointee | 0x20 == UInt8(ascii: "e") else { return nil }
        unsafe next += 1
        guard unsafe next < end else { return nil }
        let sign = unsafe next.pointee
        let isNegative = sign == UInt8(ascii: "-")
        if isNegative || sign == UInt8(ascii: "+") { unsafe next += 1 }
        guard unsafe next < end else { return nil }
        var value = 0
        while unsafe next < end {
            let digit = unsafe next.pointee &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = min(value * 10 + Int(digit), 10_000_000_000)
            unsafe next += 1
        }
        return isNegative ? -value : value
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// How many zeros stand before the first other digit.
    private static func leadingZeroCount(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int {
        var next = unsafe first
        var count = 0
        while unsafe next < end {
            switch unsafe next.pointee {
            case UInt8(ascii: "0"): count += 1
            case UInt8(ascii: "."): break
            default: return count
            }
            unsafe next += 1
        }
        return count
    }

    /// The double nearest to `mantissa / 10^power`: the way of numbers with 16 to 19 digits, such as doubles that were
    /// written in full.
    ///
    /// One division of 128 by 64 bits gives at least 63 bits of the quotient, and the remainder says whether there are
    /// more: enough to round once, as the conversion to a double does.
    ///
    /// - Parameters:
    ///   - mantissa: Not zero.
    ///   - power: From 0 to 19, so that the power fits in 64 bits.
    /// - Returns: The double, ties to even.
    static func quotient(_ mantissa: UInt64, byTenTo power: Int) -> Double {
        let divisor = integerPowersOfTen[power]
        let mantissaShift = mantissa.leadingZeroBitCount
        let divisorShift = divisor.leadingZeroBitCount
        let dividend = mantissa &<< UInt64(mantissaShift)
        // Half of the dividend is less than the divisor, which has its highest bit set: the quotient fits.
        let (quotient, remainder) = (divisor &<< UInt64(divisorShift))
            .dividingFullWidth((high: dividend >> 1, low: dividend &<< 63))
        let scale = Double(sign: .plus, exponent: divisorShift - mantissaShift - 63, significand: 1)
        return Double(remainder == 0 ? quotient : quotient | 1) * scale
    }

    /// The powers of ten that fit in 64 bits.
    private static let integerPowersOfTen: [UInt64] = (0..<20).map { power in
        (0..<power).reduce(1) { value, _ in value * 10 }
    }

    /// Reads the digits at `next`; the value wraps around after 19 of them.
    private static func readDigits(
        _ next: inout UnsafePointer<UInt8>,
        _ end: UnsafePointer<UInt8>,
        into value: inout UInt64
    ) {
        while unsafe next < end {
            let digit = unsafe next.pointee &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            value = value &* 10 &+ UInt64(digit)
            unsafe next += 1
        }
    }

    /// NaN or infinity, if the text from `next` is one.
    private static func notFinite(
        _ next: UnsafePointer<UInt8>,
        _ end: UnsafePointer<UInt8>,
        isNegative: Bool
    ) -> Double? {
        let text = unsafe UnsafeBufferPointer(start: next, count: end - next)
        func reads(_ word: StaticString) -> Bool {
            guard text.count == word.utf8CodeUnitCount else { return false }
            return text.indices.allSatisfy { unsafe text[$0] | 0x20 == word.utf8Start[$0] }
        }
        if reads("nan") { return .nan }
        if reads("inf") || reads("infinity") { return isNegative ? -.infinity : .infinity }
        return nil
    }

    /// The powers of ten that are exact as doubles.
    static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

extension DecimalText {
    /// Appends a whole number.
    package static func append(_ number: Int64, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        append(number.magnitude, to: &bytes)
    }

    /// Appends a whole number.
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        let (start, count) = (bytes.count, digitCount(number))
        // Zeros make room.
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: count))
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            unsafe write(number, count, to: first + start)
        }
    }

    /// How many digits a whole number has.
    package static func digitCount(_ number: UInt64) -> Int {
        var count = 1
        var power: UInt64 = 10
        while number >= power {
            count += 1
            let (next, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { break }
            power = next
        }
        return count
    }

    /// Writes a whole number, which has as many digits as said.
    static func write(_ number: UInt64, _ count: Int, to bytes: UnsafeMutablePointer<UInt8>) {
        var rest = number
        for index in (0..<count).reversed() {
            unsafe bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
