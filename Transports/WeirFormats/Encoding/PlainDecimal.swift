/// A decimal number in a whole number of 64 bits and the number of digits after the point, so that its text can be
/// made again byte for byte.
package struct PlainDecimal: Equatable {
    /// The number without its point.
    var digits: Int64

    /// How many digits stand after the point; 128 more for minus zero.
    var scale: UInt8

    /// Reads a number that is written plainly: `-12.50`, with no needless zero before the point, no plus, no exponent.
    ///
    /// `nil` for everything else, and where the digits do not fit in 64 bits.
    ///
    /// - Parameter text: The bytes.
    package init?(_ text: Span<UInt8>) {
        var index = 0
        let count = text.count
        // The scale has seven bits.
        guard count > 0, count <= 128 else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        let start = index
        var value: Int64 = 0
        var pointIndex: Int?
        while index < count {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                guard pointIndex == nil, index > start else { return nil }
                pointIndex = index
            } else {
                let digit = byte &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) =
                    isNegative
                    ? tenfold.subtractingReportingOverflow(Int64(digit)) : tenfold.addingReportingOverflow(Int64(digit))
                if overflow || carry { return nil }
                value = sum
            }
            index += 1
        }
        let wholeEnd = pointIndex ?? count
        guard wholeEnd > start, text[start] != UInt8(ascii: "0") || wholeEnd == start + 1 else { return nil }
        let places = count - wholeEnd - (pointIndex == nil ? 0 : 1)
        guard pointIndex == nil || places > 0, places <= 127 else { return nil }
        digits = value
        scale = UInt8(places) | (isNegative && value == 0 ? 0x80 : 0)
    }
}
