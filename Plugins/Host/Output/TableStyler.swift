internal import WeirFormats
internal import WeirRecords

/// Writes a table: a header, and a row for each match.
struct TableStyler: MatchStyler {
    let shown: ShownText

    /// Whether a cell that a spreadsheet would take for a formula begins with an apostrophe.
    let isSafe: Bool

    /// What is wrong with a table that has none of the columns of a match.
    static let foreignTable =
        "it is a table of something else, with none of the columns of the match; write to another file"

    private let columns: [String]

    /// Whether the table is of these matches: it begins with them, or one of them has a column of it.
    private var isOwnTable: Bool
    private var cells: NamedItems
    private var cell: [UInt8] = []
    private(set) var leftOut = LeftOutFields()
    private(set) var isForeign = false

    init(shown: ShownText, isSafe: Bool, columns: [String], header: [String]) {
        self.shown = shown
        self.isSafe = isSafe
        self.columns = columns
        isOwnTable = header.isEmpty
        cells = NamedItems(header, isForTable: true)
    }

    mutating func append(_ match: FieldItem, in items: [UInt8], to text: inout [UInt8]) {
        guard match.kind != .unreadable else { return leftOut.countUnreadable() }
        if cells.names.isEmpty { begin(with: match, in: items, to: &text) }
        cells.look(at: match, in: items)
        if isOwn { isOwnTable = true }
        guard isOwnTable else {
            isForeign = true
            return
        }
        leftOut.count(cells.others)
        for (index, item) in cells.found.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            cell.removeAll(keepingCapacity: true)
            switch item?.kind {
            case .none, .null: break
            case .array: item?.appendJSON(in: items, to: &cell)
            default: if let item { cell += items[item.content] }
            }
            appendCell(to: &text)
        }
        text.append(UInt8(ascii: "\n"))
    }

    /// Whether the last match has a column of the table; what all tables of matches have says nothing.
    private var isOwn: Bool {
        let common = ["time", "plugin"]
        return cells.others.allSatisfy(common.contains)
            || zip(cells.names, cells.found).contains { name, item in
                item != nil && !common.contains { $0.utf8.elementsEqual(name) }
            }
    }

    /// Appends the header: the columns that are known, and those of the first match.
    private mutating func begin(with match: FieldItem, in items: [UInt8], to text: inout [UInt8]) {
        cells.look(at: match, in: items)
        var names = columns
        for name in cells.others where !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            names.append(name)
        }
        cells.setNames(names)
        for (index, name) in names.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            cell = Array(name.utf8)
            appendCell(to: &text)
        }
        text.append(UInt8(ascii: "\n"))
    }

    private mutating func appendCell(to text: inout [UInt8]) {
        if isSafe { cell = Array(Self.guarded(String(decoding: cell, as: UTF8.self)).utf8) }
        if shown.isForTerminal {
            let bytes = cell[...]
            cell = []
            shown.append(bytes, to: &cell)
        }
        // A row with nothing in its only cell would be a blank line.
        CSVEncoder.append(cell, isQuoted: cell.isEmpty && cells.names.count == 1, to: &text)
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
}
