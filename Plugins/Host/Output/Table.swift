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
        width: Int = HelpPage.columns
    ) -> String {
        let widest = max(minimumLeftWidth, rows.map(\.left.count).filter { $0 <= leftWidth }.max() ?? 0)
        let margin = 2 + widest + 2
        var text = ""
        for row in rows {
            var line = "  " + row.left
            if row.left.count > widest || row.right.isEmpty {
                text += line + "\n"
                line = ""
            }
            guard !row.right.isEmpty else { continue }
            line += String(repeating: " ", count: margin - line.count)
            var isFirst = true
            for word in row.right.split(separator: " ").flatMap({ pieces(of: $0, upTo: width - margin) }) {
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

    /// A sentence in lines of words, each with its end.
    static func wrapped(_ text: String, width: Int = HelpPage.columns) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// A word, cut behind commas where it is longer than a line.
    private static func pieces(of word: Substring, upTo width: Int) -> [Substring] {
        var pieces: [Substring] = []
        var rest = word
        while rest.count > width, let comma = rest.prefix(width).lastIndex(of: ",") {
            pieces.append(rest[...comma])
            rest = rest[rest.index(after: comma)...]
        }
        return pieces + [rest]
    }
}
