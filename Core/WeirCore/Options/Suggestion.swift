/// Finds the name that somebody may have meant.
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
    package static func nearest(to given: String, among names: [String]) -> String? {
        let limit = max(1, given.count / 3)
        let ranked = names.map { (name: $0, distance: distance(given.lowercased(), $0.lowercased())) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.name }
        let longer = given.count < 2 ? [] : names.filter { $0.hasPrefix(given) }
        return longer.count == 1 ? longer.first : nil
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
