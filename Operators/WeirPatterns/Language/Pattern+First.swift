public import WeirExpressions

extension Pattern {
    /// Starts a pattern with an event that satisfies a condition.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes the event.
    /// - Returns: A pattern with one capture, an event.
    @inlinable
    public static func first(
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> StagedPattern<Element, Element> {
        begin(name, .unary(condition))
    }

    /// Starts a pattern with an event that satisfies a typed expression.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression.
    /// - Returns: A pattern with one capture, an event.
    @inlinable
    public static func first<Condition: ElementExpression>(
        named name: String? = nil,
        _ condition: Condition
    ) -> StagedPattern<Element, Element> where Condition.Root == Element, Condition.Value == Bool {
        begin(name, .expression(condition))
    }

    /// Starts a pattern with an event that satisfies an expression that looks at captures.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: A pattern with one capture, an event.
    @inlinable
    public static func first(
        named name: String? = nil,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, Element> {
        begin(name, condition)
    }

    /// Starts a pattern with an event that can be left out.
    ///
    /// - Parameters:
    ///   - optional: That it can be left out.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes the event.
    /// - Returns: A pattern with one capture, an optional event.
    @inlinable
    public static func first(
        _ optional: Optionality,
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> StagedPattern<Element, Element?> {
        beginOptional(name, .unary(condition))
    }

    /// Starts a pattern with a loop.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes an event.
    /// - Returns: A pattern with one capture, an array of events.
    @inlinable
    public static func first(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> StagedPattern<Element, [Element]> {
        begin(name, repetition, .unary(condition))
    }

    /// Starts a pattern with a loop whose events are compared with the loop so far.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes an event and the events of the loop so far.
    /// - Returns: A pattern with one capture, an array of events.
    @inlinable
    public static func first(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        comparing condition: @escaping @Sendable (Element, [Element]) -> Bool
    ) -> StagedPattern<Element, [Element]> {
        let loop = StageCondition<Element>.contextual(1) { element, captures in
            condition(copy element, captures.all(0))
        }
        return begin(name, repetition, loop)
    }

    /// Starts a pattern with a loop, by a typed expression.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression.
    /// - Returns: A pattern with one capture, an array of events.
    @inlinable
    public static func first<Condition: ElementExpression>(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        _ condition: Condition
    ) -> StagedPattern<Element, [Element]> where Condition.Root == Element, Condition.Value == Bool {
        begin(name, repetition, .expression(condition))
    }

    /// Starts a pattern with a loop, by an expression that looks at captures.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: A pattern with one capture, an array of events.
    @inlinable
    public static func first(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, [Element]> {
        begin(name, repetition, condition)
    }

    /// Starts a pattern with a group of stages.
    ///
    /// - Parameters:
    ///   - group: The stages; what else the pattern says is not looked at.
    ///   - name: What the group is called in diagnostics.
    ///   - repetition: How often; once if there is none.
    /// - Returns: A pattern with one capture, the events of the group.
    @inlinable
    public static func first<Inner: Sendable>(
        group: StagedPattern<Element, Inner>,
        named name: String? = nil,
        _ repetition: Repetition<Element>? = nil
    ) -> StagedPattern<Element, GroupCapture<Element>> {
        begin(group.draft, name, repetition) { .group($0) }
    }

    /// Starts a pattern with alternatives, of which one has to match.
    ///
    /// - Parameters:
    ///   - alternatives: What can match; a stage or a sequence of stages each.
    ///   - name: What they are called in diagnostics.
    /// - Returns: A pattern with one capture, the events of the alternative that matched.
    @inlinable
    public static func first(
        either alternatives: Alternative<Element>...,
        named name: String? = nil
    ) -> StagedPattern<Element, GroupCapture<Element>> {
        let (group, content) = Alternative.joined(alternatives)
        return begin(group, name, nil, content)
    }

    /// Starts a pattern with events that match in any order, each of them once.
    ///
    /// - Parameters:
    ///   - conditions: What each of them must satisfy; 2 to 8.
    ///   - name: What they are called in diagnostics.
    /// - Returns: A pattern with one capture, the events in the order in which they came.
    @inlinable
    public static func first(
        allOf conditions: (@Sendable (Element) -> Bool)...,
        named name: String? = nil
    ) -> StagedPattern<Element, GroupCapture<Element>> {
        begin(.anyOrder(conditions), name, nil) { .allOf($0) }
    }

    @inlinable
    static func begin(
        _ name: String?,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, Element> {
        var draft = PatternDraft<Element>()
        let capture = draft.append(name, .first, condition)
        return StagedPattern<Element, Element>(draft, .single(capture))
    }

    @inlinable
    static func beginOptional(
        _ name: String?,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, Element?> {
        var draft = PatternDraft<Element>()
        let capture = draft.append(name, .first, condition, PlanQuantifier(isOptional: true))
        return StagedPattern<Element, Element?>(draft, .optional(capture))
    }

    @inlinable
    static func begin(
        _ name: String?,
        _ repetition: Repetition<Element>,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, [Element]> {
        var draft = PatternDraft<Element>()
        let capture = draft.append(name, .first, condition, repetition)
        return StagedPattern<Element, [Element]>(draft, .repeated(capture))
    }

    @inlinable
    static func begin(
        _ group: PatternDraft<Element>,
        _ name: String?,
        _ repetition: Repetition<Element>?,
        _ content: ([PlanStage]) -> PlanStage.Content
    ) -> StagedPattern<Element, GroupCapture<Element>> {
        var draft = PatternDraft<Element>()
        let captures = draft.append(group, name, .first, repetition, content)
        return StagedPattern<Element, GroupCapture<Element>>(draft, .group(captures, draft.captures))
    }
}
