/// Finds the names that somebody may have meant.
enum NearestNames {
    /// The names that differ least from what was written, at most three; none where all differ much.
    static func of(_ given: String, among names: [String]) -> [String] {
        let limit = max(1, given.count / 3)
        let ranked = names.map { (name: $0, distance: distance(given.lowercased(), $0.lowercased())) }
            .filter { $0.distance <= limit || (given.count > 1 && $0.name.hasPrefix(given)) }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return ranked.prefix(3).map(\.name)
    }

    /// How many letters must be added, dropped or changed to get from one text to the other (Levenshtein, 1966).
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var next = [row + 1]
            for column in other.indices {
                let change = last[column] + (letter == other[column] ? 0 : 1)
                next.append(min(change, min(last[column + 1], next[column]) + 1))
            }
            last = next
        }
        return last[other.count]
    }
}
