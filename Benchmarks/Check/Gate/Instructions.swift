internal import Foundation

/// Compares the instructions of the hot paths with the baseline.
struct Instructions {
    /// More instructions than this, as a share of the baseline, fail.
    static let tolerance = 0.10

    let hotPaths: String
    let counter: InstructionCounter

    /// Instructions per event, in the order of the hot paths.
    func measure() throws -> [(name: String, value: Double)] {
        let list = try Program.run([hotPaths, "list"])
        return try list.text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let count = Int(words[1]) else {
                throw GateError(description: "'\(hotPaths) list' printed '\(line)'")
            }
            return (String(words[0]), try perEvent(String(words[0]), count))
        }
    }

    private func perEvent(_ name: String, _ count: Int) throws -> Double {
        let totals = try [count, 2 * count].map { count in
            guard let total = try counter.count([hotPaths, "run", name, "\(count)"]) else {
                throw GateError(description: "the hot path '\(name)' cannot be counted: it fails, or \(counter) does")
            }
            return total
        }
        return (totals[1] - totals[0]) / Double(count)
    }

    /// Prints each path beside its baseline.
    ///
    /// - Returns: A line for each path that fails.
    static func compare(_ measured: [(name: String, value: Double)], with baseline: Baseline) -> [String] {
        var failures: [String] = []
        for (name, value) in measured {
            guard let before = baseline.instructionsPerEvent[name] else {
                failures.append("'\(name)' has no baseline: run Benchmarks/check --write")
                continue
            }
            let change = value / before - 1
            let text = String(format: "%+.1f %%", change * 100)
            let verdict = change > tolerance ? "MORE" : change < -tolerance ? "fewer: write a new baseline" : ""
            print(row(name, before, value, "\(text) \(verdict)"))
            if change > tolerance {
                failures.append(
                    "'\(name)' executes \(text) instructions per event: \(number(value)) instead of \(number(before))"
                )
            }
        }
        for name in baseline.instructionsPerEvent.keys.sorted() where !measured.contains(where: { $0.name == name }) {
            failures.append("'\(name)' is in the baseline, and is no hot path any more: run Benchmarks/check --write")
        }
        return failures
    }

    static func row(_ name: String, _ before: Double?, _ now: Double, _ verdict: String) -> String {
        let columns = [before.map(number) ?? "", number(now)].map { text in
            String(repeating: " ", count: max(0, 10 - text.count)) + text
        }
        return name.padding(toLength: 28, withPad: " ", startingAt: 0) + columns.joined() + "  " + verdict
    }

    private static func number(_ value: Double) -> String { String(format: "%.2f", value) }
}
