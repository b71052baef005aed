internal import Comparing
internal import Foundation

/// `RESULTS.md`: a section for each suite, which says on what and when it was measured, since suites can be measured
/// apart.
enum ResultsFile {
    struct Section {
        let suite: String
        let text: String
    }

    private static let path = "RESULTS.md"
    private static let heading = """
        # Results

        Written by `Benchmarks/run --write`. A ratio divides a row by the one named beside it, round by round; medians
        and ranges are over the rounds. What the rows are, and what to make of the figures, is in
        [README.md](README.md). A load above the number of cores means that other work ran beside: then the ratios
        say more than the figures.

        """

    static func section(_ suite: String, _ comparisons: [Comparison], rounds: Int, load: Double?) -> Section {
        let date = Date().formatted(.iso8601.year().month().day())
        let loads = [load, Machine.load].map { $0.map { String(format: "%.1f", $0) } ?? "unknown" }
        let facts = [
            date, "\(rounds) rounds", "load \(loads[0]) before and \(loads[1]) after", Machine.description,
            Machine.compiler, Machine.revision.map { "revision \($0)" },
        ]
        let text = "\(facts.compactMap(\.self).joined(separator: "; "))\n\n\(MarkdownTable(comparisons))\n"
        return Section(suite: suite, text: text)
    }

    /// Puts a section into the file and leaves those of other suites as they are.
    ///
    /// - Parameters:
    ///   - section: The section.
    ///   - order: All suites, in the order of their sections; those that there are no more are dropped.
    /// - Throws: When the file cannot be written.
    static func update(_ section: Section, order: [String]) throws {
        var texts = readSections()
        texts[section.suite] = section.text
        let sections = order.compactMap { suite in texts[suite].map { "\n## \(suite)\n\n\($0)" } }
        try Data((heading + sections.joined()).utf8).write(to: URL(filePath: path), options: .atomic)
    }

    private static func readSections() -> [String: String] {
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
