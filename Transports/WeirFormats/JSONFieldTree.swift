internal import WeirCore
internal import WeirRecords

/// The wanted names of a schema, level by level: `user.name` wants the member `name` of the member `user`.
///
/// Such a name also wants a member that has the dot in its own name, as flattened records do. `acc.0` wants the first
/// element where `acc` is an array, too.
struct JSONFieldTree: Sendable {
    /// A name that is wanted of the objects of a level.
    struct Entry: Sendable {
        /// Where the name starts in `names`.
        let start: Int

        /// How many bytes it has, without the quote behind it.
        let length: Int

        /// The first field that wants the value, or -1.
        var field: Int

        /// The level of the objects in which more is wanted, or -1.
        var level: Int

        /// The index of an element that the name stands for in an array, or -1.
        let index: Int
    }

    /// The names one after the other, each with the quote that closes it, so that comparing finds the end as well.
    private(set) var names: [UInt8] = []

    /// The entries, those of a level side by side.
    private(set) var entries: [Entry] = []

    /// For each field the next one with the same name, or -1.
    private(set) var nextFields: [Int] = []

    /// Where the entries of each level start, and at last where they all end.
    private var levelStarts: [Int] = [0]

    var levelCount: Int { levelStarts.count - 1 }

    /// - Parameters:
    ///   - schema: What is wanted.
    ///   - hasPaths: Whether a dot leads into objects, and is not just a part of a name.
    init(_ schema: RecordSchema, hasPaths: Bool = true) {
        var levels: [[(name: String, field: Int, level: Int)]] = [[]]
        var places: [[String: Int]] = [[:]]

        func place(of name: String, in level: Int) -> Int {
            if let place = places[level][name] { return place }
            levels[level].append((name, -1, -1))
            places[level][name] = levels[level].count - 1
            return levels[level].count - 1
        }

        // By name, the last field that has it.
        var last: [String: Int] = [:]
        for (index, field) in schema.fields.enumerated() {
            nextFields.append(-1)
            // The first field of a name stands for the others.
            if let before = last.updateValue(index, forKey: field.name) {
                nextFields[before] = index
                continue
            }
            levels[0][place(of: field.name, in: 0)].field = index
            let parts = field.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard hasPaths, parts.count > 1, !parts.contains("") else { continue }
            var level = 0
            for part in parts.dropLast() {
                let place = place(of: part, in: level)
                if levels[level][place].level < 0 {
                    levels[level][place].level = levels.count
                    levels.append([])
                    places.append([:])
                }
                level = levels[level][place].level
            }
            levels[level][place(of: parts[parts.count - 1], in: level)].field = index
        }

        for level in levels {
            for (name, field, child) in level {
                let index = Int(name).flatMap { $0 >= 0 && String($0) == name ? $0 : nil } ?? -1
                entries.append(
                    Entry(start: names.count, length: name.utf8.count, field: field, level: child, index: index)
                )
                names.append(contentsOf: name.utf8)
                names.append(UInt8(ascii: "\""))
            }
            levelStarts.append(entries.count)
        }
    }

    /// The entries of a level.
    func entries(of level: Int) -> ArraySlice<Entry> {
        entries[levelStarts[level]..<levelStarts[level + 1]]
    }

    /// The entry of a name, or -1.
    func entry(named name: UnsafePointer<UInt8>, length: Int, level: Int) -> Int {
        for index in levelStarts[level]..<levelStarts[level + 1] {
            if unsafe entries[index].length == length && isEqual(name, index, length) { return index }
        }
        return -1
    }

    /// The entry of an element of an array, or -1.
    func entry(ofElement element: Int, level: Int) -> Int {
        for index in levelStarts[level]..<levelStarts[level + 1] where entries[index].index == element { return index }
        return -1
    }

    /// Whether the first bytes of an entry's name are these.
    @inline(__always)
    func isEqual(_ text: UnsafePointer<UInt8>, _ entry: Int, _ length: Int) -> Bool {
        let start = entries[entry].start
        for index in 0..<length where unsafe text[index] != names[start &+ index] { return false }
        return true
    }
}
