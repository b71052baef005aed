import WeirRecords

/// Cuts a query into tokens.
struct Lexer {
    /// The query.
    let text: String

    /// The bytes of the query.
    let bytes: [UInt8]

    /// Where the next token is looked for.
    private var position = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// The next token; at the end, the end.
    ///
    /// - Throws: What is no token.
    mutating func next() throws(QueryError) -> Token {
        try skipBlanks()
        let start = position
        guard start < bytes.count else { return Token(kind: .end, range: start..<start) }
        switch bytes[start] {
        case let byte where byte.startsWord:
            position = end(from: start) { $0.continuesWord }
            return Token(kind: .word, range: start..<position)
        case let byte where byte.isDigit || (byte == UInt8(ascii: ".") && self.byte(at: start + 1).isDigit):
            position = endOfNumber(from: start)
            return Token(kind: .number, range: start..<position)
        case UInt8(ascii: "\""):
            return try quotedText(from: start)
        case UInt8(ascii: "`"):
            return try quotedName(from: start)
        default:
            return try sign(from: start)
        }
    }

    /// An error at a place of the query.
    func error(_ message: String, at range: Range<Int>) -> QueryError { QueryError(message, at: range, of: text) }

    /// The text of a range.
    func spelling(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The byte at a place; 0 behind the end.
    private func byte(at index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

    /// Where the bytes end that satisfy a condition.
    private func end(from start: Int, while isPart: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, isPart(bytes[end]) { end += 1 }
        return end
    }

    /// Whether the bytes at a place are those of a text.
    private func has(_ text: StaticString, at index: Int) -> Bool {
        bytes[min(index, bytes.count)...].starts(with: String(describing: text).utf8)
    }

    /// Skips blanks and comments.
    private mutating func skipBlanks() throws(QueryError) {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                position += 1
            } else if has("//", at: position) {
                position = end(from: position) { $0 != UInt8(ascii: "\n") }
            } else if has("/*", at: position) {
                let start = position
                position += 2
                while position < bytes.count, !has("*/", at: position) { position += 1 }
                guard position < bytes.count else {
                    throw error("the comment has no end; write '*/' after it", at: start..<(start + 2))
                }
                position += 2
            } else {
                return
            }
        }
    }

    private func endOfNumber(from start: Int) -> Int {
        var end = end(from: start) { $0.isDigit }
        if byte(at: end) == UInt8(ascii: ".") { end = self.end(from: end + 1) { $0.isDigit } }
        if byte(at: end) | 0x20 == UInt8(ascii: "e") {
            let hasSign = byte(at: end + 1) == UInt8(ascii: "+") || byte(at: end + 1) == UInt8(ascii: "-")
            let digits = end + (hasSign ? 2 : 1)
            if byte(at: digits).isDigit { end = self.end(from: digits) { $0.isDigit } }
        }
        // Units belong to the number; other letters are refused with it.
        return self.end(from: end) { $0.continuesWord }
    }

    private mutating func quotedName(from start: Int) throws(QueryError) -> Token {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            guard bytes[index] == UInt8(ascii: "`") else {
                index += 1
                continue
            }
            // Two backticks are one of the name.
            guard byte(at: index + 1) == UInt8(ascii: "`") else {
                position = index + 1
                guard index > start + 1 else {
                    throw error("a name between backticks is empty", at: start..<position)
                }
                return Token(kind: .quotedName, range: start..<position)
            }
            index += 2
        }
        throw error("the name has no end; write '`' after it", at: start..<index)
    }

    private mutating func quotedText(from start: Int) throws(QueryError) -> Token {
        let isRaw = has("\"\"\"", at: start)
        var index = start + (isRaw ? 3 : 1)
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") {
            if isRaw, has("\"\"\"", at: index) {
                // One or two quotes more are the last of the text.
                position = index + 3
                while position < index + 5, byte(at: position) == UInt8(ascii: "\"") { position += 1 }
                return Token(kind: .rawText, range: start..<position)
            }
            if !isRaw, bytes[index] == UInt8(ascii: "\"") {
                position = index + 1
                return Token(kind: .text, range: start..<position)
            }
            // What is escaped ends no text.
            index += !isRaw && bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let mark = isRaw ? "\"\"\"" : "\""
        throw error("the text has no end on its line; write '\(mark)' after it", at: start..<min(index, bytes.count))
    }

    private mutating func sign(from start: Int) throws(QueryError) -> Token {
        func refuse(_ count: Int, _ message: String) -> QueryError { error(message, at: start..<(start + count)) }
        if has("&&", at: start) { throw refuse(2, "write 'and' for '&&'") }
        if has("||", at: start) { throw refuse(2, "write 'or' for '||'") }
        if has("=~", at: start) { throw refuse(2, "write 'regex' for '=~', or ':' to ignore case") }
        if has("<>", at: start) { throw refuse(2, "write '!=' for '<>'") }
        if has("?\"", at: start) || has("?'", at: start) {
            throw refuse(2, "raw strings are written with three double quotes: \"\"\"...\"\"\"")
        }
        if bytes[start] == UInt8(ascii: "'") {
            throw refuse(1, "texts are written in double quotes, not in single quotes")
        }
        for length in [2, 1] where start + length <= bytes.count {
            if let sign = Token.Sign(rawValue: String(decoding: bytes[start..<(start + length)], as: UTF8.self)) {
                position = start + length
                return Token(kind: .sign(sign), range: start..<position)
            }
        }
        let character = String(decoding: bytes[start...].prefix(32), as: UTF8.self).first ?? " "
        let shown = character.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : "\($0)" }.joined()
        throw refuse(
            character.utf8.count,
            "'\(shown)' has no meaning here; names with other characters than letters, digits and '_' stand in backticks"
        )
    }
}

extension UInt8 {
    /// Whether it is a digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether it begins a word: a letter, an underscore, or the sign of `@timestamp`.
    var startsWord: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "@")
    }

    /// Whether it belongs to a word that has begun.
    var continuesWord: Bool { startsWord || isDigit }
}
