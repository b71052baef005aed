/// Two columns of text.
enum Table {
    /// Lays out rows, and breaks the lines of the right column between words.
    ///
    /// - Parameters:
    ///   - rows: What to lay out.
    ///   - leftWidth: How wide the left column is at most; a longer text gets a line of its own.
    ///   - minimumLeftWidth: How wide the left column is at least.
    ///   - width: How wide the lines are at most.
    /// - Returns: Lines, each with its end. Spaces that do not break hold words together, and become plain ones.
    static func text(
        _ rows: [(left: String, right: String)],
        leftWidth: Int = 26,
        minimumLeftWidth: Int = 0,
        width: Int = 90
    ) -> String {
        let widest = max(minimumLeftWidth, rows.map(\.left.count).filter { $0 <= leftWidth }.max() ?? 0)
        let margin = 2 + widest + 2
        var text = ""
        for row in rows {
            var line = "  " + row.left
            if row.left.count > widest {
                text += line + "\n"
                line = ""
            }
            line += String(repeating: " ", count: margin - line.count)
            var isFirst = true
            for word in row.right.split(separator: " ") {
                if !isFirst, line.count + 1 + word.count > width {
                    text += line + "\n"
                    line = String(repeating: " ", count: margin)
                    isFirst = true
                }
                line += (isFirst ? "" : " ") + word
                isFirst = false
            }
            text += line + "\n"
        }
        return String(text.map { $0 == "\u{A0}" ? " " : $0 })
    }
}
