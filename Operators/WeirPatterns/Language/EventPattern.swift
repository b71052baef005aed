public import WeirExpressions

/// A pattern of any kind: of stages, for each group, or built at run time.
///
/// Functions return patterns without the list of their captures:
///
///     func farApart(_ metres: Double) -> some EventPattern<Purchase, (Purchase, Purchase)> {
///         Pattern<Purchase>
///             .first { $0.isFaceToFace }
///             .followedBy.filter { first, second in distance(first, second) > metres }
///             .within(.seconds(600))
///     }
public protocol EventPattern<Element, Match>: Sendable {
    /// The events.
    associatedtype Element: Sendable

    /// What is found: for stages the tuple of the captures.
    associatedtype Match: Sendable

    /// What events are grouped by.
    associatedtype Key: Hashable & Sendable

    /// What it takes to look for the pattern.
    ///
    /// - Throws: ``PatternError`` for the first rule that the pattern breaks.
    func parts() throws(PatternError) -> PatternParts<Element, Key, Match>
}

extension EventPattern {
    /// Explains how the pattern is evaluated.
    ///
    /// - Parameter settings: The settings of the evaluation.
    /// - Returns: The explanation.
    /// - Throws: ``PatternError`` for the first rule that the pattern breaks, or if the settings ask for what cannot be.
    public func explain(
        _ settings: PatternSettings = PatternSettings()
    ) throws(PatternError) -> PatternExplanation {
        try PatternExplanation(parts().plan, settings)
    }
}

/// What it takes to look for a pattern: its plan, and what the conditions, the key and a match are for a type of events.
public struct PatternParts<Element: Sendable, Key: Hashable & Sendable, Match: Sendable>: Sendable {
    /// What the pattern means.
    public let plan: PatternPlan

    /// The conditions of the plan.
    public let conditions: ConditionTable<Element>

    /// The key of an event's group; `nil` without groups.
    public let key: (@Sendable (borrowing Element) -> Key)?

    /// Reads a match.
    public let read: @Sendable (borrowing FoundMatch<Element>) -> Match

    /// Puts the parts together.
    ///
    /// - Parameters:
    ///   - plan: What the pattern means.
    ///   - conditions: The conditions of the plan.
    ///   - key: The key of an event's group; `nil` without groups.
    ///   - read: Reads a match.
    @inlinable
    public init(
        plan: PatternPlan,
        conditions: ConditionTable<Element>,
        key: (@Sendable (borrowing Element) -> Key)?,
        read: @escaping @Sendable (borrowing FoundMatch<Element>) -> Match
    ) {
        self.plan = plan
        self.conditions = conditions
        self.key = key
        self.read = read
    }
}

extension StagedPattern: EventPattern where List: AtMostEightStages {
    public typealias Match = List.Tuple
    public typealias Key = Int

    @inlinable
    public func parts() throws(PatternError) -> PatternParts<List.Event, Int, List.Tuple> { try parts(key: nil) }

    @inlinable
    func parts<Group: Hashable & Sendable>(
        key: (@Sendable (borrowing List.Event) -> Group)?
    ) throws(PatternError) -> PatternParts<List.Event, Group, List.Tuple> {
        let slots = slots
        let (plan, table) = try draft.plan()
        return PatternParts(plan: plan, conditions: table, key: key) { match in
            List.tuple(match, slots)
        }
    }
}

/// A pattern for each value of a key; made by `grouped(by:)`.
@frozen
public struct GroupedPattern<List: AtMostEightStages, Key: Hashable & Sendable>: EventPattern {
    public typealias Element = List.Event
    public typealias Match = List.Tuple

    /// The pattern.
    public let pattern: StagedPattern<List>

    @usableFromInline let key: @Sendable (borrowing List.Event) -> Key

    @inlinable
    init(_ pattern: StagedPattern<List>, _ key: @escaping @Sendable (borrowing List.Event) -> Key) {
        self.pattern = pattern
        self.key = key
    }

    @inlinable
    public func parts() throws(PatternError) -> PatternParts<List.Event, Key, List.Tuple> {
        try pattern.parts(key: key)
    }
}

extension StagedPattern where List: AtMostEightStages {
    /// Looks for the pattern among the events of each group apart.
    ///
    /// A group takes up memory only while it has a partial match. This comes last: what is said of the pattern is said
    /// before.
    ///
    /// - Parameter key: The key of an event's group.
    /// - Returns: The pattern for each group.
    @inlinable
    public func grouped<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (List.Event) -> Key
    ) -> GroupedPattern<List, Key> {
        GroupedPattern(self) { element in key(copy element) }
    }

    /// Looks for the pattern among the events of each group apart.
    ///
    /// - Parameter key: The property by which events are grouped.
    /// - Returns: The pattern for each group.
    @inlinable
    public func grouped<Key: Hashable & Sendable>(
        by key: SendableKeyPath<List.Event, Key>
    ) -> GroupedPattern<List, Key> {
        let field = Field(key)
        return GroupedPattern(self) { element in field.value(of: element) }
    }
}
