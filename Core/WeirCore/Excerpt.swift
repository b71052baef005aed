/// Short, printable pieces of input for messages: control characters and bytes that are not UTF-8 are replaced.
public enum Excerpt {
    /// The beginning of `bytes`, to be printed on one line.
    ///
    /// - Parameters:
    ///   - bytes: Anything.
    ///   - limit: How many bytes at most; an ellipsis says that there were more.
    /// - Returns: The text; what cannot be printed is replaced.
    public static func of(_ bytes: some Sequence<UInt8>, limit: Int) -> String {
        let head = Array(bytes.prefix(limit + 1))
        let text = line(String(decoding: head.prefix(limit), as: UTF8.self))
        return head.count > limit ? text + "…" : text
    }

    /// A text as it can be printed on one line: what would end the line, or tell a terminal something, is replaced.
    ///
    /// - Returns: The text without active characters.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isActive) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isActive($0) ? "\u{FFFD}" : $0 }))
    }

    /// A text in which active characters are written like `\u001b`, as JSON writes them, so that nothing is lost.
    ///
    /// - Parameters:
    ///   - text: Anything.
    ///   - isKept: The active characters that stay as they are; none unless told.
    /// - Returns: The text; the same where it has no such character.
    package static func escaped(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool = { _ in false }) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool { isActive(scalar) && !isKept(scalar) }
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isEscaped(scalar) else {
                escaped.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            let padding = String(repeating: "0", count: 4 - digits.count)
            escaped.append(contentsOf: "\\u\(padding)\(digits)".unicodeScalars)
        }
        return String(escaped)
    }

    /// Whether a character does something where text is shown: control characters, ends of lines, and the controls of
    /// bidirectional text (Unicode Annex 9), which make a text look like another.
    ///
    /// All of them have four hexadecimal digits at most.
    package static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
