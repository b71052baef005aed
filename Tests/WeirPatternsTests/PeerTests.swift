import Foundation
import Testing
import WeirPatternDefinitions
import WeirPatterns

/// Cases from the test suites of Apache Flink's and Siddhi's pattern engines, read from a folder beside the package.
///
/// Without that folder, `../shared/peers`, there is nothing to check, and the tests say so.
@Suite struct PeerTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The cases of Siddhi's that mean something else here, with the sentence that says so and where it stands.
    static let differences = [
        "siddhi.Count13": "A loop at the end is a match with each event that it takes",
        "siddhi.Logical5": "In `allOf` no event counts for two of those that are missing",
    ]

    static func cases(_ name: String) throws -> [PeerCase]? {
        let file = root.appendingPathComponent("../shared/peers/\(name).json").standardized
        guard FileManager.default.fileExists(atPath: file.path) else {
            print("peers: skipped, as there is no \(file.path)")
            return nil
        }
        return try JSONDecoder().decode([PeerCase].self, from: Data(contentsOf: file))
    }

    /// What is wrong with a case; empty if nothing is.
    static func problems(_ test: PeerCase) -> [String] {
        let pattern: DynamicPattern<PeerEvent>
        do {
            pattern = try DynamicPattern(test.definition, over: PeerEvent.schema)
        } catch {
            return test.expectInvalid == true ? [] : ["refused: \(error)"]
        }
        guard test.expectInvalid != true else { return ["is not refused"] }
        var problems: [String] = []
        let isCompact = (try? pattern.explain().strategy) == .compact
        for strategy in isCompact ? [StrategyChoice.runs, .compact] : [.runs] {
            problems += Self.problems(test, PeerRun(test, pattern, strategy)).map { "\(strategy): \($0)" }
        }
        return problems
    }

    static func problems(_ test: PeerCase, _ run: PeerRun) -> [String] {
        var problems: [String] = []
        func check<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value?) {
            if let expected, found != expected { problems.append("\(what) \(found), not \(expected)") }
        }
        if test.expectException == true {
            if run.failure == nil { problems.append("does not fail") }
            return problems
        }
        check("failure", run.failure, .some(nil))
        let matches = test.once == true ? Array(run.matches.prefix(1)) : run.matches
        if let expected = test.expected {
            let isByIndex = expected.contains { $0.contains { if case .index = $0 { true } else { false } } }
            let found = matches.map { match in
                match.events.map { isByIndex ? "\($0.index)" : $0.key }.sorted().joined(separator: " ")
            }
            check(
                "matches",
                found.sorted(),
                expected.map { $0.map(\.description).sorted().joined(separator: " ") }.sorted()
            )
        }
        let ids = matches.map { match in match.events.map(\.id).sorted() }
        check(
            "matches",
            ids.map(\.description).sorted(),
            test.expectedIds.map { $0.map { $0.sorted().description }.sorted() }
        )
        check("number of matches", matches.count, test.expectedCount)
        let timeouts = run.timeouts.map { PeerCase.Timeout(match: $0.match.mapValues { $0.map(\.key) }, ts: $0.time) }
        check("timeouts", counted(timeouts), test.timeouts.map(counted))
        let starts = run.timeouts.compactMap { timeout in
            timeout.match.values.flatMap(\.self).min { ($0.ts, $0.index) < ($1.ts, $1.index) }?.key
        }
        check("starts of timeouts", starts.sorted(), test.timeoutStarts?.sorted())
        let pending = run.matches.filter(\.isPending).map { $0.stages.mapValues { $0.map(\.key) } }
        check("matches of time", counted(pending), test.pending.map(counted))
        if test.pending != nil { check("number of matches", run.matches.count, test.pending?.count) }
        // The compact strategy counts nodes, also those that lead nowhere any more.
        if test.noPartials == true, run.strategy == .runs { check("partial matches", run.partials, 0) }
        return problems
    }

    static func counted<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
        values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test(arguments: [("flink-cep", 257), ("siddhi", 72)])
    func everyCaseOfAPeerAgrees(name: String, count: Int) throws {
        guard let cases = try Self.cases(name) else { return }
        #expect(cases.count == count)
        var differing: Set<String> = []
        for test in cases {
            let checks = [
                test.expected != nil, test.expectedIds != nil, test.expectedCount != nil, test.timeouts != nil,
                test.timeoutStarts != nil, test.pending != nil, test.noPartials != nil, test.expectException != nil,
                test.expectInvalid != nil,
            ]
            #expect(checks.contains(true), "\(test.id) expects nothing")
            let problems = Self.problems(test)
            if Self.differences[test.id] != nil {
                differing.insert(test.id)
                #expect(!problems.isEmpty, "\(test.id) does not differ any more")
            } else {
                #expect(problems.isEmpty, "\(test.id): \(problems)")
            }
        }
        #expect(differing == Set(Self.differences.keys.filter { $0.hasPrefix(name) }))
    }

    @Test func whatDiffersIsDocumented() throws {
        let file = Self.root.appendingPathComponent("Operators/WeirPatterns/Plan/PatternPlan.swift")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let words = lines.map { $0.drop { $0 == "/" || $0 == " " || $0 == "-" } }.joined(separator: " ")
        for (id, sentence) in Self.differences { #expect(words.contains(sentence), "\(id)") }
    }
}
