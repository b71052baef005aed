internal import WeirCore
public import WeirExpressions
public import WeirPatterns
public import WeirSchemas

/// A pattern that was built at run time of a ``PatternDefinition``.
public struct DynamicPattern<Element: Sendable>: EventPattern {
    /// What the pattern means.
    public let plan: PatternPlan

    /// What it was built of.
    public let definition: PatternDefinition

    let conditions: ConditionTable<Element>
    let key: (@Sendable (borrowing Element) -> FieldValue)?
    let names: [String: Int]

    /// Builds a pattern.
    ///
    /// - Parameters:
    ///   - definition: The pattern.
    ///   - schema: The fields that its conditions name.
    /// - Throws: `PatternError`, in one line that says what is wrong with the definition.
    public init(_ definition: PatternDefinition, over schema: EventSchema<Element>) throws(PatternError) {
        var compiler = DefinitionCompiler(schema)
        try compiler.declare(definition.stages)
        let compiled = try compiler.stages(definition.stages)
        let quiet = try compiler.quiet(definition)
        var times = NegationTimes(compiler.conditions, compiler.table)
        let stages = try times.apply(to: compiled)
        var plan = PatternPlan(
            stages: stages,
            captures: compiler.names,
            conditions: times.conditions,
            within: definition.withinNanoseconds
        )
        plan.neighbours = definition.neighboursNanoseconds
        plan.afterMatch = try compiler.afterMatch(definition.afterMatch)
        plan.quiet = quiet
        plan.selection = MatchSelection(definition.selection ?? .all)
        try plan.check()
        self.plan = plan
        self.definition = definition
        conditions = times.table
        key = try compiler.key(definition.groupedBy)
        names = Dictionary(uniqueKeysWithValues: compiler.names.enumerated().map { ($1, $0) })
    }

    public func parts() throws(PatternError) -> PatternParts<Element, FieldValue, DynamicMatch<Element>> {
        let names = names
        return PatternParts(plan: plan, conditions: conditions, key: key) { match in DynamicMatch(match.entries, names)
        }
    }
}

extension MatchSelection {
    init(_ definition: SelectionDefinition) {
        switch definition {
        case .all: self = .all
        case .first: self = .first
        case .last: self = .last
        case .longest: self = .longest
        }
    }
}

/// A match of a ``DynamicPattern``: its events by the names of the stages.
public struct DynamicMatch<Element: Sendable>: Sendable {
    /// The events in the order in which they came.
    public let entries: [FoundMatch<Element>.Entry]

    @usableFromInline let names: [String: Int]

    @inlinable
    init(_ entries: [FoundMatch<Element>.Entry], _ names: [String: Int]) {
        self.entries = entries
        self.names = names
    }

    /// The events that a stage captured, in the order in which they came.
    ///
    /// - Parameter stage: The name of the stage.
    public subscript(stage: String) -> [Element] {
        guard let capture = names[stage] else { return [] }
        return entries.filter { $0.capture == capture }.map(\.element)
    }
}

extension DynamicMatch: Equatable where Element: Equatable {}
extension DynamicMatch: Hashable where Element: Hashable {}

extension DynamicMatch: CustomStringConvertible {
    /// The events, each with the name of its stage.
    public var description: String {
        let stages = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
        return "[\(entries.map { "\(stages[$0.capture] ?? ""): \($0.element)" }.joined(separator: ", "))]"
    }
}
