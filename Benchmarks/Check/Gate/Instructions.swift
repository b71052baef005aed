internal import Foundation

/// Compares the instructions of the hot paths, and their ratios to the limit, with the baseline.
struct Instructions {
    /// More than this above the baseline fails, as a share of it.
    static let tolerance = 0.10

    let hotPaths: String
    let counter: InstructionCounter

    /// Instructions per event, in the order of the hot paths.
    func measure() throws -> [(name: String, cost: Baseline.Cost)] {
        let list = try Program.run([hotPaths, "list"])
        return try list.text.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2, let count = Int(words[1]) else {
                throw GateError(description: "'\(hotPaths) list' printed '\(line)'")
            }
            try compareResults(words[0], count)
            let cost = Baseline.Cost(
                instructions: try perEvent("run", words[0], count),
                byHand: try perEvent("by-hand", words[0], count)
            )
            return (words[0], cost)
        }
    }

    /// The limit is one only when it does the same work.
    private func compareResults(_ name: String, _ count: Int) throws {
        let results = try ["run", "by-hand"].map { way in
            try Program.run([hotPaths, way, name, "\(count)"]).text.split { $0.isWhitespace }.compactMap { Double($0) }
        }
        guard results.allSatisfy({ $0.count == 2 }), results[0][0] == results[1][0],
            abs(results[0][1] - results[1][1]) <= 1e-9 * abs(results[1][1])
        else {
            throw GateError(description: "'\(name)' comes to \(results[0]), and to \(results[1]) by hand")
        }
    }

    private func perEvent(_ way: String, _ name: String, _ count: Int) throws -> Double {
        let totals = try [count, 2 * count].map { count in
            guard let total = try counter.count([hotPaths, way, name, "\(count)"]) else {
                throw GateError(description: "'\(name)' (\(way)) cannot be counted: it fails, or \(counter) does")
            }
            return total
        }
        return (totals[1] - totals[0]) / Double(count)
    }

    /// Prints each path beside its baseline.
    ///
    /// - Returns: A line for each path that fails.
    static func compare(_ measured: [(name: String, cost: Baseline.Cost)], with baseline: Baseline) -> [String] {
        var failures: [String] = []
        print(row("", ["before", "now", "", "by hand", "ratio", "now", ""]))
        for (name, now) in measured {
            guard let before = baseline.hotPaths[name] else {
                failures.append("'\(name)' has no baseline: run Benchmarks/check --write")
                continue
            }
            let changes = [now.instructions / before.instructions - 1, now.ratio / before.ratio - 1]
            let columns = [
                number(before.instructions), number(now.instructions), percent(changes[0]),
                number(now.byHand), number(before.ratio), number(now.ratio), percent(changes[1]),
            ]
            let isMore = changes.contains { $0 > tolerance }
            let isFewer = changes.contains { $0 < -tolerance }
            print(row(name, columns) + (isMore ? "  MORE" : isFewer ? "  fewer: write a new baseline" : ""))
            if changes[0] > tolerance {
                let counts = "\(number(now.instructions)) instead of \(number(before.instructions))"
                failures.append("'\(name)' executes \(percent(changes[0])) instructions per event: \(counts)")
            }
            if changes[1] > tolerance {
                let ratios = "\(number(now.ratio)) instead of \(number(before.ratio))"
                failures.append("'\(name)' has moved away from its limit: \(ratios) times its instructions")
            }
        }
        for name in baseline.hotPaths.keys.sorted() where !measured.contains(where: { $0.name == name }) {
            failures.append("'\(name)' is in the baseline, and is no hot path any more: run Benchmarks/check --write")
        }
        if !failures.isEmpty {
            failures.append(
                "what is wanted becomes the baseline by Benchmarks/check --write, with the reason in the commit"
            )
        }
        return failures
    }

    /// A new baseline beside what it replaces.
    static func list(_ measured: [(name: String, cost: Baseline.Cost)], replacing baseline: Baseline?) {
        print(row("", ["before", "now", "by hand", "ratio"]))
        for (name, cost) in measured {
            let before = baseline?.hotPaths[name].map { number($0.instructions) } ?? "-"
            print(row(name, [before, number(cost.instructions), number(cost.byHand), number(cost.ratio)]))
        }
    }

    private static func row(_ name: String, _ columns: [String]) -> String {
        let texts = columns.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
        return name.padding(toLength: 28, withPad: " ", startingAt: 0) + texts.joined()
    }

    private static func number(_ value: Double) -> String { String(format: "%.2f", value) }
    private static func percent(_ change: Double) -> String { String(format: "%+.1f %%", change * 100) }
}
