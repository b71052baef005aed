internal import WeirRecords

/// Fills the fields of each match into a template, one line of output each.
struct TemplateStyler: MatchStyler {
    /// A part of the template.
    private enum Part {
        case text([UInt8])
        /// The field of this index.
        case field(Int)
    }

    let shown: ShownText
    private let names: [String]
    private let parts: [Part]
    private var fields: NamedItems
    private(set) var missing: Set<String>
    private(set) var leftOut = LeftOutFields()

    init(shown: ShownText, pieces: [MatchStyle.Piece]) {
        self.shown = shown
        var names: [String] = []
        parts = pieces.map { piece in
            switch piece {
            case .text(let text): return .text(Array(text.utf8))
            case .field(let name):
                if let index = names.firstIndex(of: name) { return .field(index) }
                names.append(name)
                return .field(names.count - 1)
            }
        }
        self.names = names
        missing = Set(names)
        fields = NamedItems(names, isForTable: false)
    }

    mutating func append(_ match: FieldItem, in items: [UInt8], to text: inout [UInt8]) {
        guard match.kind != .unreadable else { return leftOut.countUnreadable() }
        fields.look(at: match, in: items)
        if !missing.isEmpty { for (name, item) in zip(names, fields.found) where item != nil { missing.remove(name) } }
        for part in parts {
            switch part {
            case .text(let bytes): text += bytes
            case .field(let index):
                guard let item = fields.found[index] else { continue }
                switch item.kind {
                case .null: break
                case .object, .array:
                    var json: [UInt8] = []
                    item.appendJSON(in: items, to: &json)
                    shown.appendOnOneLine(json[...], to: &text)
                default: shown.appendOnOneLine(items[item.content], to: &text)
                }
            }
        }
        text.append(UInt8(ascii: "\n"))
    }
}
