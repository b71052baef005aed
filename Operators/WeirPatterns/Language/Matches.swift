public import WeirCore

extension EventStream {
    /// Finds the matches of a pattern.
    ///
    ///     purchases.matches(of: fraud).subscribe { (first, second) in block(second.card) }
    ///
    /// A match is the plain tuple of the captures, for `map`, `filter` and `subscribe`; tests compare the matches of two
    /// patterns, of events that can be compared, with `elementsEqual(_:by:)` and `==`. Swift's `==` takes tuples of up to six;
    /// compare those of seven and eight by their parts: `{ $0.0 == $1.0 && $0.6 == $1.6 }`.
    ///
    /// Emits a match when its last event arrives, with that event's time; a match that ends with a negation when time
    /// has come to its bound, with the time of the bound; a match that an after-match policy holds back when no earlier
    /// partial match is left, with the time of that. Remembers the events of partial matches, within the limits of
    /// `settings`. Moves time on by events, where they come in order, and by watermarks, which pass. The completion
    /// moves time on to the end, and passes; a failure or an interruption passes. Matches that are held back until then
    /// are counted in ``PatternLosses``.
    ///
    /// - Parameters:
    ///   - pattern: The pattern, with or without groups; a mistake in it traps, see ``StagedPattern/validated()``.
    ///   - settings: The order of events, limits, and other settings of the evaluation.
    /// - Returns: The matches.
    /// - Complexity: The runs strategy looks at each state that has partial matches of the event's group, and at those
    ///   partial matches that the event may move; a match is read in O(its events).
    @inlinable
    public func matches<Pattern: EventPattern>(
        of pattern: Pattern,
        _ settings: PatternSettings = PatternSettings()
    ) -> Matches<Self, Pattern.Key, Pattern.Match> where Pattern.Element == Element {
        do {
            return try Matches<Self, Pattern.Key, Pattern.Match>(self, pattern.parts(), settings)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

extension EventStream {
    /// Finds the matches of a pattern in events that come in any order, those of the same time in an order of their own.
    ///
    ///     let matches = purchases.matches(of: fraud, orderingTiesBy: { $0.amount < $1.amount })
    ///
    /// Otherwise as `matches(of:_:)`.
    ///
    /// - Parameters:
    ///   - pattern: The pattern, with or without groups; a mistake in it traps, see ``StagedPattern/validated()``.
    ///   - settings: Limits, and other settings of the evaluation. The order is ``ArrivalOrder/byWatermark``, whatever they
    ///     say.
    ///   - areInIncreasingOrder: Whether the first of two events of the same time comes before the second; a strict weak
    ///     order. Events that it does not tell apart stay in the order of arrival.
    /// - Returns: The matches.
    @inlinable
    public func matches<Pattern: EventPattern>(
        of pattern: Pattern,
        _ settings: PatternSettings = PatternSettings(),
        orderingTiesBy areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
    ) -> Matches<Self, Pattern.Key, Pattern.Match> where Pattern.Element == Element {
        var settings = settings
        settings.order = .byWatermark
        do {
            return try Matches<Self, Pattern.Key, Pattern.Match>(
                self,
                pattern.parts(),
                settings,
                tieOrder: areInIncreasingOrder
            )
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

/// The matches of a pattern; made by `matches(of:)`.
public struct Matches<Upstream: EventStream, Key: Hashable & Sendable, Match: Sendable>: WatermarkWaiting {
    public typealias Element = Match

    @usableFromInline let upstream: Upstream
    @usableFromInline let evaluation: PatternEvaluation<Upstream.Element, Key>
    @usableFromInline let read: @Sendable (borrowing FoundMatch<Upstream.Element>) -> Match

    @usableFromInline
    init(
        _ upstream: Upstream,
        _ parts: PatternParts<Upstream.Element, Key, Match>,
        _ settings: PatternSettings,
        tieOrder: (@Sendable (Upstream.Element, Upstream.Element) -> Bool)? = nil
    ) throws(PatternError) {
        evaluation = try PatternEvaluation(parts.plan, parts.conditions, parts.key, settings, tieOrder: tieOrder)
        self.upstream = upstream
        read = parts.read
    }

    /// The events that came too late.
    public var late: SideOutput<Upstream.Element> { evaluation.sides.late }

    /// The events that a limit left no room for.
    public var refused: SideOutput<Upstream.Element> { evaluation.sides.refused }

    public var stalls: SideOutput<WatermarkStall> { evaluation.sides.stalls }

    /// The partial matches whose time was over, each at the time when its window closed.
    ///
    /// Subscribe before a sink is attached: the compact strategy looks for them only if there is a subscriber then.
    public var timeouts: SideOutput<PartialMatch<Upstream.Element>> { evaluation.sides.timeouts }

    /// How many partial matches were refused, or given up, at a limit; with the compact strategy how many of their
    /// first events.
    public var givenUpPartialMatches: UInt64 { evaluation.sides.givenUpPartialMatches }

    /// What limits have made it give up, for displays and metrics.
    public var losses: PatternLosses { evaluation.sides.losses }

    /// How many partial matches are held, by all sinks together.
    public var partialMatches: PartialMatchCount { evaluation.sides.partialMatches }

    /// How many bytes the limits allow the evaluation to take up for each sink, beyond what events refer to.
    public var memoryBound: Int { evaluation.memoryBound }

    /// What became of the partial matches of a group; nothing without a tracer in the settings.
    ///
    /// - Parameters:
    ///   - key: The group, as text.
    ///   - start: The first time of interest.
    ///   - end: The last time of interest.
    /// - Returns: The entries in the order in which they happened.
    public func trace(
        key: String,
        from start: Timestamp = .distantPast,
        through end: Timestamp = .distantFuture
    ) -> [PatternTracer.Entry] {
        evaluation.settings.tracer?.entries(of: key, from: start, through: end) ?? []
    }

    /// Which strategy evaluates the pattern.
    public var strategy: StrategyChoice { evaluation.strategy }

    /// What the pattern means.
    public var plan: PatternPlan { evaluation.plan }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        evaluation.attach(to: upstream, sink, read)
    }
}
