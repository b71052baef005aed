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

/// Writes the fields of events: as a line of JSON each, unless a host asks for another form.
///
/// - Complexity: O(1) amortised per byte; the buffer is used again for the next line.
public struct FieldWriter: Sendable {
    /// What was written so far.
    public var bytes: [UInt8] { json.bytes }

    private var json = JSONWriter()

    /// Whether each event becomes a ``FieldItem``.
    private let writesItems: Bool

    /// What every event begins with.
    private let prefix: [UInt8]

    /// Creates a writer with an empty buffer.
    public init() {
        self.init(items: false, plugin: nil)
    }

    /// Creates a writer with an empty buffer.
    ///
    /// - Parameters:
    ///   - items: Whether each event becomes a ``FieldItem``.
    ///   - plugin: A text that every event has as its first field, `plugin`.
    init(items: Bool, plugin: String?) {
        writesItems = items
        prefix = Self.prefix(plugin: plugin, isItem: items)
    }

    /// The field `plugin` of events; empty where there is none.
    static func prefix(plugin: String?, isItem: Bool) -> [UInt8] {
        guard let plugin else { return [] }
        guard isItem else { return Array("\"plugin\":\(JSONWriter.quoted(plugin))".utf8) }
        var item: [UInt8] = []
        FieldItem.append(.text, named: "plugin", to: &item) { $0 += plugin.utf8 }
        return item
    }

    /// Removes what was written, and keeps the memory.
    public mutating func removeAll() {
        json.removeAll()
    }

    mutating func exchangeBytes(with other: inout [UInt8]) {
        swap(&json.bytes, &other)
    }

    /// Lets a function append to what was written.
    mutating func append(_ body: (inout [UInt8]) -> Void) {
        body(&json.bytes)
    }

    /// Writes one event as a line.
    public mutating func writeLine(_ event: borrowing some FieldEncodable) {
        if writesItems {
            let start = json.beginItem(.object)
            json.bytes += prefix
            event.encode(to: &self)
            json.endItem(start)
        } else {
            json.beginLine()
            if !prefix.isEmpty { json.value(json: prefix) }
            event.encode(to: &self)
            json.endLine()
        }
    }

    /// Writes a number in the fewest digits that read back as the same number.
    ///
    /// NaN and the infinities, which JSON has no words for, are written as `null`.
    public mutating func write(_ name: StaticString, _ value: Double) {
        let start = begin(name, value.isFinite ? .number : .null)
        json.value(value)
        end(start)
    }

    /// Writes a whole number.
    public mutating func write(_ name: StaticString, _ value: some FixedWidthInteger) {
        let start = begin(name, .number)
        json.value(value)
        end(start)
    }

    /// Writes true or false.
    public mutating func write(_ name: StaticString, _ value: Bool) {
        let start = begin(name, .flag)
        json.value(value)
        end(start)
    }

    /// Writes text, escaped as JSON wants it.
    public mutating func write(_ name: StaticString, _ value: String) {
        let start = begin(name, .text)
        if writesItems { json.bytes += value.utf8 } else { json.value(value) }
        end(start)
    }

    /// Writes a time as the input writes its times, as a number in its unit, or as RFC 3339.
    public mutating func write(_ name: StaticString, _ value: Timestamp, as form: TimeForm) {
        guard writesItems else {
            json.name(name)
            return json.value(value, as: form)
        }
        switch form {
        case .input(let times):
            switch times.written(value) {
            case .number(let unit): write(name, value, as: .number(unit))
            case .rfc3339: write(name, value, as: .rfc3339)
            case .text(let text): write(name, String(decoding: text, as: UTF8.self))
            }
        case .number:
            let start = begin(name, .number)
            form.appendJSON(value, to: &json.bytes)
            end(start)
        case .rfc3339:
            let start = begin(name, .text)
            value.appendText(to: &json.bytes)
            end(start)
        }
    }

    /// Writes a value that is JSON already, in a line of JSON.
    package mutating func write(_ name: StaticString, json: [UInt8]) {
        precondition(!writesItems, "a value in JSON is written to a line of JSON")
        self.json.name(name)
        self.json.value(json: json)
    }

    /// Writes an object with fields of its own.
    public mutating func write(_ name: StaticString, _ fields: (inout FieldWriter) -> Void) {
        let start = begin(name, .object)
        open(UInt8(ascii: "{"))
        fields(&self)
        close(UInt8(ascii: "}"))
        end(start)
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
        let start = begin(name, .array)
        open(UInt8(ascii: "["))
        for element in elements {
            let start = writesItems ? json.beginItem(.object) : 0
            open(UInt8(ascii: "{"))
            fields(element, &self)
            close(UInt8(ascii: "}"))
            end(start)
        }
        close(UInt8(ascii: "]"))
        end(start)
    }

    /// Writes what stands before a value.
    ///
    /// - Returns: What ``end(_:)`` wants to know.
    @inline(__always)
    private mutating func begin(_ name: StaticString, _ kind: @autoclosure () -> FieldItem.Kind) -> Int {
        guard !writesItems else { return json.beginItem(kind(), named: name) }
        json.name(name)
        return 0
    }

    @inline(__always)
    private mutating func end(_ start: Int) {
        if writesItems { json.endItem(start) }
    }

    private mutating func open(_ bracket: UInt8) {
        if !writesItems { json.open(bracket) }
    }

    private mutating func close(_ bracket: UInt8) {
        if !writesItems { json.close(bracket) }
    }
}

/// How a time is written.
public enum TimeForm: Sendable, Hashable {
    /// As a number that counts a unit.
    case number(TimeUnit)
    /// As text, such as `2026-11-21T12:00:00.5Z`.
    case rfc3339
    /// As the input writes its times, unless its options say otherwise.
    case input(InputTimes)
}

extension TimeForm {
    /// Appends a time as a JSON value.
    package func appendJSON(_ time: Timestamp, to bytes: inout [UInt8]) {
        switch self {
        case .input(let times):
            switch times.written(time) {
            case .number(let unit): Self.number(unit).appendJSON(time, to: &bytes)
            case .rfc3339: Self.rfc3339.appendJSON(time, to: &bytes)
            case .text(let text): JSONWriter.append(text[...], to: &bytes)
            }
        case .number(let unit):
            TimeText.appendDecimal(nanoseconds: time.nanosecondsSinceEpoch, scale: unit.nanoseconds, to: &bytes)
        case .rfc3339:
            bytes.append(UInt8(ascii: "\""))
            time.appendText(to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
    }
}
