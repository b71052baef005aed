internal import WeirCore

/// A decimal number in text that is to be multiplied exactly.
@unsafe
struct ScaledDecimal {
    private let text: UnsafePointer<UInt8>
    private let digitCount: Int

    // How many digits stand before the point in the text.
    private let pointIndex: Int

    // How many digits are before the point in the number: the exponent moves it, also out of the text.
    private let wholeCount: Int

    /// Checks the text from `first` to `end`: digits, at least one of them, with a point anywhere among them, and perhaps
    /// an exponent.
    ///
    /// - Parameters:
    ///   - first: Where the text starts; no sign.
    ///   - end: Where it ends.
    init?(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        var next = unsafe first
        while unsafe next < end, unsafe Self.isDigit(next.pointee) { unsafe next += 1 }
        let pointIndex = unsafe next - first
        var digitCount = pointIndex
        if unsafe next < end, unsafe next.pointee == UInt8(ascii: ".") {
            unsafe next += 1
            let fraction = unsafe next
            while unsafe next < end, unsafe Self.isDigit(next.pointee) { unsafe next += 1 }
            unsafe digitCount += next - fraction
        }
        guard digitCount > 0 else { return nil }
        var exponent = 0
        if unsafe next < end {
            guard let value = unsafe DecimalText.exponentPart(next, end) else { return nil }
            exponent = value
        }
        unsafe self.text = first
        unsafe self.digitCount = digitCount
        unsafe self.pointIndex = pointIndex
        unsafe self.wholeCount = pointIndex + exponent
    }

    /// The number times `scale`, with its sign, rounded down.
    ///
    /// - Parameters:
    ///   - scale: From 1 to 10¹⁴, so that nothing overflows on the way.
    ///   - isNegative: Whether the number is negative.
    /// - Returns: The product, unless it does not fit.
    /// - Complexity: O(*n*) for *n* digits.
    func multiplied(by scale: Int64, isNegative: Bool) -> ParsedInteger {
        let scale = scale.magnitude
        let limit = Int64.max.magnitude + (isNegative ? 1 : 0)
        guard let whole = unsafe wholeDigits() else { return .outOfRange }
        let (fraction, isExact) = unsafe fraction(times: scale)
        let (product, overflow) = whole.multipliedReportingOverflow(by: scale)
        let (magnitude, carry) = product.addingReportingOverflow(fraction + (isNegative && !isExact ? 1 : 0))
        guard !overflow, !carry, magnitude <= limit else { return .outOfRange }
        return .value(isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude))
    }

    /// What stands before the point, unless it is too large.
    private func wholeDigits() -> UInt64? {
        var value: UInt64 = 0
        var index = 0
        while unsafe index < wholeCount {
            guard unsafe index < digitCount || value > 0 else { return 0 }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(unsafe index < digitCount ? digit(index) : 0)
            guard !overflow, !carry else { return nil }
            value = sum
            index += 1
        }
        return value
    }

    /// What stands after the point times `scale`, rounded down, and whether nothing was cut.
    ///
    /// From the last digit to the first: rounding down at each division by ten gives the same as rounding down once.
    private func fraction(times scale: UInt64) -> (whole: UInt64, isExact: Bool) {
        var value: UInt64 = 0
        var isExact = true
        var index = unsafe digitCount
        while unsafe index > max(wholeCount, 0) {
            index -= 1
            let (quotient, remainder) = unsafe (digit(index) &* scale &+ value).quotientAndRemainder(dividingBy: 10)
            value = quotient
            isExact = isExact && remainder == 0
        }
        var leadingZeros = unsafe max(0, -wholeCount)
        while leadingZeros > 0, value > 0 {
            let (quotient, remainder) = value.quotientAndRemainder(dividingBy: 10)
            value = quotient
            isExact = isExact && remainder == 0
            leadingZeros -= 1
        }
        return (value, isExact)
    }

    private func digit(_ index: Int) -> UInt64 {
        unsafe UInt64(text[index < pointIndex ? index : index + 1] &- UInt8(ascii: "0"))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
