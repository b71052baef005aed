import WeirRecords

extension Lexer {
    /// The name that a word or a name in backticks stands for.
    func name(of token: Token) -> String {
        guard token.kind == .quotedName else { return spelling(token.range) }
        return spelling((token.range.lowerBound + 1)..<(token.range.upperBound - 1)).replacing("``", with: "`")
    }

    /// The text that a token of a text stands for.
    ///
    /// - Throws: An escape that has no meaning.
    func value(ofText token: Token) throws(QueryError) -> String {
        if token.kind == .rawText { return spelling((token.range.lowerBound + 3)..<(token.range.upperBound - 3)) }
        let content = (token.range.lowerBound + 1)..<(token.range.upperBound - 1)
        guard bytes[content].contains(UInt8(ascii: "\\")) else { return spelling(content) }
        var result: [UInt8] = []
        var index = content.lowerBound
        while index < content.upperBound {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            let escaped = bytes[index]
            index += 1
            switch escaped {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): result.append(escaped)
            case UInt8(ascii: "u"):
                let (scalar, end) = try scalar(from: index, in: content)
                result += Array(String(scalar).utf8)
                index = end
            default:
                let length = String(decoding: bytes[(index - 1)..<content.upperBound], as: UTF8.self).first?.utf8.count
                throw error(
                    "an escape is one of \\n \\r \\t \\b \\f \\\\ \\\" \\u{...}; write '\\\\' for a backslash",
                    at: (index - 2)..<(index - 1 + (length ?? 1))
                )
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The character of the escape `\u{...}`, from behind the `u`, and where it ends.
    private func scalar(from start: Int, in content: Range<Int>) throws(QueryError) -> (Unicode.Scalar, Int) {
        let rest = bytes[start..<content.upperBound]
        let end = rest.firstIndex(of: UInt8(ascii: "}"))
        if rest.first == UInt8(ascii: "{"), let end {
            let digits = spelling((start + 1)..<end)
            let isNumber = digits.utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
            if isNumber, (2...8).contains(digits.utf8.count),
                let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
            {
                return (scalar, end + 1)
            }
        }
        throw error(
            "a character is written as \\u{...} with 2 to 8 hexadecimal digits, such as \\u{200f}",
            at: (start - 2)..<min((end ?? start) + 1, content.upperBound)
        )
    }
}
