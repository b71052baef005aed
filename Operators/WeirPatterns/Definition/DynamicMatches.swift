public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Finds the matches of a pattern that was built at run time.
    ///
    /// Works like `matches(of:)` for a typed pattern; see there for what it emits, remembers and refuses.
    ///
    /// - Parameters:
    ///   - pattern: The pattern.
    ///   - settings: The order of events, limits, and other settings of the evaluation.
    /// - Returns: The matches.
    public func matches(
        of pattern: DynamicPattern<Element>,
        _ settings: PatternSettings = PatternSettings()
    ) -> DynamicMatches<Self> {
        DynamicMatches(self, pattern, settings)
    }
}

/// The matches of a pattern that was built at run time; made by `matches(of:)`.
public struct DynamicMatches<Upstream: EventStream>: EventStream {
    public typealias Element = DynamicMatch<Upstream.Element>

    @usableFromInline let upstream: Upstream

    /// The pattern.
    public let pattern: DynamicPattern<Upstream.Element>

    @usableFromInline let evaluation: PatternEvaluation<Upstream.Element, FieldValue>

    init(_ upstream: Upstream, _ pattern: DynamicPattern<Upstream.Element>, _ settings: PatternSettings) {
        self.upstream = upstream
        self.pattern = pattern
        do {
            evaluation = try PatternEvaluation(pattern.plan, pattern.conditions, pattern.key, settings)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The events that came too late.
    public var late: SideOutput<Upstream.Element> { evaluation.sides.late }

    /// The events that a limit left no room for.
    public var refused: SideOutput<Upstream.Element> { evaluation.sides.refused }

    /// The partial matches whose time was over, each at the time when its window closed.
    ///
    /// Subscribe before a sink is attached: the compact strategy looks for them only if there is a subscriber then.
    public var timeouts: SideOutput<PartialMatch<Upstream.Element>> { evaluation.sides.timeouts }

    /// How many partial matches were refused, or given up, at a limit; with the compact strategy how many of their first
    /// events.
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

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let names = pattern.names
        return evaluation.attach(to: upstream, sink) { match in DynamicMatch(match.entries, names) }
    }
}
