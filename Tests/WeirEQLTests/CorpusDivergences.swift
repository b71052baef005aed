import Foundation
import Testing
import WeirEQL
import WeirQueries
import WeirRecords

/// Where the reference implementation is not what Elasticsearch documents: with queries and events written so that both
/// mean the same, the answers are equal again.
///
/// The kinds of divergences that are not here: `parser-level` and most of `construct-not-in-es` are about what is refused,
/// which `CorpusParsingTests.rowsOfTheOracle` checks row by row.
@Suite(.enabled(if: !CorpusCase.folders.isEmpty, "the folder with the corpora is missing"))
struct CorpusDivergences {
    /// What is written otherwise for a divergence.
    private static let translations: [String: @Sendable (inout CorpusCase) -> Void] = [
        // The reference compares without case: everything in small letters.
        "reference-case-insensitive": { $0.lowercase() },
        // There a missing value is a key like another one: an optional field.
        "null-join-key": { $0.makeKeysOptional() },
        // There an expression matches at the start: anything may follow.
        "regex-anchoring": { $0.openExpressions() },
        // There remainders have the sign of the divisor, which is positive in all cases.
        "integer-rounding": { $0.makeRemaindersPositive() },
    ]

    /// Queries that the two read otherwise, and why.
    private static func isUnlike(_ each: CorpusCase) -> Bool {
        // The reference counts the elements of a list; to Elasticsearch, a field with several texts has their lengths.
        each.query.contains("length(args)")
    }

    @Test
    func translatedCasesAreEqual() throws {
        var counts: [String: Int] = [:]
        for each in try CorpusCase.all(in: "oracle.jsonl") where each.matches != nil && !each.divergences.isEmpty {
            guard each.divergences.allSatisfy({ Self.translations[$0] != nil }) else { continue }
            var translated = each
            for divergence in each.divergences.sorted() {
                Self.translations[divergence]?(&translated)
                counts[divergence, default: 0] += 1
            }
            let found = translated.identifiers(try translated.run())
            #expect(found == each.matches, "\(each.id): \(translated.query)")
        }
        for divergence in Self.translations.keys { #expect(counts[divergence, default: 0] > 2, "\(divergence)") }
    }

    /// Extensions that the reference has too: comparisons of fields, pipes, and wildcards, which Elasticsearch writes
    /// otherwise.
    @Test
    func extensionsAreEqual() throws {
        var (checked, counted) = (0, 0)
        for each in try CorpusCase.all(in: "oracle.jsonl") where each.divergences.contains("construct-not-in-es") {
            guard each.divergences.allSatisfy({ $0 == "construct-not-in-es" || Self.translations[$0] != nil }) else {
                continue
            }
            var translated = each
            for divergence in each.divergences.sorted() { Self.translations[divergence]?(&translated) }
            if each.tags.contains("wildcard-eq") { translated.writeWildcards() }
            // What is refused is checked elsewhere.
            guard !Self.isUnlike(each), let results = try? translated.run() else { continue }
            if let matches = each.matches {
                #expect(translated.identifiers(results) == matches, "\(each.id): \(translated.query)")
                checked += 1
            } else if let stats = (each.expected as? [String: Any])?["stats"] as? [[String: Any]] {
                #expect(Self.counts(results) == Self.counts(stats), "\(each.id): \(translated.query)")
                counted += 1
            }
        }
        #expect(checked > 100 && counted > 10, "\(checked) and \(counted) cases")
    }

    /// The counts of values, as texts.
    private static func counts(_ rows: [[String: Any]]) -> [String] {
        rows.filter { ($0["count"] as? Int ?? 0) > 0 }
            .map { row in
                let values = row["key"] as? [Any] ?? [row["key"] ?? "nothing"]
                // The reference writes a missing value as an empty text.
                let key = values.map { $0 is NSNull ? "" : "\($0)".lowercased() }.joined(separator: ", ")
                return "\(values.isEmpty ? "totals" : key): \(row["count"] ?? 0)"
            }
    }

    /// A sample has one combination of different events for each value of its keys, where there is one.
    @Test
    func samplesAreOneCombinationForEachKey() throws {
        var (checked, keyCount) = (0, 0)
        for each in try CorpusCase.all(in: "oracle.jsonl") where each.divergences.contains("sample-semantics") {
            let plan = try EQL().compile(each.query, against: CorpusCase.schema())
            guard case .sample(let steps) = plan.situation else {
                Issue.record("\(each.id) is no sample")
                continue
            }
            // By step and key the events that satisfy the step.
            var candidates: [[String: [Int]]] = []
            for step in steps {
                let single = QueryPlan(
                    fields: plan.fields,
                    situation: .event(QueryPlan.Step(category: step.category, condition: step.condition))
                )
                let satisfying = Set(each.identifiers(try each.run(single)).joined())
                var byKey: [String: [Int]] = [:]
                for event in each.events {
                    guard let id = event["id"] as? Int, satisfying.contains(id) else { continue }
                    if let key = Self.key(of: event, step, plan) { byKey[key, default: []].append(id) }
                }
                candidates.append(byKey)
            }
            let expected = Set(
                candidates[0].keys.filter { key in Self.hasCombination(candidates.map { $0[key] ?? [] }) }
            )
            var found: [String] = []
            for match in each.identifiers(try each.run()) {
                #expect(Set(match).count == steps.count, "\(each.id): \(match) has an event twice")
                let keys = candidates[0].keys.filter { key in
                    zip(candidates, match).allSatisfy { candidates, id in candidates[key]?.contains(id) ?? false }
                }
                #expect(keys.count == 1, "\(each.id): \(match) does not satisfy the steps with one key")
                found += keys
            }
            #expect(found.sorted() == expected.sorted(), "\(each.id): \(each.query)")
            checked += 1
            keyCount += expected.count
        }
        #expect(checked >= 35 && keyCount > 20, "\(checked) cases, \(keyCount) keys")
    }

    /// The values of an event that a step has as its keys; `nil` where one is missing.
    private static func key(of event: [String: Any], _ step: QueryPlan.Step, _ plan: QueryPlan) -> String? {
        var values: [String] = []
        for key in step.keys {
            let value = event[plan.fields[key.field].name]
            if value == nil || value is NSNull {
                guard key.acceptsMissing else { return nil }
                values.append("-")
            } else {
                values.append("\(value ?? "")")
            }
        }
        return values.joined(separator: " ")
    }

    /// Whether there is a different event for each step.
    private static func hasCombination(_ candidates: [[Int]], _ used: Set<Int> = []) -> Bool {
        guard let first = candidates.first else { return true }
        return first.contains { id in
            !used.contains(id) && hasCombination(Array(candidates.dropFirst()), used.union([id]))
        }
    }
}

extension CorpusCase {
    fileprivate mutating func lowercase() {
        query.replace(/"(?:[^"\\]|\\.)*"/) { $0.output.lowercased() }
        events = events.map { $0.mapValues(Self.lowercased) }
    }

    private static func lowercased(_ value: Any) -> Any {
        switch value {
        case let text as String: text.lowercased()
        case let values as [Any]: values.map(lowercased)
        case let members as [String: Any]: members.mapValues(lowercased)
        default: value
        }
    }

    fileprivate mutating func makeKeysOptional() {
        query.replace(/\bby ([\w.?]+(?:, *[\w.?]+)*)/) { match in
            let names = match.output.1.split(separator: ",").map { $0.drop { $0 == " " || $0 == "?" } }
            return "by " + names.map { "?" + $0 }.joined(separator: ", ")
        }
    }

    fileprivate mutating func openExpressions() {
        lowercase()
        query.replace(/regex~? (?:"(?:[^"\\]|\\.)*"|\([^)]*"\))/) { match in
            // It also has anchors, which are letters to Lucene.
            match.output.replacing(/"\^?((?:[^"\\]|\\.)*?)(\$?)"/) { match in
                "\"(\(match.output.1))\(match.output.2.isEmpty ? ".*" : "")\""
            }
        }
    }

    fileprivate mutating func makeRemaindersPositive() {
        query.replace(/(\w+) % (\d+)/) { "((\($0.output.1) % \($0.output.2) + \($0.output.2)) % \($0.output.2))" }
    }

    fileprivate mutating func writeWildcards() {
        lowercase()
        query.replace(/([\w.]+) == ("[^"]*\*[^"]*")/) { "\($0.output.1) : \($0.output.2)" }
        query.replace(/([\w.]+) != ("[^"]*\*[^"]*")/) { "not (\($0.output.1) : \($0.output.2))" }
    }
}
