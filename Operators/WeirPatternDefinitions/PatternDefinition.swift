public import WeirExpressions
internal import WeirPatterns

/// A pattern as a value: to write to a file, to send, and to build at run time.
///
/// Conditions are expressions over the named fields of a schema. What is built is the same as what the typed language
/// builds: both end in a `PatternPlan`.
///
///     import Foundation
///
///     let definition = try JSONDecoder().decode(PatternDefinition.self, from: data)
///     let pattern = try DynamicPattern(definition, over: schema)
///     purchases.matches(of: pattern).subscribe { match in print(match["first"]) }
///
/// In JSON:
///
/// ```json
/// {"stages": [
///     {"name": "first", "contiguity": "begin", "where": {"==": [{"field": "kind"}, "faceToFace"]}},
///     {"name": "second", "contiguity": "followedBy",
///      "where": {">": [{"field": "amount"}, {"captured": {"stage": "first", "pick": "last", "value": {"field": "amount"}}}]}}
///  ],
///  "within": "10m", "groupedBy": {"field": "card"}}
/// ```
///
/// The keys are the names of the properties here, in ``StageDefinition``, ``QuantifierDefinition``, ``SkipDefinition`` and
/// ``QuietDefinition``;
/// any other one is refused, with the place and the nearest name. Durations are texts such as `"10 s"`, `"500 ms"` or
/// `"1h30m"` under `within`, `neighbours` and, of a stage, `gap`; or numbers under `withinNanoseconds`,
/// `neighboursNanoseconds` and `gapNanoseconds`, which is what is written.
public struct PatternDefinition: Sendable, Hashable, Codable {
    /// The stages in the order in which they match.
    public var stages: [StageDefinition]

    /// How long a match may last, in nanoseconds; exclusive, and unbounded without it.
    public var withinNanoseconds: Int64?

    /// How far neighbours in a match may be apart, in nanoseconds; exclusive.
    public var neighboursNanoseconds: Int64?

    /// What a match does to what overlaps with it; nothing without it.
    public var afterMatch: SkipDefinition?

    /// Which of the matches that one event completes are emitted; all without it.
    public var selection: SelectionDefinition?

    /// The value that all events of a match share; one group for all events without it.
    public var groupedBy: ExpressionTree?

    /// What must not have come in the time before the first event.
    public var notPreceded: QuietDefinition?

    /// Whether a match begins only once, with the first event that can; of each group.
    public var once: Bool?

    /// Defines a pattern.
    ///
    /// - Parameters:
    ///   - stages: The stages in the order in which they match.
    ///   - withinNanoseconds: How long a match may last; exclusive.
    ///   - neighboursNanoseconds: How far neighbours in a match may be apart; exclusive.
    ///   - afterMatch: What a match does to what overlaps with it.
    ///   - selection: Which of the matches that one event completes are emitted.
    ///   - groupedBy: The value that all events of a match share.
    ///   - notPreceded: What must not have come in the time before the first event; not with `once`.
    ///   - once: Whether a match begins only once, with the first event that can; of each group.
    public init(
        stages: [StageDefinition],
        withinNanoseconds: Int64? = nil,
        neighboursNanoseconds: Int64? = nil,
        afterMatch: SkipDefinition? = nil,
        selection: SelectionDefinition? = nil,
        groupedBy: ExpressionTree? = nil,
        notPreceded: QuietDefinition? = nil,
        once: Bool? = nil
    ) {
        self.stages = stages
        self.withinNanoseconds = withinNanoseconds
        self.neighboursNanoseconds = neighboursNanoseconds
        self.afterMatch = afterMatch
        self.selection = selection
        self.groupedBy = groupedBy
        self.notPreceded = notPreceded
        self.once = once
    }
}

extension PatternDefinition {
    private enum Key: String, CodingKey, CaseIterable {
        case stages, within, withinNanoseconds, neighbours, neighboursNanoseconds, afterMatch, selection, groupedBy
        case notPreceded, once
    }

    /// Reads a pattern.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `SchemaError` for an unknown key or what is no duration, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let read = try DefinitionReader(decoder, Key.self)
        self.init(
            stages: try read.required(.stages),
            withinNanoseconds: try read.nanoseconds(.withinNanoseconds, text: .within),
            neighboursNanoseconds: try read.nanoseconds(.neighboursNanoseconds, text: .neighbours),
            afterMatch: try read.optional(.afterMatch),
            selection: try read.optional(.selection),
            groupedBy: try read.optional(.groupedBy),
            notPreceded: try read.optional(.notPreceded),
            once: try read.optional(.once)
        )
    }
}

/// What must not have come in the time before the first event of a match.
public struct QuietDefinition: Sendable, Hashable, Codable {
    /// The condition on the event that must not have come.
    public var `where`: ExpressionTree

    /// How long before the first event, in nanoseconds; exclusive.
    public var withinNanoseconds: Int64

    /// Defines it.
    ///
    /// - Parameters:
    ///   - condition: The condition on the event that must not have come.
    ///   - withinNanoseconds: How long before the first event; exclusive.
    public init(where condition: ExpressionTree, withinNanoseconds: Int64) {
        self.where = condition
        self.withinNanoseconds = withinNanoseconds
    }

    private enum Key: String, CodingKey, CaseIterable {
        case `where`, within, withinNanoseconds
    }

    /// Reads it; the time is under `within` as text, or under `withinNanoseconds`.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `SchemaError` for an unknown key or what is no duration, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let read = try DefinitionReader(decoder, Key.self)
        self.init(
            where: try read.required(.where),
            withinNanoseconds: try read.nanoseconds(.withinNanoseconds, text: .within)
                ?? read.required(.withinNanoseconds)
        )
    }
}

/// Which of several matches is emitted, by name.
public enum SelectionDefinition: String, Sendable, Hashable, Codable {
    /// All of them.
    case all
    /// The one that started first.
    case first
    /// The one that started last.
    case last
    /// The one with the most events.
    case longest
}

/// What a match does to what overlaps with it, by name.
public struct SkipDefinition: Sendable, Hashable, Codable {
    /// The names of the policies.
    public enum Strategy: String, Sendable, Hashable, Codable {
        /// Every match is emitted.
        case noSkip
        /// Those that started with the same event are dropped.
        case skipToNext
        /// Those that started before the match ended are dropped.
        case skipPastLast
        /// Those that started before the first event of a stage are dropped.
        case skipToFirst
        /// Those that started before the last event of a stage are dropped.
        case skipToLast
    }

    /// The policy.
    public var strategy: Strategy

    /// The stage to skip to.
    public var stage: String?

    /// Whether the stream fails where the stage captured nothing; otherwise nothing is skipped then.
    public var failsOnMiss: Bool?

    /// Describes a policy.
    ///
    /// - Parameters:
    ///   - strategy: The policy.
    ///   - stage: The stage to skip to.
    ///   - failsOnMiss: Whether the stream fails where the stage captured nothing.
    public init(_ strategy: Strategy, stage: String? = nil, failsOnMiss: Bool? = nil) {
        self.strategy = strategy
        self.stage = stage
        self.failsOnMiss = failsOnMiss
    }
}

extension SkipDefinition {
    private enum Key: String, CodingKey, CaseIterable {
        case strategy, stage, failsOnMiss
    }

    /// Reads a policy.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `SchemaError` for an unknown key, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let read = try DefinitionReader(decoder, Key.self)
        self.init(
            try read.required(.strategy),
            stage: try read.optional(.stage),
            failsOnMiss: try read.optional(.failsOnMiss)
        )
    }
}
