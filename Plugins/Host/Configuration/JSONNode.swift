internal import WeirCore

/// A place in a text, counted from 1.
struct TextPlace: Sendable, Hashable {
    var line = 1
    var column = 1
}

/// A JSON value that knows where it was written.
struct JSONNode: Sendable {
    /// A member of an object.
    struct Member: Sendable {
        let name: String
        let place: TextPlace
        let value: JSONNode
    }

    enum Value: Sendable {
        case null
        case boolean(Bool)
        /// As it was written.
        case number(String)
        case text(String)
        case array([JSONNode])
        case object([Member])

        /// What it is, for messages.
        var kind: String {
            switch self {
            case .null: "null"
            case .boolean: "true or false"
            case .number: "a number"
            case .text: "a text"
            case .array: "a list"
            case .object: "an object"
            }
        }
    }

    let place: TextPlace
    let value: Value
}

/// Why a text is not JSON.
struct JSONError: Error {
    let place: TextPlace
    let reason: String
}

/// Reads JSON (RFC 8259) and keeps the places, for files that people write.
///
/// Names of members must differ, because nobody means two values of one option.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var place = TextPlace()
    private var depth = 0

    private static let depthLimit = 64

    /// Reads a whole text.
    ///
    /// - Throws: ``JSONError`` with the first flaw.
    static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONNode {
        var reader = JSONReader(bytes)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONError(place: TextPlace(), reason: "the file is not UTF-8")
        }
        let node = try reader.readValue()
        reader.skipSpace()
        guard reader.next == nil else { throw reader.flaw("something follows the end") }
        return node
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func flaw(_ reason: String, at place: TextPlace? = nil) -> JSONError {
        JSONError(place: place ?? self.place, reason: reason)
    }

    private mutating func advance() {
        guard let byte = next else { return }
        position += 1
        if byte == UInt8(ascii: "\n") {
            place.line += 1
            place.column = 1
        } else if byte & 0xC0 != 0x80 {
            // A character has one byte that is no continuation.
            place.column += 1
        }
    }

    private mutating func skipSpace() {
        while let byte = next,
            [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains(byte)
        {
            advance()
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        advance()
        return true
    }

    private mutating func readValue() throws(JSONError) -> JSONNode {
        skipSpace()
        let start = place
        switch next {
        case nil: throw flaw("a value is missing at the end of the file")
        case UInt8(ascii: "{"): return JSONNode(place: start, value: .object(try readMembers()))
        case UInt8(ascii: "["): return JSONNode(place: start, value: .array(try readElements()))
        case UInt8(ascii: "\""): return JSONNode(place: start, value: .text(try readText()))
        case UInt8(ascii: "/"), UInt8(ascii: "#"): throw flaw("JSON has no comments; remove this one")
        case UInt8(ascii: "'"): throw flaw("texts stand in double quotes")
        default: return JSONNode(place: start, value: try readWord())
        }
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= Self.depthLimit else { throw flaw("it is nested more than \(Self.depthLimit) deep") }
        advance()
    }

    private mutating func readMembers() throws(JSONError) -> [JSONNode.Member] {
        try enter()
        defer { depth -= 1 }
        var members: [JSONNode.Member] = []
        skipSpace()
        if take("}") { return [] }
        while true {
            skipSpace()
            let start = place
            guard next == UInt8(ascii: "\"") else {
                throw flaw(
                    next == UInt8(ascii: "}")
                        ? "a comma stands before the '}'; remove it" : "a name in double quotes is missing"
                )
            }
            let name = try readText()
            guard !members.contains(where: { $0.name == name }) else {
                throw flaw("'\(name)' is given twice", at: start)
            }
            skipSpace()
            guard take(":") else { throw flaw("a ':' is missing after '\(name)'") }
            members.append(JSONNode.Member(name: name, place: start, value: try readValue()))
            skipSpace()
            if take("}") { return members }
            guard take(",") else { throw flaw("a ',' or the '}' is missing") }
        }
    }

    private mutating func readElements() throws(JSONError) -> [JSONNode] {
        try enter()
        defer { depth -= 1 }
        var elements: [JSONNode] = []
        skipSpace()
        if take("]") { return [] }
        while true {
            skipSpace()
            if next == UInt8(ascii: "]") { throw flaw("a comma stands before the ']'; remove it") }
            elements.append(try readValue())
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw flaw("a ',' or the ']' is missing") }
        }
    }

    private mutating func readText() throws(JSONError) -> String {
        let start = place
        advance()
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try readEscape(into: &text)
            case 0..<0x20: throw flaw("the text does not end on its line", at: start)
            default:
                text.append(byte)
                advance()
            }
        }
        throw flaw("the text has no end", at: start)
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(JSONError) {
        let start = place
        advance()
        guard let byte = next else { throw flaw("the text has no end", at: start) }
        if byte == UInt8(ascii: "u") {
            var unit = try readUnit(start)
            if (0xD800..<0xDC00).contains(unit), next == UInt8(ascii: "\\") {
                advance()
                let low = next == UInt8(ascii: "u") ? try readUnit(start) : 0
                guard (0xDC00..<0xE000).contains(low) else { throw flaw("half a character is missing", at: start) }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw flaw("half a character is missing", at: start) }
            text += Array(String(Character(scalar)).utf8)
            return
        }
        let escapes: [UInt8: UInt8] = [
            UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
            UInt8(ascii: "/"): UInt8(ascii: "/"),
            UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13,
            UInt8(ascii: "t"): 9,
        ]
        guard let meaning = escapes[byte] else {
            throw flaw("there is no such escape; write '\\\\' for a '\\'", at: start)
        }
        text.append(meaning)
        advance()
    }

    /// Reads `u` and four hexadecimal digits.
    private mutating func readUnit(_ start: TextPlace) throws(JSONError) -> UInt32 {
        advance()
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw flaw("four hexadecimal digits are missing", at: start)
            }
            unit = unit << 4 | UInt32(digit)
            advance()
        }
        return unit
    }

    private mutating func readWord() throws(JSONError) -> JSONNode.Value {
        let start = place
        var word: [UInt8] = []
        while let byte = next, !Array(" \n\t\r,:{}[]\"".utf8).contains(byte) {
            word.append(byte)
            advance()
        }
        let text = String(decoding: word, as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        case "": throw flaw("a value is missing", at: start)
        default:
            guard Self.isNumber(word), Double(text)?.isFinite == true else {
                throw flaw("'\(Excerpt.of(word, limit: 40))' is no value; a text stands in double quotes", at: start)
            }
            return .number(text)
        }
    }

    /// Whether a word is a number in JSON's own grammar, which is narrower than Swift's.
    private static func isNumber(_ word: [UInt8]) -> Bool {
        var rest = word[...]
        func take(_ characters: String) -> Bool {
            guard let byte = rest.first, characters.utf8.contains(byte) else { return false }
            rest.removeFirst()
            return true
        }
        func takeDigits() -> Bool {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest.removeFirst(count)
            return count > 0
        }
        _ = take("-")
        guard take("0") || takeDigits() else { return false }
        if take("."), !takeDigits() { return false }
        if take("eE") {
            _ = take("+-")
            guard takeDigits() else { return false }
        }
        return rest.isEmpty
    }
}
