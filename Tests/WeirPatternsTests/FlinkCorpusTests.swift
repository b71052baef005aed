import Foundation
import Testing
import WeirPatterns

/// What Flink's engine does, case by case.
///
/// Reads the cases beside this file, or those of the folder that the environment variable `WEIR_CORPUS` names.
@Suite struct FlinkCorpusTests {
    enum Outcome: Equatable {
        case passed
        case failed(String)
        // Weir does not build what Flink builds.
        case refused(String)
    }

    static func cases() throws -> [CorpusCase] {
        let folder: URL
        if let path = ProcessInfo.processInfo.environment["WEIR_CORPUS"] {
            folder = URL(fileURLWithPath: path)
        } else {
            folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")
        }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "jsonl" }
            .sorted { $0.path < $1.path }
        return try files.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
                try JSONDecoder().decode(CorpusCase.self, from: Data(line.utf8))
            }
        }
    }

    static func outcome(of test: CorpusCase, _ strategy: StrategyChoice?) -> (Outcome, StrategyChoice) {
        let expected = CorpusRun(expectedOf: test)
        let found = CorpusRun(test, strategy)
        if found.agrees(with: expected) { return (.passed, found.strategy) }
        if found.phase == "build", expected.phase == nil { return (.refused(found.message), found.strategy) }
        return (.failed(difference(expected, found)), found.strategy)
    }

    private static func difference(_ expected: CorpusRun, _ found: CorpusRun) -> String {
        var parts: [String] = []
        if expected.phase != found.phase {
            parts.append("error \(found.phase ?? "none") (\(found.message)), not \(expected.phase ?? "none")")
        }
        for (what, expected, found) in [
            ("match", expected.matches, found.matches), ("timeout", expected.timeouts, found.timeouts),
        ] {
            for (item, count) in expected where found[item, default: 0] < count {
                parts.append("missing \(what) \(item)")
            }
            for (item, count) in found where expected[item, default: 0] < count {
                parts.append("extra \(what) \(item)")
            }
        }
        if expected.late != found.late { parts.append("late \(found.late), not \(expected.late)") }
        return parts.joined(separator: "; ")
    }

    /// Each case with the strategy that is chosen for it, and all of them with runs.
    @Test(arguments: [nil, StrategyChoice.runs])
    func everyCaseAgrees(strategy: StrategyChoice?) throws {
        var counts = (passed: 0, failed: 0, refused: 0, compact: 0)
        var problems: [String] = []
        for test in try Self.cases() {
            let (outcome, choice) = Self.outcome(of: test, strategy)
            if choice == .compact { counts.compact += 1 }
            switch outcome {
            case .passed: counts.passed += 1
            case .failed(let why):
                counts.failed += 1
                problems.append("failed \(test.id): \(why)")
            case .refused(let why):
                counts.refused += 1
                problems.append("refused \(test.id): \(why)")
            }
        }
        print(
            "corpus: \(counts.passed) passed, \(counts.failed) failed, \(counts.refused) refused",
            "(\(counts.compact) with the compact strategy)"
        )
        for problem in problems { print("corpus: \(problem)") }
        #expect(counts.passed > 0)
        #expect(problems.isEmpty)
    }
}
