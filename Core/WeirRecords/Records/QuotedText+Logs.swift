/// The escapes of logs.
extension QuotedText {
    /// The text of a field of an access log: `\"`, `\\`, `\b`, `\f`, `\n`, `\r`, `\t`, `\v` and `\xHH` are resolved.
    ///
    /// A byte from 128 on that is no part of valid UTF-8 stays `\xHH`, and any other backslash stays as well: what is valid
    /// UTF-8 stays so.
    ///
    /// - Parameters:
    ///   - text: The bytes between the quotes.
    ///   - append: Takes the bytes of the result, no more than `text` has.
    package static func resolveHexEscapes(_ text: UnsafeBufferPointer<UInt8>, _ append: (UInt8) -> Void) {
        var index = 0
        while index < text.count {
            let byte = unsafe text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.count else {
                append(byte)
                continue
            }
            let kind = unsafe text[index]
            var resolved: UInt8?
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): resolved = kind
            case UInt8(ascii: "b"): resolved = 0x08
            case UInt8(ascii: "t"): resolved = 0x09
            case UInt8(ascii: "n"): resolved = 0x0A
            case UInt8(ascii: "v"): resolved = 0x0B
            case UInt8(ascii: "f"): resolved = 0x0C
            case UInt8(ascii: "r"): resolved = 0x0D
            case UInt8(ascii: "x"):
                guard let (scalar, count) = unsafe hexScalar(text, index - 1) else { break }
                for byte in String(scalar).utf8 { append(byte) }
                index += 4 * count - 1
                continue
            default: break
            }
            append(resolved ?? byte)
            if resolved != nil { index += 1 }
        }
    }

    /// The scalar whose bytes are escapes from `index` on, and how many these are.
    private static func hexScalar(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> (Unicode.Scalar, Int)? {
        guard let first = unsafe hexByte(text, index) else { return nil }
        let (count, bits, least): (Int, UInt8, UInt32)
        switch first {
        case 0x00...0x7F: return (Unicode.Scalar(first), 1)
        case 0xC2...0xDF: (count, bits, least) = (2, first & 0x1F, 0x80)
        case 0xE0...0xEF: (count, bits, least) = (3, first & 0x0F, 0x800)
        case 0xF0...0xF4: (count, bits, least) = (4, first & 0x07, 0x10000)
        default: return nil
        }
        var value = UInt32(bits)
        for place in 1..<count {
            guard let next = unsafe hexByte(text, index + 4 * place), next & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(next & 0x3F)
        }
        guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, count)
    }

    /// The byte that `\xHH` at `index` stands for.
    private static func hexByte(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt8? {
        guard text.count - index >= 4, unsafe text[index] == UInt8(ascii: "\\"),
            unsafe text[index + 1] == UInt8(ascii: "x"),
            let high = unsafe hexDigit(text[index + 2]), let low = unsafe hexDigit(text[index + 3])
        else { return nil }
        return high << 4 | low
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Appends a text with the escapes of an access log: of quotes, backslashes and control characters.
    package static func appendHexEscaping(_ text: [UInt8], to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case 0..<0x20, 0x7F: bytes += ((byte < 0x10 ? "\\x0" : "\\x") + String(byte, radix: 16)).utf8
            default: bytes.append(byte)
            }
        }
    }

    /// The text of a field of CEF: `\\`, `\=`, `\|`, `\n` and `\r` are resolved, any other backslash stays.
    ///
    /// - Parameters:
    ///   - text: The bytes.
    ///   - append: Takes the bytes of the result, no more than `text` has.
    package static func resolveSignEscapes(_ text: UnsafeBufferPointer<UInt8>, _ append: (UInt8) -> Void) {
        var index = 0
        while index < text.count {
            let byte = unsafe text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.count else {
                append(byte)
                continue
            }
            let kind = unsafe text[index]
            switch kind {
            case UInt8(ascii: "\\"), UInt8(ascii: "="), UInt8(ascii: "|"): append(kind)
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            default:
                append(byte)
                continue
            }
            index += 1
        }
    }

    /// Appends a text with the escapes of CEF: of backslashes, line ends and a sign.
    package static func appendEscaping(_ sign: UInt8, _ text: [UInt8], to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case sign, UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            default: bytes.append(byte)
            }
        }
    }

    /// The string that a function resolves, which makes no text longer.
    ///
    /// - Returns: `nil` when it is not valid UTF-8.
    package static func string(
        of text: UnsafeBufferPointer<UInt8>,
        _ resolve: (UnsafeBufferPointer<UInt8>, (UInt8) -> Void) -> Void
    ) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { buffer in
            var count = 0
            unsafe resolve(text) { byte in
                unsafe buffer.initializeElement(at: count, to: byte)
                count += 1
            }
            return unsafe String(validating: buffer.prefix(count), as: UTF8.self)
        }
    }
}
