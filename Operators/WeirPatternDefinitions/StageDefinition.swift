public import WeirExpressions
public import WeirPatterns

/// A stage of a ``PatternDefinition``: an event, or one of `group`, `either` and `allOf`.
public struct StageDefinition: Sendable, Hashable, Codable {
    /// What the stage is called; every stage has a name of its own.
    public var name: String

    /// How the stage joins what is before it.
    public var contiguity: Contiguity

    /// What an event must satisfy; any will do without it.
    public var `where`: ExpressionTree?

    /// How often; once without it.
    public var quantifier: QuantifierDefinition?

    /// What ends the loop.
    public var until: ExpressionTree?

    /// How long after the event before it the stage's event must come, in nanoseconds; exclusive.
    public var gapNanoseconds: Int64?

    /// Stages that match one after the other.
    public var group: [StageDefinition]?

    /// Sequences of stages of which one matches.
    public var either: [[StageDefinition]]?

    /// Stages that match in any order.
    public var allOf: [StageDefinition]?

    /// Defines a stage.
    ///
    /// - Parameters:
    ///   - name: What the stage is called.
    ///   - contiguity: How the stage joins what is before it.
    ///   - condition: What an event must satisfy; any will do without it.
    ///   - quantifier: How often; once without it.
    ///   - until: What ends the loop.
    ///   - gapNanoseconds: How long after the event before it the stage's event must come; exclusive. Of a
    ///     negation, how long after that event it holds.
    ///   - group: Stages that match one after the other.
    ///   - either: Sequences of stages of which one matches.
    ///   - allOf: Stages that match in any order.
    public init(
        _ name: String,
        _ contiguity: Contiguity,
        where condition: ExpressionTree? = nil,
        quantifier: QuantifierDefinition? = nil,
        until: ExpressionTree? = nil,
        gapNanoseconds: Int64? = nil,
        group: [StageDefinition]? = nil,
        either: [[StageDefinition]]? = nil,
        allOf: [StageDefinition]? = nil
    ) {
        self.name = name
        self.contiguity = contiguity
        self.where = condition
        self.quantifier = quantifier
        self.until = until
        self.gapNanoseconds = gapNanoseconds
        self.group = group
        self.either = either
        self.allOf = allOf
    }
}

extension StageDefinition {
    private enum Key: String, CodingKey, CaseIterable {
        case name, contiguity, `where`, quantifier, until, gap, gapNanoseconds, group, either, allOf
    }

    /// Reads a stage.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `SchemaError` for an unknown key or what is no duration, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let read = try DefinitionReader(decoder, Key.self)
        self.init(
            try read.required(.name),
            try read.required(.contiguity),
            where: try read.optional(.where),
            quantifier: try read.optional(.quantifier),
            until: try read.optional(.until),
            gapNanoseconds: try read.nanoseconds(.gapNanoseconds, text: .gap),
            group: try read.optional(.group),
            either: try read.optional(.either),
            allOf: try read.optional(.allOf)
        )
    }
}

/// How often a stage matches.
public struct QuantifierDefinition: Sendable, Hashable, Codable {
    /// The least number of times; 1 without it.
    ///
    /// With 0 the stage can be left out.
    public var least: Int?

    /// The greatest number of times; without it, and without `isOpen`, the same as the least.
    public var most: Int?

    /// Whether there is no greatest number of times.
    public var isOpen: Bool?

    /// Whether the stage can be left out.
    public var isOptional: Bool?

    /// Whether the loop takes all that it can before the next stage may go on.
    public var isGreedy: Bool?

    /// How the events of the loop follow each other; relaxed without it.
    public var inner: LoopContiguity?

    /// Describes a quantifier.
    ///
    /// - Parameters:
    ///   - least: The least number of times.
    ///   - most: The greatest number of times.
    ///   - isOpen: Whether there is no greatest number of times.
    ///   - isOptional: Whether the stage can be left out.
    ///   - isGreedy: Whether the loop takes all that it can.
    ///   - inner: How the events of the loop follow each other.
    public init(
        least: Int? = nil,
        most: Int? = nil,
        isOpen: Bool? = nil,
        isOptional: Bool? = nil,
        isGreedy: Bool? = nil,
        inner: LoopContiguity? = nil
    ) {
        self.least = least
        self.most = most
        self.isOpen = isOpen
        self.isOptional = isOptional
        self.isGreedy = isGreedy
        self.inner = inner
    }

    /// Whether it makes a loop: a single event says nothing of how often.
    var isLoop: Bool { least != nil || most != nil || isOpen == true }

    func quantifier(of stage: String) throws(PatternError) -> PlanQuantifier {
        let first = least ?? 1
        let last: Int? = isOpen == true ? nil : most ?? first
        if !isLoop, isGreedy == true || (inner ?? .relaxed) != .relaxed { throw .notALoop(stage: stage) }
        // A range that begins with none leaves the stage out; exactly no times is no stage.
        if first < 0 || (first == 0 && last == 0) { throw .invalidCount(stage: stage, least: first, most: last) }
        return PlanQuantifier(
            least: max(first, 1),
            most: last,
            isOptional: isOptional == true || first == 0,
            isGreedy: isGreedy == true,
            inner: inner ?? .relaxed,
            isCounted: isLoop
        )
    }
}

extension QuantifierDefinition {
    private enum Key: String, CodingKey, CaseIterable {
        case least, most, isOpen, isOptional, isGreedy, inner
    }

    /// Reads a quantifier.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `SchemaError` for an unknown key, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let read = try DefinitionReader(decoder, Key.self)
        self.init(
            least: try read.optional(.least),
            most: try read.optional(.most),
            isOpen: try read.optional(.isOpen),
            isOptional: try read.optional(.isOptional),
            isGreedy: try read.optional(.isGreedy),
            inner: try read.optional(.inner)
        )
    }
}
