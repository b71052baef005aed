/// Writes JSON that may stand inside of an HTML page: every `<` is escaped.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ members: (inout JSONText) -> Void) {
        enclosed("{", "}", members)
    }

    /// An array of things of any kind.
    mutating func mixedArray(_ elements: (inout JSONText) -> Void) {
        enclosed("[", "]", elements)
    }

    mutating func array<Element>(_ elements: [Element], _ write: (inout JSONText, Element) -> Void) {
        enclosed("[", "]") { json in for element in elements { write(&json, element) } }
    }

    mutating func array<Element>(_ name: String, _ elements: [Element], _ write: (inout JSONText, Element) -> Void) {
        self.name(name)
        array(elements, write)
    }

    /// An array of things that are JSON already, and safe in a page.
    static func list(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    mutating func member(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    mutating func member(_ name: String, _ number: Double?) {
        self.name(name)
        if let number { value(number) } else { append("null") }
    }

    mutating func member(_ name: String, _ flag: Bool) {
        self.name(name)
        append(flag ? "true" : "false")
    }

    /// A member whose value is JSON already.
    mutating func member(_ name: String, raw json: [UInt8]) {
        self.name(name)
        separate()
        for byte in json { append(byte) }
    }

    mutating func value(_ number: Double) {
        guard let whole = Int64(exactly: number) else { return append(number.isFinite ? number.description : "null") }
        append(String(whole))
    }

    mutating func value(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func enclosed(_ start: String, _ end: String, _ content: (inout JSONText) -> Void) {
        append(start)
        needsComma = false
        content(&self)
        bytes += end.utf8
        needsComma = true
    }

    private mutating func name(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func append(_ text: String) {
        separate()
        bytes += text.utf8
    }

    private mutating func append(_ byte: UInt8) {
        // In an HTML page `</script` would end the data, and `<!--` begin a comment.
        if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
