public import WeirExpressions

/// How a stage joins what is before it, waiting to be told what the stage matches.
///
/// A link is called with a closure, or followed by `where` with an expression; both take one event.
///
///     begun.followedBy { $0.amount > 100 }
///     begun.followedBy(named: "large", within: .seconds(60)) { $0.amount > 100 }
///     begun.followedBy.where { $0.amount > 100 && $0.isFaceToFace }
///
/// `filter` and `on` are short for a stage whose only conditions compare its event with the captures before it; `group`,
/// `either` and `allOf` make a stage of several.
@frozen
@dynamicMemberLookup
public struct Link<List: CaptureList>: Sendable {
    @usableFromInline var draft: PatternDraft<List.Event>
    @usableFromInline let slots: CaptureSlots
    // How many of the slots come before the stage: not that of a negation.
    @usableFromInline let count: Int
    @usableFromInline let contiguity: Contiguity
    @usableFromInline var name: String?
    @usableFromInline var gap: Duration?

    @inlinable
    init(
        _ draft: PatternDraft<List.Event>,
        _ slots: CaptureSlots,
        _ contiguity: Contiguity,
        behind count: Int = 0
    ) {
        self.count = count
        self.draft = draft
        self.slots = slots
        self.contiguity = contiguity
    }

    /// Names the stage, and bounds its distance from the event before it.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics, after-match policies and groups.
    ///   - gap: How long after the event before it the event must come; exclusive. In a loop each event, in a group the
    ///     first event of each round. For a negation, how long it holds.
    /// - Returns: The link with that.
    @inlinable
    public func callAsFunction(named name: String? = nil, within gap: Duration? = nil) -> Link {
        var copy = self
        copy.name = name ?? self.name
        copy.gap = gap ?? self.gap
        return copy
    }

    /// A stage for an event that satisfies a condition.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics, after-match policies and groups.
    ///   - gap: How long after the event before it the event must come; exclusive. In a loop each event. For a negation,
    ///     how long it holds.
    ///   - condition: Takes the event.
    /// - Returns: The pattern with the stage.
    @inlinable
    public func callAsFunction(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: @escaping @Sendable (List.Event) -> Bool
    ) -> StagedPattern<List> {
        callAsFunction(named: name, within: gap).stage(.unary(condition))
    }

    /// A stage for an event that satisfies an expression.
    ///
    /// Unlike a closure, an expression can be read: equal ones are one condition, a ``PatternSet`` finds the patterns that
    /// an event concerns by them, and an explanation shows them.
    ///
    /// - Parameter condition: Takes a row that stands for the event, and returns the expression; called once.
    /// - Returns: The pattern with the stage.
    @inlinable
    public func `where`<Condition: ElementExpression>(
        _ condition: (Row<List.Event>) -> Term<Condition>
    ) -> StagedPattern<List> where Condition.Root == List.Event, Condition.Value == Bool {
        stage(.expression(condition(Row()).expression))
    }

    /// A stage for an event that is compared with the captures before it.
    ///
    /// - Parameter condition: Takes the captures in their order, and the event.
    /// - Returns: The pattern with the stage.
    @inlinable
    public func filter(_ condition: List.Test) -> StagedPattern<List> {
        any.filter(condition)
    }

    /// A stage for an event that is compared with the captures before it, by an expression.
    ///
    /// - Parameter condition: Takes rows that stand for the captures in their order, and one for the event; called once.
    /// - Returns: The pattern with the stage.
    @inlinable
    public func on(_ condition: List.Where) -> StagedPattern<List> {
        any.on(condition)
    }

    /// A stage for an event of any kind.
    @inlinable
    public var any: StagedPattern<List> { stage(nil) }

    @inlinable
    func stage(_ condition: StageTerm<List.Event>?) -> StagedPattern<List> {
        var draft = draft
        let capture = draft.append(name, contiguity, condition, gap)
        return StagedPattern<List>(draft, slots.adding(capture..<capture + 1, [draft.captures[capture]], behind: count))
    }

    /// Answers for members that there are not.
    @available(
        *,
        unavailable,
        message:
            "behind next, followedBy and their like comes a closure, or where, filter, on, any, group, either, allOf"
    )
    public subscript(dynamicMember member: String) -> Link { self }
}

extension Link where List.Last: RepeatableCapture {
    /// A stage that consists of the stages of another pattern, one after the other.
    ///
    /// - Parameter group: The stages; what else the pattern says is not looked at.
    /// - Returns: The pattern with one more capture, the events of the group.
    @inlinable
    public func group<Inner: CaptureList>(_ group: StagedPattern<Inner>) -> StagedPattern<List.Group>
    where Inner.Event == List.Event {
        stage(group.draft) { .group($0) }
    }

    /// A stage that one of several patterns can match.
    ///
    /// - Parameter alternatives: What can match, two at least; what else the patterns say is not looked at.
    /// - Returns: The pattern with one more capture, the events of the alternative that matched.
    @inlinable
    public func either(_ alternatives: any StageSequence<List.Event>...) -> StagedPattern<List.Group> {
        let (joined, content) = PatternDraft.joined(alternatives.map { $0.stages })
        return stage(joined, content)
    }

    /// A stage for events that come in any order, each of them once.
    ///
    /// - Parameter conditions: What each of them must satisfy; 2 to 8.
    /// - Returns: The pattern with one more capture, the events in the order in which they came.
    @inlinable
    public func allOf(_ conditions: (@Sendable (List.Event) -> Bool)...) -> StagedPattern<List.Group> {
        stage(.anyOrder(conditions)) { .allOf($0) }
    }

    @inlinable
    func stage(
        _ group: PatternDraft<List.Event>,
        _ content: ([PlanStage]) -> PlanStage.Content
    ) -> StagedPattern<List.Group> {
        var draft = draft
        let captures = draft.append(group, name, contiguity, gap, content)
        return StagedPattern<List.Group>(draft, slots.adding(captures, Array(draft.captures[captures]), behind: count))
    }
}
