internal import WeirCore
internal import WeirRecords

/// A page of the help with options, which has a short form for a screen and a long one that says everything.
struct HelpPage {
    /// What it is about, in a line.
    let summary: String
    let examples: [Example]

    /// The forms of the command line.
    let usage: [String]

    /// What stands over options, and the options: the word, and what it does.
    ///
    /// The short form has those of the first section.
    var sections: [(title: String, rows: [Row])] = []

    /// What is said at the end, in lines.
    var remark = ""

    /// What the short form says of what it leaves out.
    var more = ""

    /// A command line, and what it does where that needs words.
    typealias Example = (command: String, meaning: String)

    typealias Row = (left: String, right: String)

    /// What a small terminal shows at a time, with a line for the shell.
    static let screenRows = 24
    static let columns = 79

    /// The page.
    ///
    /// - Returns: Lines, each with its end.
    func text(isLong: Bool) -> String {
        let long = longText
        return isLong || long.split(separator: "\n", omittingEmptySubsequences: false).count <= Self.screenRows
            ? long : shortText
    }

    private var usageLines: String { usage.joined(separator: "\n       ") }

    /// The rows of the program's own options.
    static func rows(_ options: [OptionDeclaration]) -> [Row] {
        options.map { option in option.kind == .flag ? ("--\(option.name)", option.help) : row(option) }
    }

    /// The row of an option that takes a value.
    static func row(_ option: OptionDeclaration) -> Row {
        let value = option.defaultText?.split(separator: "\n").joined(separator: " ")
        return (
            "--\(option.name) \(option.placeholder)",
            option.help + (value.map { " (default:\u{A0}\($0))" } ?? "")
        )
    }

    private var longText: String {
        let examples = examples.map { "  \($0.command)\n" + ($0.meaning.isEmpty ? "" : "      \($0.meaning)\n") }
        let sections = sections.map { "\n\($0.title):\n" + Table.text($0.rows) }
        return "\(Table.wrapped(summary))\nExamples:\n\(examples.joined())\nUsage: \(usageLines)\n\(sections.joined())"
            + (remark.isEmpty ? "" : "\n\(remark)\n")
    }

    /// A line for each option, and as many examples as there is room for.
    private var shortText: String {
        let rows = sections.first?.rows ?? []
        let room = Self.screenRows - rows.count - 8
        let fitting = examples.filter { $0.command.count + 2 <= Self.columns }
        let examples = fitting.prefix(max(1, min(3, room))).map { "  \($0.command)\n" }
        let margin = 4 + (rows.map(\.left.count).max() ?? 0)
        let lines = rows.map { row in
            "  " + row.left + String(repeating: " ", count: margin - 2 - row.left.count)
                + Self.fit(row.right, to: Self.columns - margin) + "\n"
        }
        return
            "\(Table.wrapped(summary))\nExamples:\n\(examples.joined())\nUsage: \(usageLines)\n\(lines.joined())\n\(more)\n"
    }

    /// As much of what an option does as fits: with its default, without, or the first part of the sentence.
    private static func fit(_ text: String, to width: Int) -> String {
        let text = String(text.map { $0 == "\u{A0}" ? " " : $0 })
        let start = text.range(ofDefault: " (default: ")
        let meaning = start.map { String(text[..<$0]) } ?? text
        let rest = start.map { String(text[$0...]) } ?? ""
        var clauses = [meaning]
        for (index, character) in meaning.enumerated().reversed() where ";:,".contains(character) {
            clauses.append(String(meaning.prefix(index)))
        }
        for clause in clauses {
            for candidate in [clause + rest, clause] where candidate.count <= width { return candidate }
        }
        var cut = meaning.prefix(width - 1)
        while let last = cut.last, last != " " { cut.removeLast() }
        return cut.dropLast() + "…"
    }
}

extension String {
    /// Where the last occurrence of some words begins.
    fileprivate func range(ofDefault words: String) -> Index? {
        var place = endIndex
        while place > startIndex {
            place = index(before: place)
            if self[place...].hasPrefix(words) { return place }
        }
        return nil
    }
}
