internal import WeirCore

/// How matches are written.
enum MatchStyle: Sendable, Hashable {
    /// A JSON object a line, as plugins write them.
    case json
    /// JSON over several lines, for people.
    case pretty
    /// A table whose columns are the fields that the plugins name, and those of the first match.
    case csv
    /// The same for spreadsheets: a cell that one would take for a formula begins with an apostrophe.
    case safeCSV
    /// A text with fields in braces, such as `{time} on {axis}`.
    case template([Piece])

    /// Whether it is a table with a header.
    var isTable: Bool { self == .csv || self == .safeCSV }

    /// A part of a template.
    enum Piece: Sendable, Hashable {
        case text(String)
        case field(String)
    }

    /// Reads `json`, `pretty`, `csv`, `csv:safe`, or `template:TEXT`.
    ///
    /// - Throws: ``HostError`` for anything else.
    init(_ text: String) throws(HostError) {
        let names = ["json", "pretty", "csv", "csv:safe", "template"]
        switch text {
        case "json": self = .json
        case "pretty": self = .pretty
        case "csv": self = .csv
        case "csv:safe": self = .safeCSV
        case _ where text.hasPrefix("template:"): self = .template(try Self.pieces(text.dropFirst("template:".count)))
        case "template": throw .usage("--output: the template lacks its text; write --output 'template:{time} {axis}'")
        default:
            throw .usage(
                "--output: '\(text)' is not one of json, pretty, csv, csv:safe or template:TEXT"
                    + Suggestion.text(for: text, among: names)
            )
        }
    }

    /// Takes a template apart; `{{` and `}}` are braces, `\n` and `\t` an end of line and a tab.
    private static func pieces(_ template: Substring) throws(HostError) -> [Piece] {
        var pieces: [Piece] = []
        var text = ""
        var rest = template
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                text.append(character)
            case "{":
                guard let end = rest.firstIndex(of: "}"), end != rest.startIndex else {
                    throw .usage("--output: the template has a '{' without a field and a '}'; write '{{' for a brace")
                }
                if !text.isEmpty { pieces.append(.text(text)) }
                text = ""
                pieces.append(.field(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            case "}": throw .usage("--output: the template has a '}' without a '{'; write '}}' for a brace")
            case "\\" where rest.first == "n" || rest.first == "t": text.append(rest.removeFirst() == "n" ? "\n" : "\t")
            default: text.append(character)
            }
        }
        if !text.isEmpty { pieces.append(.text(text)) }
        return pieces
    }
}
