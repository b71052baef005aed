/// Upper and lower case, one character for one.
enum Letters {
    /// A letter of ASCII in lower case; other bytes as they are.
    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    /// Whether all bytes are of ASCII.
    static func areASCII(_ bytes: Span<UInt8>) -> Bool {
        var all: UInt8 = 0
        for index in bytes.indices { all |= bytes[index] }
        return all < 0x80
    }

    /// A character in lower case; itself where lower case has several characters.
    static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard !scalar.isASCII else { return Unicode.Scalar(lower(UInt8(truncatingIfNeeded: scalar.value))) }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        guard let first = lower.first, lower.count == 1 else { return scalar }
        return first
    }

    /// A text in lower case; bytes that are no characters become the sign for that.
    static func folded(_ bytes: Span<UInt8>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        return folded(copy)
    }

    /// A text in lower case; bytes that are no characters become the sign for that.
    static func folded(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            result.append(contentsOf: UTF8.encode(lower(scalar)) ?? UTF8.encodedReplacementCharacter)
        }
        return result
    }

    /// How many bytes the character has that begins with a byte; 1 where none begins with it.
    @inline(__always)
    static func length(_ first: UInt8) -> Int {
        first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 1
    }

    /// Where the character ends that begins at a place; what is no character has one byte.
    @inline(__always)
    static func end(in text: Span<UInt8>, from start: Int) -> Int {
        let end = start + length(text[start])
        guard end <= text.count else { return start + 1 }
        for index in (start + 1)..<end where !continues(text[index]) { return start + 1 }
        return end
    }

    /// Whether a byte continues a character.
    @inline(__always)
    static func continues(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
