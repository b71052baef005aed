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
        var text = ""
        for scalar in String(decoding: head.prefix(limit), as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            text.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
        }
        return head.count > limit ? text + "…" : text
    }
}
