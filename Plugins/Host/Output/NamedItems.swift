internal import WeirRecords

/// Finds fields of matches by their names; that of a field in an object in an object has dots, such as `previous.x`.
///
/// Complexity: O(1) for each field where matches have their fields in the order of the names.
struct NamedItems {
    /// What is looked for.
    private(set) var names: [[UInt8]] = []

    /// What the last match has under each of the names; the first of several.
    private(set) var found: [FieldItem?] = []

    /// The names that it has besides; only for tables.
    private(set) var others: [String] = []

    /// Whether a list is one field, so that its length makes no columns; otherwise each element has its index for a name.
    private let isForTable: Bool
    private var path: [UInt8] = []

    /// Where the next field is likely to be.
    private var expected = 0

    /// Looks for fields of these names.
    init(_ names: [String], isForTable: Bool) {
        self.isForTable = isForTable
        setNames(names)
    }

    mutating func setNames(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        found = names.map { _ in nil }
    }

    /// Looks through a match.
    mutating func look(at match: FieldItem, in items: [UInt8]) {
        for index in found.indices { found[index] = nil }
        if !others.isEmpty { others = [] }
        expected = 0
        look(into: match, in: items)
    }

    private mutating func look(into list: FieldItem, in items: [UInt8]) {
        let length = path.count
        var index = 0
        for item in FieldItems(in: items, list.content) {
            if length > 0 { path.append(UInt8(ascii: ".")) }
            if list.kind == .object { path += items[item.name] } else { path += String(index).utf8 }
            if item.kind == .object || item.kind == .array && !isForTable {
                look(into: item, in: items)
            } else {
                note(item)
            }
            path.removeLast(path.count - length)
            index += 1
        }
    }

    private mutating func note(_ item: FieldItem) {
        if expected >= names.count || names[expected] != path {
            guard let index = names.firstIndex(of: path) else {
                if isForTable { others.append(String(decoding: path, as: UTF8.self)) }
                return
            }
            expected = index
        }
        if found[expected] == nil { found[expected] = item }
        expected += 1
    }
}
