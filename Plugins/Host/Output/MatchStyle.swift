internal import WeirCore
internal import WeirFormats
internal import WeirRecords

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

    /// The fields that a template names.
    var fields: Set<String> {
        guard case .template(let pieces) = self else { return [] }
        return Set(pieces.compactMap { piece in if case .field(let name) = piece { name } else { nil } })
    }

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

/// Writes matches in a style; holds the state of one output.
struct MatchStyler {
    private let style: MatchStyle
    private let isColoured: Bool
    private let columns: [String]
    private var header: [String]
    private let writesOn: Bool
    private var leftOut = LeftOutFields()
    private let isForTerminal: Bool

    /// Whether a match had none of the columns of the table that is written on; it was left out.
    private(set) var isForeign = false

    /// What is wrong with such a table.
    static let foreignTable =
        "it is a table of something else, with none of the columns of the match; write to another file"

    /// The fields of a template that no match has had.
    private(set) var missing: Set<String>

    /// Creates a styler.
    ///
    /// - Parameters:
    ///   - style: How matches are written.
    ///   - isColoured: Whether JSON for people has colours.
    ///   - isForTerminal: Whether the output is a terminal, which text of events must not control: its control characters,
    ///     ends of lines and controls of bidirectional text are then written like `\u001b`, in every style.
    ///   - columns: The columns of a table that are known; those of the first match join them.
    ///   - header: The columns of a table that is written on, which stay as they are.
    init(
        _ style: MatchStyle,
        isColoured: Bool,
        isForTerminal: Bool = false,
        columns: [String] = [],
        header: [String] = []
    ) {
        self.style = style
        self.isColoured = isColoured
        self.isForTerminal = isForTerminal
        self.columns = columns
        self.header = header
        writesOn = !header.isEmpty
        missing = style.fields
    }

    /// Hands over what there was no place for since the last call.
    mutating func takeLeftOut() -> LeftOutFields { exchange(&leftOut, with: LeftOutFields()) }

    /// Whether it writes a table.
    var isTable: Bool { style.isTable }

    /// Whether lines stay as they are.
    var isPlain: Bool { style == .json && !isForTerminal }

    /// Text of events as it is written; the same value where it is JSON.
    private func shown(_ text: String) -> String {
        isForTerminal ? Excerpt.escaped(text) { $0 == "\t" } : text
    }

    /// Writes matches.
    ///
    /// - Returns: The text.
    mutating func write(_ lines: [UInt8]) -> [UInt8] {
        var text = ""
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            guard let node = try? JSONNode.read(Array(line), allowsRepeatedNames: true), case .object = node.value
            else {
                // The plugin of a library may call anything a match.
                switch style {
                case .json, .pretty: text += shown(String(decoding: line, as: UTF8.self)) + "\n"
                case .csv, .safeCSV, .template: leftOut.countUnreadable()
                }
                continue
            }
            switch style {
            case .json: text += shown(String(decoding: line, as: UTF8.self)) + "\n"
            case .pretty: text += pretty(node, indentation: "") + "\n"
            case .csv, .safeCSV: text += row(fields(of: node, keepsLists: true))
            case .template(let pieces):
                let fields = fields(of: node)
                if !missing.isEmpty {
                    missing.subtract(fields.map(\.name))
                    missing = missing.filter { node.text(ofMember: $0[...]) == nil }
                }
                text += fill(pieces, fields, of: node) + "\n"
            }
        }
        return Array(text.utf8)
    }

    /// The fields by name; those of an object in an object are named with a dot.
    ///
    /// - Returns: The fields in their order.
    private func fields(
        of node: JSONNode,
        prefix: String = "",
        keepsLists: Bool = false
    ) -> [(name: String, text: String)] {
        switch node.value {
        case .object(let members):
            members.flatMap { member in
                let name = prefix.isEmpty ? member.name : "\(prefix).\(member.name)"
                return fields(of: member.value, prefix: name, keepsLists: keepsLists)
            }
        case .array where keepsLists: [(prefix, node.compactText)]
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
            header = columns + fields.map(\.name).filter { !columns.contains($0) }
            text = header.map(quoted).joined(separator: ",") + "\n"
        }
        // What all tables of matches have.
        let own = fields.map(\.name).filter { !["time", "plugin"].contains($0) }
        guard !writesOn || own.isEmpty || own.contains(where: header.contains) else {
            isForeign = true
            return ""
        }
        leftOut.count(fields.map(\.name).filter { !header.contains($0) })
        let cells = header.map { name in quoted(fields.first { $0.name == name }?.text ?? "") }
        return text + cells.joined(separator: ",") + "\n"
    }

    /// Whether a spreadsheet would take a cell for a formula (OWASP, CSV injection); a number is none.
    private static func isFormula(_ text: Substring.UnicodeScalarView) -> Bool {
        guard let first = text.first, "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
        else { return false }
        return Double(Substring(text)) == nil
    }

    /// A cell in which an apostrophe stands before every formula: also before one behind a semicolon or a tab, which
    /// separate cells where a spreadsheet is set so.
    private static func guarded(_ text: String) -> String {
        var rest = text.unicodeScalars[...]
        var guarded = isFormula(rest) ? "'" : ""
        while let place = rest.firstIndex(where: { $0 == ";" || $0 == "\t" }) {
            guarded += String(Substring(rest[...place]))
            rest = rest[rest.index(after: place)...]
            if isFormula(rest.prefix { $0 != ";" && $0 != "\t" }) { guarded += "'" }
        }
        return guarded + String(Substring(rest))
    }

    private func quoted(_ text: String) -> String {
        let text = shown(style == .safeCSV ? Self.guarded(text) : text)
        // By scalars: a comma or a quote that an accent follows is one all the same.
        let scalars = text.unicodeScalars
        guard scalars.contains(where: { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }) else { return text }
        let parts = scalars.split(separator: "\"", omittingEmptySubsequences: false).map { String($0) }
        return "\"" + parts.joined(separator: "\"\"") + "\""
    }

    private func fill(
        _ pieces: [MatchStyle.Piece],
        _ fields: [(name: String, text: String)],
        of node: JSONNode
    ) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let name):
                onOneLine(fields.first { $0.name == name }?.text ?? node.text(ofMember: name[...]) ?? "")
            }
        }
        .joined()
    }

    /// A match is one line of a template, whatever its text holds.
    private func onOneLine(_ text: String) -> String {
        let ends = "\n\r\u{B}\u{C}\u{85}\u{2028}\u{2029}".unicodeScalars
        return shown(Excerpt.escaped(text) { !ends.contains($0) })
    }

    private func pretty(_ node: JSONNode, indentation: String) -> String {
        let inner = indentation + "  "
        switch node.value {
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map {
                inner + colour("34", shown(JSONWriter.quoted($0.name))) + ": " + pretty($0.value, indentation: inner)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        case .array(let elements):
            guard !elements.isEmpty else { return "[]" }
            let lines = elements.map { inner + pretty($0, indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .text(let text): return colour("32", shown(JSONWriter.quoted(text)))
        case .number(let text): return colour("36", text)
        case .boolean(let value): return colour("33", value ? "true" : "false")
        case .null: return colour("2", "null")
        }
    }

    private func colour(_ code: String, _ text: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
