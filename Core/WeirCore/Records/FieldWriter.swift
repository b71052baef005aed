/// A complex event that can be written out, field by field, whatever the format.
///
///     extension Alarm: FieldEncodable {
///         func encode(to writer: inout FieldWriter) {
///             writer.write("level", level)
///             writer.write("cause") { $0.write("celsius", cause.celsius) }
///         }
///     }
public protocol FieldEncodable: Sendable {
    /// Writes the fields, in the order in which people should read them.
    func encode(to writer: inout FieldWriter)
}

/// Writes fields as one line of JSON.
///
/// - Complexity: O(1) amortised per byte; the buffer is used again for the next line.
public struct FieldWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    private var needsComma = false

    /// Creates a writer with an empty buffer.
    public init() {}

    /// Forgets what was written, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    @unsafe
    mutating func write(lines: UnsafeBufferPointer<UInt8>) {
        unsafe bytes.append(contentsOf: lines)
    }

    mutating func exchangeBytes(with other: inout [UInt8]) {
        swap(&bytes, &other)
    }

    /// Writes one event as a line.
    public mutating func writeLine(_ event: borrowing some FieldEncodable) {
        needsComma = false
        bytes.append(UInt8(ascii: "{"))
        event.encode(to: &self)
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Writes a number in the fewest digits that read back as the same number.
    ///
    /// NaN and the infinities, which JSON has no words for, are written as `null`.
    public mutating func write(_ name: StaticString, _ value: Double) {
        writeName(name)
        append(value.isFinite ? value.description : "null")
    }

    /// Writes a whole number.
    public mutating func write(_ name: StaticString, _ value: some FixedWidthInteger) {
        writeName(name)
        append(String(value))
    }

    /// Writes true or false.
    public mutating func write(_ name: StaticString, _ value: Bool) {
        writeName(name)
        append(value ? "true" : "false")
    }

    /// Writes text, escaped as JSON wants it.
    public mutating func write(_ name: StaticString, _ value: String) {
        writeName(name)
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            // What needs no escape goes in one piece.
            var start = 0
            for index in 0..<text.count {
                let byte = unsafe text[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                unsafe bytes.append(contentsOf: text[start..<index])
                appendEscape(of: byte)
                start = index + 1
            }
            unsafe bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u00")
            append(String(byte, radix: 16))
        }
    }

    /// Writes a time as the input writes its times: a number in its unit, or RFC 3339.
    public mutating func write(_ name: StaticString, _ value: Timestamp, as form: TimeForm) {
        switch form {
        case .number(let unit):
            writeName(name)
            append(TimeText.decimal(nanoseconds: value.nanosecondsSinceEpoch, scale: unit.nanoseconds))
        case .rfc3339:
            writeName(name)
            bytes.append(UInt8(ascii: "\""))
            TimeText.appendRFC3339(nanoseconds: value.nanosecondsSinceEpoch, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    /// Writes an object with fields of its own.
    public mutating func write(_ name: StaticString, _ fields: (inout FieldWriter) -> Void) {
        writeName(name)
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        fields(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes an array of objects.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - elements: What to write.
    ///   - fields: Writes the fields of one of them.
    public mutating func write<Element>(
        _ name: StaticString,
        _ elements: [Element],
        _ fields: (Element, inout FieldWriter) -> Void
    ) {
        writeName(name)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "{"))
            needsComma = false
            fields(element, &self)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    private mutating func writeName(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        // The text is a constant of the program.
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}

/// How a time is written.
public enum TimeForm: Sendable, Hashable {
    /// As a number that counts a unit.
    case number(TimeUnit)
    /// As text, such as `2026-11-21T12:00:00.5Z`.
    case rfc3339
}
