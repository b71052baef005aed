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
    /// - Parameter text: Anything.
    /// - Returns: The text without control characters.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
    }
}
