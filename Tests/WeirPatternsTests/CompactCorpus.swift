import Foundation
import WeirCore

@testable import WeirPatterns

/// A case of the corpus, as far as the compact strategy is concerned: its conditions look at one event only.
struct CompactCorpusCase {
    struct Event: Sendable {
        var index: Int
        var time: Int64
        var type: String
        var value: Double
        var key: Int
    }

    /// What came out at one moment.
    struct Output: Hashable, CustomStringConvertible {
        var kind: String
        var moment: String
        var content: String

        var description: String { "\(kind) \(moment) \(content)" }
    }

    let id: String
    let plan: PatternPlan
    let conditions: ConditionTable<Event>
    let events: [Event]
    let expected: [Output]

    /// Reads a case; fails if it says that the pattern is an error, comes out of order, or looks at captured events.
    ///
    /// - Parameter line: One line of a corpus file.
    /// - Throws: If the line is no JSON.
    init?(_ line: Substring) throws {
        guard let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let id = json["id"] as? String, json["error"] == nil, json["watermarks"] == nil,
            let pattern = json["pattern"] as? [String: Any], let stages = pattern["stages"] as? [[String: Any]],
            let events = json["events"] as? [[String: Any]]
        else { return nil }
        self.id = id
        var reader = PlanReader()
        let plannedStages = try stages.map { try reader.stage($0) }
        guard !reader.looksBack, pattern["withinType"] as? String != "previousAndCurrent" else { return nil }
        let skip = (pattern["afterMatchSkip"] as? [String: Any])?["strategy"] as? String ?? "none"
        plan = PatternPlan(
            stages: plannedStages,
            captures: reader.names,
            conditions: reader.texts.map { PlanCondition(captures: [], text: $0) },
            within: (pattern["within"] as? Int).map { Int64($0) * 1_000_000 },
            afterMatch: skip == "none" ? .noSkip : .skipToNext,
            selection: .all
        )
        conditions = reader.conditions
        self.events = events.enumerated().map { index, event in
            Event(
                index: index,
                time: Int64(event["ts"] as? Int ?? 0),
                type: event["type"] as? String ?? "",
                value: (event["value"] as? NSNumber)?.doubleValue ?? 0,
                key: event["key"] as? Int ?? 0
            )
        }
        let matches = json["matches"] as? [[String: [Int]]] ?? []
        let moments = json["matchAt"] as? [String] ?? []
        let timeouts = json["timeouts"] as? [[String: Any]] ?? []
        expected =
            zip(matches, moments).map { Output(kind: "match", moment: $1, content: Self.text($0)) }
            + timeouts.map { timeout in
                let time = (timeout["timestamp"] as? NSNumber)?.int64Value ?? 0
                return Output(
                    kind: "timeout \(time)",
                    moment: timeout["at"] as? String ?? "",
                    content: Self.text(timeout["match"] as? [String: [Int]] ?? [:])
                )
            }
    }

    static func text(_ match: [String: [Int]]) -> String {
        match.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    static func text(_ match: borrowing FoundMatch<Event>, _ plan: PatternPlan) -> String {
        var captured: [String: [Int]] = [:]
        for entry in match.entries { captured[plan.captures[entry.capture], default: []].append(entry.element.index) }
        return text(captured)
    }
}

/// Makes stages and conditions of what a case says.
private struct PlanReader {
    var names: [String] = []
    var texts: [String] = []
    var conditions = ConditionTable<CompactCorpusCase.Event>()
    var looksBack = false

    mutating func stage(_ json: [String: Any]) throws -> PlanStage {
        let contiguity = Contiguity(rawValue: json["contiguity"] as? String ?? "") ?? .first
        let content: PlanStage.Content
        let name = json["name"] as? String ?? "group \(names.count)"
        if let group = json["group"] as? [[String: Any]] {
            content = .group(try group.map { try stage($0) })
        } else {
            names.append(name)
            let capture = names.count - 1
            content = .event(capture: capture, conditions: add(json["where"] as? [String: Any]).map { [$0] } ?? [])
        }
        if json["within"] != nil { looksBack = true }
        var quantifier = PlanQuantifier()
        if let json = json["quantifier"] as? [String: Any] {
            switch json["kind"] as? String {
            case "times":
                quantifier.least = json["n"] as? Int ?? 1
                quantifier.most = quantifier.least
            case "timesRange":
                quantifier.least = json["min"] as? Int ?? 1
                quantifier.most = json["max"] as? Int ?? 1
            case "timesOrMore":
                quantifier.least = json["n"] as? Int ?? 1
                quantifier.most = nil
            case "oneOrMore":
                quantifier.most = nil
            default:
                break
            }
            if quantifier.least == 0 {
                quantifier.least = 1
                quantifier.isOptional = true
            }
            quantifier.isOptional = quantifier.isOptional || json["optional"] as? Bool ?? false
            quantifier.isGreedy = json["greedy"] as? Bool ?? false
            quantifier.inner = LoopContiguity(rawValue: json["inner"] as? String ?? "") ?? .relaxed
            if json["windowMs"] != nil { looksBack = true }
        }
        return PlanStage(
            name: name,
            contiguity: contiguity,
            content: content,
            quantifier: quantifier,
            until: add(json["until"] as? [String: Any])
        )
    }

    private mutating func add(_ json: [String: Any]?) -> ConditionID? {
        guard let json else { return nil }
        let condition = condition(json)
        texts.append("\(json)")
        conditions.append(condition)
        return texts.count - 1
    }

    private mutating func condition(
        _ json: [String: Any]
    ) -> @Sendable (borrowing CompactCorpusCase.Event) -> Bool {
        switch json["op"] as? String {
        case "true": return { _ in true }
        case "false": return { _ in false }
        case "type":
            let type = json["is"] as? String ?? ""
            return { $0.type == type }
        case "typeContains":
            let part = json["s"] as? String ?? ""
            return { $0.type.contains(part) }
        case "value":
            let constant = (json["const"] as? NSNumber)?.doubleValue ?? 0
            switch json["cmp"] as? String {
            case "<": return { $0.value < constant }
            case "<=": return { $0.value <= constant }
            case ">": return { $0.value > constant }
            case ">=": return { $0.value >= constant }
            case "==": return { $0.value == constant }
            default: return { $0.value != constant }
            }
        case "and", "or":
            let parts = (json["args"] as? [[String: Any]] ?? []).map { condition($0) }
            let isAnd = json["op"] as? String == "and"
            return { event in
                for part in parts where part(event) != isAnd { return !isAnd }
                return isAnd
            }
        case "not":
            let negated = condition(json["arg"] as? [String: Any] ?? [:])
            return { !negated($0) }
        default:
            looksBack = true
            return { _ in true }
        }
    }
}
