/// What of matches a table or a template has no place for.
struct LeftOutFields {
    /// How many matches have more fields than the table has columns.
    private(set) var matches: UInt64 = 0

    /// The names of such fields, up to a limit.
    private(set) var fields: Set<String> = []

    /// How many matches are no JSON objects, and have no fields at all.
    private(set) var unreadable: UInt64 = 0

    private static let limit = 20

    /// Counts a match whose fields of these names have no column.
    mutating func count(_ names: [String]) {
        guard !names.isEmpty else { return }
        matches += 1
        insert(names)
    }

    /// Counts a match that is no JSON object.
    mutating func countUnreadable() { unreadable += 1 }

    mutating func formUnion(_ other: LeftOutFields) {
        matches += other.matches
        unreadable += other.unreadable
        insert(other.fields)
    }

    private mutating func insert(_ names: some Sequence<String>) {
        for name in names where fields.count < Self.limit { fields.insert(name) }
    }

    /// Lines for people; none where all was written.
    var remarks: [String] {
        var remarks: [String] = []
        if matches > 0 {
            let names = fields.sorted().map { "'\($0)'" }.joined(separator: ", ")
            remarks.append(
                "the table has no columns for \(names), which \(Quantity.counted(matches, "match", "matches")) had; "
                    + "--output json keeps them"
            )
        }
        if unreadable > 0 {
            remarks.append(
                "\(Quantity.counted(unreadable, "match is no JSON object", "matches are no JSON objects")) and "
                    + "could not be written in this style; --output json keeps them"
            )
        }
        return remarks
    }
}
