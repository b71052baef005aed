/// A situation of interest, as events that follow each other.
///
///     let fraud = Pattern<Purchase>
///         .first { $0.isFaceToFace }
///         .followedBy { event, first in event.isFaceToFace && distance(event, first) > 500_000 }
///         .within(.seconds(600))
///         .grouped(by: \.card)
///     purchases.matches(of: fraud).subscribe { (first, second) in block(second.card) }
///
/// Every stage adds a capture to the type: an event for a stage that matches once, an optional for one that can be left
/// out, an array for a loop. A match is the tuple of the captures, and the conditions of later stages get the captures so
/// far. Negations capture nothing.
///
/// The rules are those of Flink's pattern engine; where they differ is listed at ``PatternPlan``.
///
/// A mistake that the compiler does not see is thrown by `validated()`, and traps where the pattern is used.
public enum Pattern<Element: Sendable> {}

/// A pattern with at least one stage, whose matches are tuples of captures; begun by ``Pattern``.
@frozen
public struct StagedPattern<Element: Sendable, Captured: Sendable>: Sendable {
    @usableFromInline var draft: PatternDraft<Element>
    @usableFromInline let reader: CaptureReader<Element, Captured>

    @inlinable
    init(_ draft: PatternDraft<Element>, _ reader: CaptureReader<Element, Captured>) {
        self.draft = draft
        self.reader = reader
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
    public func plan() throws(PatternError) -> PatternPlan { try draft.plan() }

    @inlinable
    func contextual<each Capture: Sendable>(
        _ condition: @escaping @Sendable (Element, repeat each Capture) -> Bool
    ) -> StageCondition<Element> where Captured == (repeat each Capture) {
        let reader = reader
        return .contextual(draft.captures.count) { element, captures in
            let captured = reader.ofCaptures(captures)
            return condition(copy element, repeat each captured)
        }
    }

    @inlinable
    func contextual<each Capture: Sendable>(
        loop capture: Int,
        _ condition: @escaping @Sendable (Element, [Element], repeat each Capture) -> Bool
    ) -> StageCondition<Element> where Captured == (repeat each Capture) {
        let reader = reader
        return .contextual(draft.captures.count + 1) { element, captures in
            let captured = reader.ofCaptures(captures)
            return condition(copy element, captures.all(capture), repeat each captured)
        }
    }

    /// The pattern with one more capture.
    @inlinable
    func with<each Capture: Sendable, Added: Sendable>(
        _ draft: PatternDraft<Element>,
        _ added: CaptureReader<Element, Added>
    ) -> StagedPattern<Element, (repeat each Capture, Added)> where Captured == (repeat each Capture) {
        let reader = reader
        return StagedPattern<Element, (repeat each Capture, Added)>(
            draft,
            CaptureReader { match in
                let captured = reader.ofMatch(match)
                return (repeat each captured, added.ofMatch(match))
            } ofCaptures: { captures in
                let captured = reader.ofCaptures(captures)
                return (repeat each captured, added.ofCaptures(captures))
            }
        )
    }

    @inlinable
    func adding<each Capture: Sendable>(
        _ name: String?,
        _ contiguity: Contiguity,
        _ condition: StageCondition<Element>?,
        _ gap: Duration?
    ) -> StagedPattern<Element, (repeat each Capture, Element)> where Captured == (repeat each Capture) {
        var draft = draft
        let capture = draft.append(name, contiguity, condition, gap: gap)
        return with(draft, .single(capture))
    }

    @inlinable
    func addingOptional<each Capture: Sendable>(
        _ name: String?,
        _ contiguity: Contiguity,
        _ condition: StageCondition<Element>?
    ) -> StagedPattern<Element, (repeat each Capture, Element?)> where Captured == (repeat each Capture) {
        var draft = draft
        let capture = draft.append(name, contiguity, condition, PlanQuantifier(isOptional: true))
        return with(draft, .optional(capture))
    }

    @inlinable
    func adding<each Capture: Sendable>(
        _ name: String?,
        _ contiguity: Contiguity,
        _ repetition: Repetition<Element>,
        _ condition: StageCondition<Element>?
    ) -> StagedPattern<Element, (repeat each Capture, [Element])> where Captured == (repeat each Capture) {
        var draft = draft
        let capture = draft.append(name, contiguity, condition, repetition)
        return with(draft, .repeated(capture))
    }

    @inlinable
    func adding<each Capture: Sendable>(
        _ group: PatternDraft<Element>,
        _ name: String?,
        _ contiguity: Contiguity,
        _ repetition: Repetition<Element>?,
        _ content: ([PlanStage]) -> PlanStage.Content
    ) -> StagedPattern<Element, (repeat each Capture, GroupCapture<Element>)> where Captured == (repeat each Capture) {
        var draft = draft
        let captures = draft.append(group, name, contiguity, repetition, content)
        return with(draft, .group(captures, draft.captures))
    }
}
