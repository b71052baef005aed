public import WeirCore

extension StagedPattern {
    /// Bounds how long a match may last.
    ///
    /// - Parameter duration: The last event comes less than so long after the first: exactly at the bound is too late.
    /// - Returns: The same with that bound.
    @inlinable
    public func within(_ duration: Duration) -> StagedPattern {
        changed { $0.within = duration.wholeNanoseconds }
    }

    /// Bounds how far neighbours in a match may be apart.
    ///
    /// - Parameter duration: Each event comes less than so long after the one before it.
    /// - Returns: The same with that bound.
    @inlinable
    public func within(betweenNeighbours duration: Duration) -> StagedPattern {
        changed { $0.neighbours = duration.wholeNanoseconds }
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
        case .skipToFirst(let stage, let failsOnMiss):
            copy.skip(to: stage) { .skipToFirst(capture: $0, failsOnMiss: failsOnMiss) }
        case .skipToLast(let stage, let failsOnMiss):
            copy.skip(to: stage) { .skipToLast(capture: $0, failsOnMiss: failsOnMiss) }
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
        changed { $0.selection = selection }
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
    /// Those that started before the first event of a stage are dropped.
    ///
    /// With `failsOnMiss`, the stream of matches fails with a ``PatternFailure`` where the stage captured nothing, or where
    /// its first event is that of the match; without, such a match drops none.
    case skipToFirst(of: String, failsOnMiss: Bool = false)
    /// Those that started before the last event of a stage are dropped.
    ///
    /// With `failsOnMiss`, the stream of matches fails with a ``PatternFailure`` where the stage captured nothing, or where
    /// its last event is the first one of the match; without, such a match drops none.
    case skipToLast(of: String, failsOnMiss: Bool = false)
}
