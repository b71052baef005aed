public import WeirCore

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
    public var bytes: [UInt8] { json.bytes }

    private var json = JSONWriter()

    /// Creates a writer with an empty buffer.
    public init() {}

    /// Removes what was written, and keeps the memory.
    public mutating func removeAll() {
        json.removeAll()
    }

    @unsafe
    mutating func write(lines: UnsafeBufferPointer<UInt8>) {
        unsafe json.bytes.append(contentsOf: lines)
    }

    mutating func exchangeBytes(with other: inout [UInt8]) {
        swap(&json.bytes, &other)
    }

    /// Writes one event as a line.
    public mutating func writeLine(_ event: borrowing some FieldEncodable) {
        json.beginLine()
        event.encode(to: &self)
        json.endLine()
    }

    /// Writes a number in the fewest digits that read back as the same number.
    ///
    /// NaN and the infinities, which JSON has no words for, are written as `null`.
    public mutating func write(_ name: StaticString, _ value: Double) {
        json.name(name)
        json.value(value)
    }

    /// Writes a whole number.
    public mutating func write(_ name: StaticString, _ value: some FixedWidthInteger) {
        json.name(name)
        json.value(value)
    }

    /// Writes true or false.
    public mutating func write(_ name: StaticString, _ value: Bool) {
        json.name(name)
        json.value(value)
    }

    /// Writes text, escaped as JSON wants it.
    public mutating func write(_ name: StaticString, _ value: String) {
        json.name(name)
        json.value(value)
    }

    /// Writes a time as the input writes its times: a number in its unit, or RFC 3339.
    public mutating func write(_ name: StaticString, _ value: Timestamp, as form: TimeForm) {
        json.name(name)
        switch form {
        case .number(let unit):
            json.value(json: TimeText.decimal(nanoseconds: value.nanosecondsSinceEpoch, scale: unit.nanoseconds).utf8)
        case .rfc3339: json.value(rfc3339: value)
        }
    }

    /// Writes an object with fields of its own.
    public mutating func write(_ name: StaticString, _ fields: (inout FieldWriter) -> Void) {
        json.name(name)
        json.open(UInt8(ascii: "{"))
        fields(&self)
        json.close(UInt8(ascii: "}"))
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
        json.name(name)
        json.open(UInt8(ascii: "["))
        for element in elements {
            json.open(UInt8(ascii: "{"))
            fields(element, &self)
            json.close(UInt8(ascii: "}"))
        }
        json.close(UInt8(ascii: "]"))
    }
}

/// How a time is written.
public enum TimeForm: Sendable, Hashable {
    /// As a number that counts a unit.
    case number(TimeUnit)
    /// As text, such as `2026-11-21T12:00:00.5Z`.
    case rfc3339
}
