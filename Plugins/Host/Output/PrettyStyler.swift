internal import WeirRecords

/// Writes JSON over several lines, for people.
struct PrettyStyler: MatchStyler {
    let shown: ShownText
    let isColoured: Bool
    private var quoted: [UInt8] = []

    init(shown: ShownText, isColoured: Bool) {
        self.shown = shown
        self.isColoured = isColoured
    }

    mutating func append(_ match: FieldItem, in items: [UInt8], to text: inout [UInt8]) {
        if match.kind == .unreadable {
            shown.append(items[match.name], to: &text)
        } else {
            append(match, in: items, depth: 0, to: &text)
        }
        text.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ item: FieldItem, in items: [UInt8], depth: Int, to text: inout [UInt8]) {
        switch item.kind {
        case .object: appendList(item, ("{", "}"), in: items, depth: depth, to: &text)
        case .array: appendList(item, ("[", "]"), in: items, depth: depth, to: &text)
        case .text: appendQuoted(items[item.content], "32", to: &text)
        case .number: append(items[item.content], "36", to: &text)
        case .flag: append(items[item.content], "33", to: &text)
        case .null, .unreadable: append(Array("null".utf8)[...], "2", to: &text)
        }
    }

    private mutating func appendList(
        _ list: FieldItem,
        _ brackets: (String, String),
        in items: [UInt8],
        depth: Int,
        to text: inout [UInt8]
    ) {
        text += brackets.0.utf8
        for item in FieldItems(in: items, list.content) {
            text += (item.start == list.content.lowerBound ? "\n" : ",\n").utf8
            text += repeatElement(UInt8(ascii: " "), count: 2 * depth + 2)
            if list.kind == .object {
                appendQuoted(items[item.name], "34", to: &text)
                text += ": ".utf8
            }
            append(item, in: items, depth: depth + 1, to: &text)
        }
        if !list.content.isEmpty {
            text.append(UInt8(ascii: "\n"))
            text += repeatElement(UInt8(ascii: " "), count: 2 * depth)
        }
        text += brackets.1.utf8
    }

    private mutating func appendQuoted(_ bytes: ArraySlice<UInt8>, _ colour: String, to text: inout [UInt8]) {
        quoted.removeAll(keepingCapacity: true)
        JSONWriter.append(bytes, to: &quoted)
        append(quoted[...], colour, to: &text)
    }

    private func append(_ bytes: ArraySlice<UInt8>, _ colour: String, to text: inout [UInt8]) {
        if isColoured { text += "\u{1B}[\(colour)m".utf8 }
        shown.append(bytes, to: &text)
        if isColoured { text += "\u{1B}[0m".utf8 }
    }
}
