internal import WeirCore

/// How matches are written.
enum MatchStyle: Sendable, Hashable {
    /// A JSON object a line, as plugins write them.
    case json
    /// JSON over several lines, for people.
    case pretty
    /// A table whose header is the fields of the first match.
    case csv
    /// A text with fields in braces, such as `{time} on {axis}`.
    case template([Piece])

    /// A part of a template.
    enum Piece: Sendable, Hashable {
        case text(String)
        case field(String)
    }

    /// Reads `json`, `pretty`, `csv`, or `template:TEXT`.
    ///
    /// - Throws: ``HostError`` for anything else.
    init(_ text: String) throws(HostError) {
        let names = ["json", "pretty", "csv", "template"]
        switch text {
        case "json": self = .json
        case "pretty": self = .pretty
        case "csv": self = .csv
        case _ where text.hasPrefix("template:"): self = .template(try Self.pieces(text.dropFirst("template:".count)))
        case "template": throw .usage("--output: the template lacks its text; write --output 'template:{time} {axis}'")
        default:
            throw .usage(
                "--output: '\(text)' is not one of json, pretty, csv or template:TEXT"
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

/// Writes matches in a style; holds the state of one output.
struct MatchStyler {
    private let style: MatchStyle
    private let isColoured: Bool
    private var header: [String] = []

    /// How many fields of matches had no column in the table.
    private(set) var leftOut: Set<String> = []

    init(_ style: MatchStyle, isColoured: Bool) {
        self.style = style
        self.isColoured = isColoured
    }

    /// Whether lines stay as they are.
    var isPlain: Bool { style == .json }

    /// Writes matches.
    ///
    /// - Parameter lines: JSON objects, a line each.
    /// - Returns: The text.
    mutating func write(_ lines: [UInt8]) -> [UInt8] {
        var text = ""
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            guard let node = try? JSONReader.read(Array(line)) else { continue }
            switch style {
            case .json: text += String(decoding: line, as: UTF8.self) + "\n"
            case .pretty: text += pretty(node, indentation: "") + "\n"
            case .csv: text += row(fields(of: node))
            case .template(let pieces): text += fill(pieces, fields(of: node)) + "\n"
            }
        }
        return Array(text.utf8)
    }

    /// The fields by name; those of an object in an object are named with a dot.
    private func fields(of node: JSONNode, prefix: String = "") -> [(name: String, text: String)] {
        switch node.value {
        case .object(let members):
            members.flatMap { fields(of: $0.value, prefix: prefix.isEmpty ? $0.name : "\(prefix).\($0.name)") }
        case .array(let elements):
            elements.enumerated().flatMap { fields(of: $1, prefix: "\(prefix).\($0)") }
        case .text(let text): [(prefix, text)]
        case .number(let text): [(prefix, text)]
        case .boolean(let value): [(prefix, value ? "true" : "false")]
        case .null: [(prefix, "")]
        }
    }

    private mutating func row(_ fields: [(name: String, text: String)]) -> String {
        var text = ""
        if header.isEmpty {
            header = fields.map(\.name)
            text = header.map(quoted).joined(separator: ",") + "\n"
        }
        leftOut.formUnion(fields.map(\.name).filter { !header.contains($0) })
        let cells = header.map { name in quoted(fields.first { $0.name == name }?.text ?? "") }
        return text + cells.joined(separator: ",") + "\n"
    }

    private func quoted(_ text: String) -> String {
        // By scalars: a comma or a quote that an accent follows is one all the same.
        let scalars = text.unicodeScalars
        guard scalars.contains(where: { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }) else { return text }
        let parts = scalars.split(separator: "\"", omittingEmptySubsequences: false).map { String($0) }
        return "\"" + parts.joined(separator: "\"\"") + "\""
    }

    private func fill(_ pieces: [MatchStyle.Piece], _ fields: [(name: String, text: String)]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let name): fields.first { $0.name == name }?.text ?? ""
            }
        }
        .joined()
    }

    private func pretty(_ node: JSONNode, indentation: String) -> String {
        let inner = indentation + "  "
        switch node.value {
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map {
                inner + colour("34", JSONQuote.text($0.name)) + ": " + pretty($0.value, indentation: inner)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        case .array(let elements):
            guard !elements.isEmpty else { return "[]" }
            let lines = elements.map { inner + pretty($0, indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .text(let text): return colour("32", JSONQuote.text(text))
        case .number(let text): return colour("36", text)
        case .boolean(let value): return colour("33", value ? "true" : "false")
        case .null: return colour("2", "null")
        }
    }

    private func colour(_ code: String, _ text: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
