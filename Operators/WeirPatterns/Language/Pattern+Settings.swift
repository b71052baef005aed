public import WeirCore
public import WeirExpressions

extension StagedPattern {
    // MARK: Negations

    /// Forbids that the very next event satisfies a condition.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes the event.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notNext(named name: String? = nil, _ condition: @escaping @Sendable (Element) -> Bool) -> StagedPattern
    {
        forbidding(name, .notNext, .unary(condition))
    }

    /// Forbids that the very next event satisfies a condition, compared with what has been captured.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes the event and the captures so far.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notNext<each Capture: Sendable>(
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element, repeat each Capture) -> Bool
    ) -> StagedPattern where Captured == (repeat each Capture) {
        forbidding(name, .notNext, contextual(condition))
    }

    /// Forbids that the very next event satisfies a typed expression.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notNext<Condition: ElementExpression>(named name: String? = nil, _ condition: Condition)
        -> StagedPattern
    where Condition.Root == Element, Condition.Value == Bool {
        forbidding(name, .notNext, .expression(condition))
    }

    /// Forbids that the very next event satisfies an expression that looks at captures.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notNext(named name: String? = nil, _ condition: StageCondition<Element>) -> StagedPattern {
        forbidding(name, .notNext, condition)
    }

    /// Forbids that any event satisfies a condition before the next stage matches.
    ///
    /// At the end of a pattern it needs a bound in time; the match is complete when time has come that far.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: For how long after the event before it, at the end of a pattern; exclusive.
    ///   - condition: Takes an event.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notFollowedBy(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> StagedPattern {
        forbidding(name, .notFollowedBy, .unary(condition), gap)
    }

    /// Forbids that any event satisfies a condition, compared with what has been captured, before the next stage matches.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: For how long after the event before it, at the end of a pattern; exclusive.
    ///   - condition: Takes an event and the captures so far.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notFollowedBy<each Capture: Sendable>(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: @escaping @Sendable (Element, repeat each Capture) -> Bool
    ) -> StagedPattern where Captured == (repeat each Capture) {
        forbidding(name, .notFollowedBy, contextual(condition), gap)
    }

    /// Forbids that any event satisfies a typed expression before the next stage matches.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: For how long after the event before it, at the end of a pattern; exclusive.
    ///   - condition: The expression.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notFollowedBy<Condition: ElementExpression>(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: Condition
    ) -> StagedPattern where Condition.Root == Element, Condition.Value == Bool {
        forbidding(name, .notFollowedBy, .expression(condition), gap)
    }

    /// Forbids that any event satisfies an expression that looks at captures before the next stage matches.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: For how long after the event before it, at the end of a pattern; exclusive.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: The pattern with the same captures.
    @inlinable
    public func notFollowedBy(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: StageCondition<Element>
    ) -> StagedPattern {
        forbidding(name, .notFollowedBy, condition, gap)
    }

    @inlinable
    func forbidding(
        _ name: String?,
        _ contiguity: Contiguity,
        _ condition: StageCondition<Element>,
        _ gap: Duration? = nil
    ) -> StagedPattern {
        var copy = self
        _ = copy.draft.append(name, contiguity, condition, gap: gap)
        return copy
    }

    // MARK: The whole match

    /// Bounds how long a match may last.
    ///
    /// - Parameter duration: The last event comes less than so long after the first: exactly at the bound is too late.
    /// - Returns: The same with that bound.
    @inlinable
    public func within(_ duration: Duration) -> StagedPattern {
        var copy = self
        copy.draft.within = duration.wholeNanoseconds
        return copy
    }

    /// Bounds how far neighbours in a match may be apart.
    ///
    /// - Parameter duration: Each event comes less than so long after the one before it.
    /// - Returns: The same with that bound.
    @inlinable
    public func within(betweenNeighbours duration: Duration) -> StagedPattern {
        var copy = self
        copy.draft.neighbours = duration.wholeNanoseconds
        return copy
    }

    /// Sets what a match does to matches that overlap with it; by default nothing.
    ///
    /// - Parameter policy: The policy.
    /// - Returns: The same with that policy.
    @inlinable
    public func afterMatch(_ policy: AfterMatchPolicy) -> StagedPattern {
        var copy = self
        switch policy {
        case .noSkip: copy.draft.afterMatch = .noSkip
        case .skipToNext: copy.draft.afterMatch = .skipToNext
        case .skipPastLast: copy.draft.afterMatch = .skipPastLast
        case .skipToFirst(let stage):
            copy.skip(to: stage) { .skipToFirst(capture: $0, failsOnMiss: false) }
        case .skipToLast(let stage):
            copy.skip(to: stage) { .skipToLast(capture: $0, failsOnMiss: false) }
        }
        return copy
    }

    @inlinable
    mutating func skip(to stage: String, _ policy: (Int) -> AfterMatch) {
        guard let capture = draft.captures.firstIndex(of: stage) else {
            draft.mistake = draft.mistake ?? .unknownStage(stage)
            return
        }
        draft.afterMatch = policy(capture)
    }

    /// Sets which of the matches that one event completes are emitted; by default all.
    ///
    /// - Parameter selection: Which.
    /// - Returns: The same with that selection.
    @inlinable
    public func selecting(_ selection: MatchSelection) -> StagedPattern {
        var copy = self
        copy.draft.selection = selection
        return copy
    }
}

/// What a match does to the partial matches, and to the other matches, that overlap with it.
public enum AfterMatchPolicy: Sendable, Hashable {
    /// Nothing: every match is emitted.
    case noSkip
    /// Those that started with the same event are dropped.
    case skipToNext
    /// Those that started before the match ended are dropped.
    case skipPastLast
    /// Those that started before the first event of a stage are dropped; none if it captured nothing.
    case skipToFirst(of: String)
    /// Those that started before the last event of a stage are dropped; none if it captured nothing.
    case skipToLast(of: String)
}
