internal import Foundation

/// `RESULTS.md`: a section for each suite, which says on what and when it was measured, since suites can be measured
/// apart.
public struct ResultsFile: Sendable {
    private let path: String
    private let order: [String]

    private static let heading = """
        # Results

        Written by `Benchmarks/run --write`. A ratio divides a row by the one named beside it, round by round; medians
        and ranges are over the rounds. Rows in *italics* are peers: other libraries and programs that do the work of the
        row beside them. What the rows are, and how to read the figures, is in [README.md](README.md). A load above the
        number of cores means that other work ran beside: then the ratios say more than the figures.

        ![Nanoseconds per event against the length of windows, partial matches, keys, subscribers and threads](RESULTS.svg)

        """

    /// Names a file.
    ///
    /// - Parameters:
    ///   - path: Where it is; it need not be there yet.
    ///   - order: The suites in the order of their sections; a section of another suite is dropped.
    public init(_ path: String, order: [String]) {
        self.path = path
        self.order = order
    }

    /// Puts a section into the file and leaves those of other suites as they are.
    ///
    /// - Parameters:
    ///   - suite: Whose section.
    ///   - rows: Its rows.
    ///   - load: How many programs wanted a core before the suite ran, where the system tells.
    /// - Throws: When the file cannot be written.
    public func update(_ suite: String, _ rows: [Row], loadBefore load: Double?) throws {
        var texts = sections
        texts[suite] = Self.section(rows, load)
        let all = order.compactMap { suite in texts[suite].map { "\n## \(suite)\n\n\($0)" } }
        try Data((Self.heading + all.joined()).utf8).write(to: URL(filePath: path), options: .atomic)
    }

    private static func section(_ rows: [Row], _ load: Double?) -> String {
        let rounds = rows.map(\.rounds).max() ?? 0
        let facts = Machine.facts(loadBefore: load)
        return "\(facts.date); \(rounds) \(rounds == 1 ? "round" : "rounds"); \(facts.rest)\n\n\(MarkdownTable(rows))\n"
    }

    private var sections: [String: String] {
        guard let file = try? String(contentsOfFile: path, encoding: .utf8) else { return [:] }
        var texts: [String: String] = [:]
        for part in file.components(separatedBy: "\n## ").dropFirst() {
            let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard let suite = lines.first, lines.count == 2 else { continue }
            texts[String(suite)] = lines[1].trimmingCharacters(in: .newlines) + "\n"
        }
        return texts
    }
}
