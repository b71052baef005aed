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

    /// The names of the objects around, each with its dot.
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
        var index = 0
        for item in FieldItems(in: items, list.content) {
            // Elements of a list are called by their places.
            let name = if case .array = list.kind { Array(String(index).utf8)[...] } else { items[item.name] }
            switch item.kind {
            case .object where !isForTable, .array where !isForTable:
                noteWhole(item, name)
                look(into: item, named: name, in: items)
            case .object: look(into: item, named: name, in: items)
            default: note(item, name)
            }
            index += 1
        }
    }

    private mutating func look(into list: FieldItem, named name: ArraySlice<UInt8>, in items: [UInt8]) {
        let length = path.count
        path += name
        if !path.isEmpty { path.append(UInt8(ascii: ".")) }
        look(into: list, in: items)
        path.removeLast(path.count - length)
    }

    private mutating func note(_ item: FieldItem, _ name: ArraySlice<UInt8>) {
        if expected >= names.count || !isName(expected, name) {
            guard let index = names.indices.first(where: { isName($0, name) }) else {
                if isForTable { others.append(String(decoding: path + name, as: UTF8.self)) }
                return
            }
            expected = index
        }
        if found[expected] == nil { found[expected] = item }
        expected += 1
    }

    /// Notes an object or a list that is wanted as a whole.
    private mutating func noteWhole(_ item: FieldItem, _ name: ArraySlice<UInt8>) {
        guard let index = names.indices.first(where: { isName($0, name) }), found[index] == nil else { return }
        found[index] = item
    }

    /// Whether one of the names is the path and a name.
    private func isName(_ index: Int, _ name: ArraySlice<UInt8>) -> Bool {
        let wanted = names[index]
        guard wanted.count == path.count + name.count else { return false }
        var place = 0
        for byte in path {
            guard wanted[place] == byte else { return false }
            place += 1
        }
        for byte in name {
            guard wanted[place] == byte else { return false }
            place += 1
        }
        return true
    }
}
