internal import WeirCore
internal import WeirRecords

/// Writes matches in a style; holds the state of one output.
protocol MatchStyler {
    /// Appends a match.
    ///
    /// - Parameters:
    ///   - match: The match.
    ///   - items: Has it.
    ///   - text: The text is appended to it.
    mutating func append(_ match: FieldItem, in items: [UInt8], to text: inout [UInt8])

    /// What there was no place for.
    var leftOut: LeftOutFields { get }

    /// The fields of a template that no match has had.
    var missing: Set<String> { get }

    /// Whether a match had none of the columns of the table that is written on; it was left out.
    var isForeign: Bool { get }
}

extension MatchStyler {
    var leftOut: LeftOutFields { LeftOutFields() }
    var missing: Set<String> { [] }
    var isForeign: Bool { false }

    /// Appends all matches of a buffer.
    mutating func append(_ items: [UInt8], to text: inout [UInt8]) {
        for match in FieldItems(in: items) { append(match, in: items, to: &text) }
    }
}

extension MatchStyle {
    /// Makes the styler of an output.
    ///
    /// - Parameters:
    ///   - isColoured: Whether JSON for people has colours.
    ///   - isForTerminal: Whether the output is a terminal, which text of events must not control: its control characters,
    ///     ends of lines and controls of bidirectional text are then written like `\u001b`, in every style.
    ///   - columns: The columns of a table that are known; those of the first match join them.
    ///   - header: The columns of a table that is written on, which stay as they are.
    /// - Returns: The state of one output.
    func makeStyler(
        isColoured: Bool = false,
        isForTerminal: Bool = false,
        columns: [String] = [],
        header: [String] = []
    ) -> any MatchStyler {
        let shown = ShownText(isForTerminal: isForTerminal)
        return switch self {
        case .json: LineStyler(shown: shown)
        case .pretty: PrettyStyler(shown: shown, isColoured: isColoured)
        case .csv: TableStyler(shown: shown, isSafe: false, columns: columns, header: header)
        case .safeCSV: TableStyler(shown: shown, isSafe: true, columns: columns, header: header)
        case .template(let pieces): TemplateStyler(shown: shown, pieces: pieces)
        }
    }
}

/// Text of events on its way to an output.
struct ShownText {
    /// Whether it is to control no terminal.
    let isForTerminal: Bool

    /// Appends text as it may be shown.
    func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
        guard isForTerminal, !Self.isHarmless(bytes) else {
            text += bytes
            return
        }
        text += Excerpt.escaped(String(decoding: bytes, as: UTF8.self)) { $0 == "\t" }.utf8
    }

    /// The same with the ends of lines escaped, whatever the output is.
    func appendOnOneLine(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
        guard !Self.isHarmless(bytes) else {
            text += bytes
            return
        }
        let ends = "\n\r\u{B}\u{C}\u{85}\u{2028}\u{2029}".unicodeScalars
        let line = Excerpt.escaped(String(decoding: bytes, as: UTF8.self)) { !ends.contains($0) }
        append(Array(line.utf8)[...], to: &text)
    }

    private static func isHarmless(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
}

/// Writes a line of JSON for each match, for outputs beside those of other styles, and for terminals.
struct LineStyler: MatchStyler {
    let shown: ShownText
    private var line: [UInt8] = []

    init(shown: ShownText) {
        self.shown = shown
    }

    mutating func append(_ match: FieldItem, in items: [UInt8], to text: inout [UInt8]) {
        line.removeAll(keepingCapacity: true)
        match.appendLine(in: items, to: &line)
        shown.append(line.dropLast(), to: &text)
        text.append(UInt8(ascii: "\n"))
    }
}
