import Foundation
import WeirCore
import WeirExpressions
import WeirPatternDefinitions
import WeirPatterns
import WeirSchemas

/// An event of the corpus.
struct CorpusEvent: Event, Codable {
    let ts: Int64
    let type: String
    let value: Double
    let key: Int64
    // The position in the case; not part of the file.
    var index = -1

    var timestamp: Timestamp { Timestamp(millisecondsSinceEpoch: ts) }

    enum CodingKeys: CodingKey {
        case ts, type, value, key
    }

    static let schema = EventSchema<CorpusEvent>(
        "event",
        .field("ts", \.ts),
        .field("type", \.type),
        .field("value", \.value),
        .field("key", \.key)
    )
}

/// A case of the corpus, as its README describes it.
struct CorpusCase: Decodable {
    struct Pattern: Decodable {
        let stages: [Stage]
        let afterMatchSkip: Skip
        let within: Int64?
        let withinType: String?
    }

    struct Stage: Decodable {
        let name: String?
        let group: [Stage]?
        let contiguity: Contiguity
        let `where`: Condition?
        let quantifier: Quantifier?
        let until: Condition?
        let within: Int64?
    }

    struct Quantifier: Decodable {
        let kind: String
        let n: Int?
        let min: Int?
        let max: Int?
        let inner: LoopContiguity?
        let optional: Bool?
        let greedy: Bool?
        let windowMs: Int64?
    }

    struct Skip: Decodable {
        let strategy: String
        let stage: String?
        let throwOnMiss: Bool?
    }

    indirect enum Condition {
        case tree(ExpressionTree)
    }

    struct Timeout: Decodable {
        let match: [String: [Int]]
        let timestamp: Int64
        let at: String?
    }

    struct Watermark: Decodable {
        let before: Int
        let wm: Int64
    }

    struct Failure: Decodable {
        let phase: String
    }

    let id: String
    let pattern: Pattern
    let events: [CorpusEvent]
    let watermarks: [Watermark]?
    let matches: [[String: [Int]]]
    let matchAt: [String]?
    let timeouts: [Timeout]
    let late: [Int]?
    let error: Failure?
}

extension CorpusCase.Condition: Decodable {
    private struct Raw: Decodable {
        let op: String
        let `is`: String?
        let s: String?
        let cmp: String?
        let const: Double?
        let field: String?
        let stage: String?
        let pick: CapturedValue.Pick?
        let mul: Double?
        let add: Double?
        let ifEmpty: Bool?
        let fn: String?
        let plusCurrent: Bool?
        let args: [CorpusCase.Condition]?
        let arg: Box?
    }

    /// Decodes one condition inside another.
    private final class Box: Decodable, Sendable {
        let tree: ExpressionTree

        init(from decoder: any Decoder) throws {
            tree = try CorpusCase.Condition(from: decoder).tree
        }
    }

    init(from decoder: any Decoder) throws {
        let raw = try Raw(from: decoder)
        func require<Value>(_ value: Value?) throws -> Value {
            guard let value else { throw SchemaError.invalidDocument("a part of '\(raw.op)' is missing") }
            return value
        }
        func comparison() throws -> ExpressionOperator { try ExpressionOperator(named: require(raw.cmp)) }
        func trees() throws -> [ExpressionTree] {
            try require(raw.args).map(\.tree)
        }
        switch raw.op {
        case "true": self = .tree(.literal(true))
        case "false": self = .tree(.literal(false))
        case "type": self = .tree(.operation(.equal, [.field("type"), .literal(.text(try require(raw.is)))]))
        case "typeContains": self = .tree(.operation(.contains, [.field("type"), .literal(.text(try require(raw.s)))]))
        case "value":
            self = .tree(.operation(try comparison(), [.field("value"), .literal(.real(try require(raw.const)))]))
        case "and": self = .tree(.operation(.and, try trees()))
        case "or": self = .tree(.operation(.or, try trees()))
        case "not": self = .tree(.operation(.not, [try require(raw.arg).tree]))
        case "cmp":
            let field = try require(raw.field)
            let number: (ExpressionTree) -> ExpressionTree = { field == "value" ? $0 : .operation(.real, [$0]) }
            let captured = ExpressionTree.captured(
                CapturedValue(number(.field(field)), of: try require(raw.stage), raw.pick ?? .last)
            )
            var bound = captured
            if let factor = raw.mul { bound = .operation(.product, [bound, .literal(.real(factor))]) }
            if let summand = raw.add { bound = .operation(.sum, [bound, .literal(.real(summand))]) }
            let compared = ExpressionTree.operation(try comparison(), [number(.field(field)), bound])
            let isPresent = ExpressionTree.operation(.isPresent, [captured])
            // Flink's harness decides for itself what a comparison with nothing is.
            self = .tree(
                raw.ifEmpty == true
                    ? .operation(.or, [.operation(.not, [isPresent]), compared])
                    : .operation(.and, [isPresent, compared])
            )
        case "agg":
            let functions: [String: CapturedSummary.Function] = [
                "sum": .sum, "count": .count, "avg": .mean, "min": .minimum, "max": .maximum,
            ]
            let function = try require(functions[require(raw.fn)])
            let summary = ExpressionTree.summary(
                CapturedSummary(
                    function,
                    of: .field("value"),
                    over: try require(raw.stage),
                    includingCurrent: raw.plusCurrent ?? false
                )
            )
            let value = function == .count ? ExpressionTree.operation(.real, [summary]) : summary
            let compared = ExpressionTree.operation(
                try comparison(),
                [value, .literal(.real(try require(raw.const)))]
            )
            self = .tree(
                function == .count || function == .sum
                    ? compared : .operation(.and, [.operation(.isPresent, [summary]), compared])
            )
        default: throw SchemaError.invalidDocument("there is no condition '\(raw.op)'")
        }
    }

    var tree: ExpressionTree {
        switch self {
        case .tree(let tree): tree
        }
    }
}

// MARK: As definitions

extension CorpusCase {
    /// Flink's words as a definition.
    var definition: PatternDefinition {
        var groups = 0
        var stages = pattern.stages.map { $0.definition(&groups) }
        var within = pattern.withinType == "previousAndCurrent" ? nil : pattern.within
        // The shortest of all windows is that of the match.
        for stage in pattern.stages.flatMap(\.all) {
            if let bound = stage.within { within = min(bound, within ?? bound) }
        }
        // Flink applies this kind of window to the step into the last stage, and not to loops.
        if pattern.withinType == "previousAndCurrent", let last = pattern.stages.last, last.group == nil,
            (last.quantifier?.kind ?? "one") == "one"
        {
            stages[stages.count - 1].gapNanoseconds = pattern.within.map { $0 * 1_000_000 }
        }
        return PatternDefinition(
            stages: stages,
            withinNanoseconds: within.map { $0 * 1_000_000 },
            afterMatch: pattern.afterMatchSkip.definition,
            groupedBy: .field("key")
        )
    }
}

extension CorpusCase.Stage {
    var all: [CorpusCase.Stage] { [self] + (group ?? []).flatMap(\.all) }

    func definition(_ groups: inout Int) -> StageDefinition {
        groups += 1
        let inner = group.map { stages in stages.map { $0.definition(&groups) } }
        let counts = quantifier?.counts
        var isTimes = false
        if let kind = quantifier?.kind { isTimes = kind == "times" || kind == "timesRange" }
        return StageDefinition(
            name ?? "group \(groups)",
            contiguity,
            where: self.where?.tree,
            quantifier: counts,
            until: until?.tree,
            gapNanoseconds: isTimes ? quantifier?.windowMs.map { $0 * 1_000_000 } : nil,
            group: inner
        )
    }
}

extension CorpusCase.Quantifier {
    var counts: QuantifierDefinition {
        var definition = QuantifierDefinition(isOptional: optional, isGreedy: greedy, inner: inner)
        switch kind {
        case "times": (definition.least, definition.most) = (n, n)
        case "timesRange": (definition.least, definition.most) = (min, max)
        case "timesOrMore": (definition.least, definition.isOpen) = (n, true)
        case "oneOrMore": (definition.least, definition.isOpen) = (1, true)
        default: break
        }
        return definition
    }
}

extension CorpusCase.Skip {
    var definition: SkipDefinition? {
        switch strategy {
        case "none": nil
        case "skipToNext": SkipDefinition(.skipToNext)
        case "skipPastLast": SkipDefinition(.skipPastLast)
        case "skipToFirst": SkipDefinition(.skipToFirst, stage: stage, failsOnMiss: throwOnMiss)
        default: SkipDefinition(.skipToLast, stage: stage, failsOnMiss: throwOnMiss)
        }
    }
}
