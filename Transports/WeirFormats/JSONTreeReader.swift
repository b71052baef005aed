internal import WeirCore
internal import WeirRecords

/// Builds the tree of ``JSONNode/read(_:allowsRepeatedNames:)`` with a ``JSONCursor``, and turns offsets into lines and columns.
@unsafe
struct JSONTreeReader {
    private var cursor: JSONCursor

    // The place that was computed last, and its offset: places are asked for from left to right.
    private var known = TextPlace()
    private var knownOffset = 0
    private var depth = 0

    private static let depthLimit = 64

    /// How many bytes of a name or a word a message shows.
    private static let excerptLength = 40

    /// Whether members of an object may have the same name.
    private let allowsRepeatedNames: Bool

    init(_ base: UnsafePointer<UInt8>, count: Int, allowsRepeatedNames: Bool) {
        unsafe self.allowsRepeatedNames = allowsRepeatedNames
        unsafe cursor = unsafe JSONCursor(base, from: 0, to: count)
    }

    mutating func readText() throws(JSONError) -> JSONNode {
        guard unsafe UTF8Text.isValid(cursor.base, from: 0, to: cursor.end) else {
            throw JSONError(place: TextPlace(), reason: "the file is not UTF-8")
        }
        // A byte order mark, which editors of some systems write, is no character.
        if unsafe UnsafeRawBufferPointer(start: cursor.base, count: cursor.end).starts(with: [0xEF, 0xBB, 0xBF]) {
            unsafe cursor.place = 3
            unsafe knownOffset = 3
        }
        let node = unsafe try readValue()
        unsafe skipSpace()
        guard unsafe cursor.place == cursor.end else { throw unsafe flaw("something follows the end") }
        return node
    }

    /// The line and the column of the next byte.
    private mutating func place() -> TextPlace {
        while unsafe knownOffset < cursor.place {
            let byte = unsafe cursor.base[knownOffset]
            if byte == UInt8(ascii: "\n") {
                unsafe known = TextPlace(line: known.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
                // A character has one byte that is no continuation.
                unsafe known.column += 1
            }
            unsafe knownOffset += 1
        }
        return unsafe known
    }

    private mutating func flaw(_ reason: String) -> JSONError {
        JSONError(place: unsafe place(), reason: reason)
    }

    /// Passes space and comments.
    private mutating func skipSpace() {
        while true {
            unsafe cursor.skipBlanks()
            guard unsafe cursor.end - cursor.place >= 2, unsafe cursor.byte == UInt8(ascii: "/"),
                unsafe cursor.base[cursor.place + 1] == UInt8(ascii: "/")
            else { return }
            unsafe cursor.place = unsafe ByteSearch.index(
                of: UInt8(ascii: "\n"),
                in: cursor.base,
                from: cursor.place,
                to: cursor.end
            )
        }
    }

    private mutating func readValue() throws(JSONError) -> JSONNode {
        unsafe skipSpace()
        guard unsafe cursor.place < cursor.end else {
            throw unsafe flaw("a value is missing at the end of the file")
        }
        let place = unsafe place()
        switch unsafe cursor.byte {
        case UInt8(ascii: "{"): return JSONNode(place: place, value: .object(unsafe try readMembers()))
        case UInt8(ascii: "["): return JSONNode(place: place, value: .array(unsafe try readElements()))
        case UInt8(ascii: "\""): return JSONNode(place: place, value: .text(unsafe try readString()))
        case UInt8(ascii: "/"), UInt8(ascii: "#"):
            throw unsafe flaw("comments begin with '//' and end with their line")
        case UInt8(ascii: "'"): throw unsafe flaw("texts stand in double quotes")
        default: return JSONNode(place: place, value: unsafe try readWord())
        }
    }

    /// Passes the bracket that begins an array or an object.
    private mutating func enter() throws(JSONError) {
        unsafe depth += 1
        guard unsafe depth <= Self.depthLimit else {
            throw unsafe flaw("it is nested more than \(Self.depthLimit) deep")
        }
        unsafe cursor.place += 1
        unsafe skipSpace()
    }

    private mutating func readMembers() throws(JSONError) -> [JSONNode.Member] {
        unsafe try enter()
        defer { unsafe depth -= 1 }
        var members: [JSONNode.Member] = []
        var names: Set<String> = []
        if unsafe cursor.take("}") { return [] }
        while true {
            unsafe skipSpace()
            let place = unsafe place()
            guard unsafe cursor.byte == UInt8(ascii: "\"") else {
                throw unsafe flaw(
                    cursor.byte == UInt8(ascii: "}")
                        ? "a comma stands before the '}'; remove it" : "a name in double quotes is missing"
                )
            }
            let name = unsafe try readString()
            guard unsafe allowsRepeatedNames || names.insert(name).inserted else {
                throw JSONError(place: place, reason: unsafe "'\(Self.excerpt(name))' is given twice")
            }
            unsafe skipSpace()
            guard unsafe cursor.take(":") else { throw unsafe flaw("a ':' is missing after '\(Self.excerpt(name))'") }
            members.append(JSONNode.Member(name: name, place: place, value: unsafe try readValue()))
            unsafe skipSpace()
            if unsafe cursor.take("}") { return members }
            guard unsafe cursor.take(",") else { throw unsafe flaw("a ',' or the '}' is missing") }
        }
    }

    private static func excerpt(_ name: String) -> String {
        unsafe Excerpt.of(name.utf8, limit: excerptLength)
    }

    private mutating func readElements() throws(JSONError) -> [JSONNode] {
        unsafe try enter()
        defer { unsafe depth -= 1 }
        var elements: [JSONNode] = []
        if unsafe cursor.take("]") { return [] }
        while true {
            unsafe skipSpace()
            if unsafe cursor.byte == UInt8(ascii: "]") {
                throw unsafe flaw("a comma stands before the ']'; remove it")
            }
            elements.append(unsafe try readValue())
            unsafe skipSpace()
            if unsafe cursor.take("]") { return elements }
            guard unsafe cursor.take(",") else { throw unsafe flaw("a ',' or the ']' is missing") }
        }
    }

    private mutating func readString() throws(JSONError) -> String {
        let start = unsafe place()
        do throws(JSONFlaw) {
            let text = unsafe try cursor.string()
            let bytes = unsafe UnsafeBufferPointer(start: cursor.base + text.start, count: text.end - text.start)
            guard text.hasEscapes else { return unsafe String(decoding: bytes, as: UTF8.self) }
            // The cursor has checked the escapes.
            return unsafe QuotedText.resolvingEscapes(bytes) ?? ""
        } catch {
            unsafe cursor.place = error.offset
            // Where a quote is missing, it is often that of the start.
            if unsafe cursor.place == cursor.end { throw JSONError(place: start, reason: "the text has no end") }
            if unsafe cursor.byte < 0x20 {
                throw JSONError(place: start, reason: "the text does not end on its line")
            }
            throw unsafe flaw("\(error.what)")
        }
    }

    /// Reads a number, `true`, `false` or `null`, up to what may follow it.
    private mutating func readWord() throws(JSONError) -> JSONNode.Value {
        let place = unsafe place()
        let start = unsafe cursor.place
        while unsafe cursor.place < cursor.end, unsafe !Self.endsWord(cursor.byte) { unsafe cursor.place += 1 }
        let end = unsafe cursor.place
        guard start < end else { throw JSONError(place: place, reason: "a value is missing") }
        let bytes = unsafe UnsafeBufferPointer(start: cursor.base + start, count: end - start)
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default:
            guard unsafe JSONValueText(cursor.base, from: start, to: end) != nil, Double(text)?.isFinite == true else {
                throw JSONError(
                    place: place,
                    reason: unsafe "'\(Self.excerpt(text))' is no value; a text stands in double quotes"
                )
            }
            return .number(text)
        }
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: ","),
            UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "\""):
            true
        default: false
        }
    }
}
