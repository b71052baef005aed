internal import WeirCore

/// Writes JSON values one after the other, with the commas between them.
///
/// Within an object, each value follows its name.
///
/// - Complexity: O(1) amortised per byte; ``removeAll()`` keeps the memory.
package struct JSONWriter: Sendable {
    /// What was written so far.
    package internal(set) var bytes: [UInt8] = []

    private var needsComma = false

    /// Creates a writer with an empty buffer.
    package init() {}

    /// Removes what was written, and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Writes a text as a value of its own.
    package static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.value(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes an object.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array.
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        elements(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes an array of one value per element.
    package mutating func array<Element>(
        _ elements: some Sequence<Element>,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        array { json in for element in elements { write(&json, element) } }
    }

    /// Writes the name of the next value.
    package mutating func name(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of the next value: a constant without characters that need an escape.
    mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        // The text is a constant of the program.
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member of an object.
    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    /// Writes a member of an object.
    package mutating func member(_ name: String, _ number: some FixedWidthInteger) {
        self.name(name)
        value(number)
    }

    /// Writes a member of an object.
    package mutating func member(_ name: String, _ flag: Bool) {
        self.name(name)
        value(flag)
    }

    /// Writes a member of an object whose value is JSON already.
    package mutating func member(_ name: String, json: some Sequence<UInt8>) {
        self.name(name)
        value(json: json)
    }

    /// Writes a member of an object whose value is an array, of one value per element.
    package mutating func member<Element>(
        _ name: String,
        _ elements: some Sequence<Element>,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        array(elements, write)
    }

    /// Writes a text in quotes.
    package mutating func value(_ text: String) {
        separate()
        var text = text
        text.withUTF8 { unsafe Self.append($0, to: &bytes) }
    }

    /// Writes a number in the fewest digits that read back as the same number, or `null` where it is not finite.
    package mutating func value(_ number: Double) {
        value(json: (number.isFinite ? number.description : "null").utf8)
    }

    /// Writes a whole number.
    package mutating func value(_ number: some FixedWidthInteger) {
        guard let small = Int64(exactly: number) else { return value(json: String(number).utf8) }
        separate()
        DecimalText.append(small, to: &bytes)
    }

    /// Writes true or false.
    package mutating func value(_ flag: Bool) {
        value(json: (flag ? "true" : "false").utf8)
    }

    /// Writes a time.
    mutating func value(_ time: Timestamp, as form: TimeForm) {
        separate()
        form.appendJSON(time, to: &bytes)
    }

    /// Writes a value that is JSON already.
    package mutating func value(json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a value that is JSON already: not generic, so that other modules need not be specialised for it.
    package mutating func value(json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a value that is JSON already.
    package mutating func value(json: String.UTF8View) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Starts a line that is an object.
    mutating func beginLine() {
        needsComma = false
        open(UInt8(ascii: "{"))
    }

    /// Begins a ``FieldItem``; the next value is its content, and stands alone.
    ///
    /// - Returns: What ``endItem(_:)`` wants to know.
    mutating func beginItem(_ kind: FieldItem.Kind, named name: StaticString = "") -> Int {
        needsComma = false
        // The text is a constant of the program.
        return unsafe FieldItem.begin(
            kind,
            named: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
            in: &bytes
        )
    }

    /// Ends a ``FieldItem``.
    mutating func endItem(_ start: Int) {
        FieldItem.end(start, in: &bytes)
    }

    /// Ends a line that is an object.
    mutating func endLine() {
        close(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Starts an array or an object.
    mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    /// Ends an array or an object.
    mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Appends UTF-8 as a JSON string, with its quotes.
    package static func append(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        unsafe text.withUnsafeBufferPointer { unsafe append($0, to: &bytes) }
    }

    /// Appends a text as a JSON string, with its quotes.
    package static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        // What needs no escape goes in one piece.
        var start = 0
        for index in 0..<text.count {
            let byte = unsafe text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(of: byte, to: &bytes)
            start = index + 1
        }
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
        case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
        case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default:
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        }
    }
}
