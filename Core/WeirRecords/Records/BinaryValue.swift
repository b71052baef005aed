internal import WeirCore

/// A field that stands in the input as a value and not as text.
///
/// It reads as its text would: reading it as another type gives what the text would give, or its error.
@usableFromInline
struct BinaryValue {
    private let encoding: FieldEncoding
    private let scale: UInt8

    // The number, the nanoseconds, or the pattern of the double.
    private let bits: Int64

    /// Reads the value at a slot with a binary encoding.
    init(base: UnsafePointer<UInt8>, slot: RecordBatch.Slot) {
        let place = unsafe UnsafeRawPointer(base + Int(slot.start))
        encoding = slot.encoding
        scale = slot.scale
        bits =
            switch slot.length {
            case 1:
                slot.encoding == .boolean
                    ? unsafe Int64(place.load(as: UInt8.self)) : unsafe Int64(place.load(as: Int8.self))
            case 2: unsafe Int64(Int16(littleEndian: place.loadUnaligned(as: Int16.self)))
            case 4: unsafe Int64(Int32(littleEndian: place.loadUnaligned(as: Int32.self)))
            default: unsafe Int64(littleEndian: place.loadUnaligned(as: Int64.self))
            }
    }

    private var digitsAfterPoint: Int { Int(scale & 0x7F) }

    /// The double, where it takes no more than a division that rounds once.
    var double: Double? {
        switch encoding {
        case .float: return Double(bitPattern: UInt64(bitPattern: bits))
        case .integer: return Double(bits)
        case .decimal:
            guard bits != 0 else { return scale & 0x80 != 0 ? -0.0 : 0 }
            let digits = digitsAfterPoint
            if digits <= 22, bits.magnitude <= 1 << 53 { return Double(bits) / DecimalText.powersOfTen[digits] }
            guard digits <= 19 else { return nil }
            let magnitude = DecimalText.quotient(bits.magnitude, byTenTo: digits)
            return bits < 0 ? -magnitude : magnitude
        default: return nil
        }
    }

    /// The whole number, where it is stored as one.
    var integer: Int64? {
        encoding == .integer || encoding == .decimal && digitsAfterPoint == 0 ? bits : nil
    }

    /// The flag, where it is stored as one.
    var boolean: Bool? {
        encoding == .boolean ? bits != 0 : nil
    }

    /// The time, where it is stored as one.
    var time: Int64? { encoding == .time ? bits : nil }

    /// The time, where it is stored as one or as a whole number that counts `scale` nanoseconds.
    func nanoseconds(scale: Int64) -> Int64? {
        if encoding == .time { return bits }
        guard encoding == .integer else { return nil }
        let (product, overflow) = bits.multipliedReportingOverflow(by: scale)
        return overflow ? nil : product
    }

    /// The longest text: a zero, a point and 127 digits.
    private static let longestText = 160

    /// Calls a function with the text of the value.
    @usableFromInline
    @inline(never)
    func withText<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch encoding {
        case .float: return try unsafe Self.with(Double(bitPattern: UInt64(bitPattern: bits)).description, body)
        case .time: return try unsafe Self.with(Timestamp(nanosecondsSinceEpoch: bits).description, body)
        case .boolean: return try unsafe Self.with(bits == 0 ? "false" : "true", body)
        default: break
        }
        return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longestText) {
            text throws(Failure) in
            try unsafe body(UnsafeBufferPointer(rebasing: text[writeNumber(to: text)...]))
        }
    }

    /// Writes the text of a number to the end of a buffer, and returns where it starts.
    @unsafe
    private func writeNumber(to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        // From the last digit to the first.
        var start = Self.longestText
        var rest = bits.magnitude
        let digits = encoding == .decimal ? digitsAfterPoint : 0
        var count = 0
        repeat {
            if count == digits, digits > 0 {
                start -= 1
                unsafe text[start] = UInt8(ascii: ".")
            }
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            start -= 1
            unsafe text[start] = UInt8(ascii: "0") + UInt8(digit)
            rest = quotient
            count += 1
        } while rest > 0 || count <= digits
        if bits < 0 || bits == 0 && encoding == .decimal && scale & 0x80 != 0 {
            start -= 1
            unsafe text[start] = UInt8(ascii: "-")
        }
        return start
    }

    private static func with<Result, Failure: Error>(
        _ text: String,
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe ContiguousArray(text.utf8).withUnsafeBufferPointer { text throws(Failure) in
            unsafe try body(text)
        }
    }
}
