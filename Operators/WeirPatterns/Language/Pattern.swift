/// A situation of interest, as events that follow each other.
///
///     let fraud = Pattern<Purchase>
///         .first { $0.isFaceToFace }
///         .followedBy { $0.isFaceToFace }
///         .filter { first, second in distance(first, second) > 500_000 }
///         .within(.seconds(600))
///         .grouped(by: \.card)
///     purchases.matches(of: fraud).subscribe { (first, second) in block(second.card) }
///
/// A stage begins with a ``Link``, which says how it joins what is before it, and a condition on its event: a closure, or
/// with `where` an expression. What is said of the stage follows: ``StagedPattern/filter(_:)`` and
/// ``StagedPattern/on(_:)`` compare it with the captures before it, `times` makes it a loop, `optional` lets it be left
/// out.
///
/// Every stage adds a capture: an event for a stage that matches once, an optional for one that can be left out, an array
/// for a loop. A match is the tuple of the captures. Negations capture nothing. There are up to eight captures; a group of
/// stages is one.
///
/// Write the type of the events, as in `Pattern<Purchase>`: the compiler finds mistakes faster and names them exactly.
///
/// The rules are those of Flink's pattern engine; where they differ is listed at ``PatternPlan``.
///
/// A mistake that the compiler does not see is thrown by `validated()`, and traps where the pattern is used.
public enum Pattern<Element: Sendable> {
    /// Begins a pattern.
    @inlinable
    public static var first: Link<Captures1<OneEvent<Element>>> {
        Link(PatternDraft<Element>(), CaptureSlots(), .first)
    }
}

/// A pattern with at least one stage, begun by ``Pattern``.
@frozen
@dynamicMemberLookup
public struct StagedPattern<List: CaptureList>: Sendable {
    /// The events.
    public typealias Element = List.Event

    @usableFromInline var draft: PatternDraft<List.Event>
    // Where the captures are, in the order of the list; behind them that of a negation.
    @usableFromInline let slots: CaptureSlots

    @inlinable
    init(_ draft: PatternDraft<List.Event>, _ slots: CaptureSlots) {
        self.draft = draft
        self.slots = slots
    }

    /// Adds a stage for the very next event.
    @inlinable
    public var next: Link<List.Open.WithEvent> { link(.next) }

    /// Adds a stage for the first event that satisfies its conditions; those in between are passed over.
    @inlinable
    public var followedBy: Link<List.Open.WithEvent> { link(.followedBy) }

    /// Adds a stage for any later event that satisfies its conditions: each possibility is a match of its own.
    @inlinable
    public var followedByAny: Link<List.Open.WithEvent> { link(.followedByAny) }

    /// Forbids that the very next event satisfies the conditions that follow.
    @inlinable
    public var notNext: Link<Forbidding<List.Open>> { link(.notNext) }

    /// Forbids that any event satisfies the conditions that follow before the next stage matches.
    ///
    /// At the end of a pattern it needs a bound in time, as in `notFollowedBy(within: .seconds(3600))`; the match is
    /// complete when time has come that far. In the middle, with such a bound, nothing may satisfy the conditions for that
    /// long after the event before, and the next stage takes an event only then; it begins with `followedBy` or
    /// `followedByAny`, and cannot be left out.
    @inlinable
    public var notFollowedBy: Link<Forbidding<List.Open>> { link(.notFollowedBy) }

    @inlinable
    func link<Added: CaptureList>(_ contiguity: Contiguity) -> Link<Added> where Added.Event == List.Event {
        Link<Added>(draft, slots, contiguity, behind: List.Open.count)
    }

    @inlinable
    func changed(_ change: (inout PatternDraft<List.Event>) -> Void) -> StagedPattern {
        var copy = self
        change(&copy.draft)
        return copy
    }

    /// The pattern with another type for its last capture.
    @inlinable
    func cast<Other: CaptureList>(
        _ change: (inout PatternDraft<List.Event>) -> Void
    ) -> StagedPattern<Other> where Other.Event == List.Event {
        StagedPattern<Other>(changed(change).draft, slots)
    }

    /// Checks the pattern.
    ///
    /// - Returns: The pattern.
    /// - Throws: ``PatternError`` for the first rule that it breaks.
    public func validated() throws(PatternError) -> StagedPattern {
        _ = try draft.plan()
        return self
    }

    /// What the pattern means.
    ///
    /// - Throws: ``PatternError`` for the first rule that it breaks.
    public func plan() throws(PatternError) -> PatternPlan { try draft.plan().plan }

    /// Answers for members that there are not.
    @available(
        *,
        unavailable,
        message: """
            patterns have next, followedBy, followedByAny, notNext, notFollowedBy; after, at; for the last stage filter, on, times, \
            optional, and behind times also greedy, consecutive, allowCombinations, until, untilWhere, untilOn; within, \
            notPreceded, once, grouped, afterMatch, selecting, validated, plan, explain
            """
    )
    public subscript(dynamicMember member: String) -> Link<List.Open.WithEvent> { link(.next) }
}

/// Stages that can be one of the alternatives of `either`: a ``StagedPattern`` with any captures.
public protocol StageSequence<Element>: Sendable {
    /// The events.
    associatedtype Element: Sendable

    /// The stages.
    var stages: PatternDraft<Element> { get }
}

extension StagedPattern: StageSequence {
    /// The stages, without the type of their captures.
    public var stages: PatternDraft<List.Event> { draft }
}
