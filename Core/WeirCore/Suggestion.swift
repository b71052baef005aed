/// Finds the name that was probably meant.
package enum Suggestion {
    /// Words that suggest a name, such as `; did you mean 'shake'?`.
    ///
    /// - Parameters:
    ///   - given: What was written.
    ///   - names: What there is.
    ///   - prefix: What stands before a name, such as `--`.
    ///   - fallback: What to say where nothing is near; where it is empty, nothing is said.
    /// - Returns: The words with the punctuation before them; empty where there is nothing to say.
    package static func text(
        for given: String,
        among names: [String],
        prefix: String = "",
        otherwise fallback: String = ""
    ) -> String {
        guard let nearest = nearest(to: given, among: names) else { return fallback.isEmpty ? "" : "; \(fallback)" }
        return "; did you mean '\(prefix)\(nearest)'?"
    }

    /// The name that differs least from what was written; `nil` where all differ much.
    ///
    /// Of those that differ as little, one with the same first letter comes first: people seldom mistype that.
    package static func nearest(to given: String, among names: [String]) -> String? {
        func rank(_ other: (name: String, distance: Int)) -> (Int, Int) {
            (other.distance, other.name.first == given.first ? 0 : 1)
        }
        if let best = ranked(names, by: given).min(by: { rank($0) < rank($1) }) { return best.name }
        let longer = given.count < 2 ? [] : names.filter { $0.hasPrefix(given) }
        return longer.count == 1 ? longer.first : nil
    }

    /// The names that differ least from what was written, or continue it, at most three; none where all differ much.
    package static func nearestNames(to given: String, among names: [String]) -> [String] {
        let near = ranked(names, by: given)
        let longer =
            given.count < 2
            ? []
            : names.filter { name in
                name.hasPrefix(given) && !near.contains { $0.name == name }
            }
        // What was written is short of these by the letters that follow.
        return (near + longer.map { ($0, $0.count - given.count) })
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .prefix(3)
            .map(\.name)
    }

    /// The names that differ little from what was written.
    private static func ranked(_ names: [String], by given: String) -> [(name: String, distance: Int)] {
        let limit = max(1, given.count / 3)
        // Texts differ by at least the difference of their lengths; what is far longer needs no comparison.
        return names.filter { abs($0.count - given.count) <= limit }
            .map { (name: $0, distance: distance(given.lowercased(), $0.lowercased())) }
            .filter { $0.distance <= limit }
    }

    /// How many letters must be added, dropped, changed or swapped with their neighbour to get from one text to the
    /// other.
    package static func distance(_ one: String, _ other: String) -> Int {
        let from = Array(one)
        let to = Array(other)
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in from.indices {
            var next = [row + 1]
            for column in to.indices {
                var least = min(last[column + 1], next[column]) + 1
                least = min(least, last[column] + (from[row] == to[column] ? 0 : 1))
                if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                next.append(least)
            }
            beforeLast = last
            last = next
        }
        return last[to.count]
    }
}
