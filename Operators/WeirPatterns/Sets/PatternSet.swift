public import WeirCore

/// Many patterns on one stream, which share the evaluation of their conditions.
///
/// Equal expressions are evaluated once for all patterns, and conditions that want a certain value of a field cost one
/// look-up in a hash table for all patterns together; those that want a range of a field (`<`, `<=`, `>`, `>=`, joined
/// with `&&`, and `between`) cost one binary search among all their constants. An event only touches the patterns that it
/// can mean something to. So conditions should be expressions; a closure is equal to nothing and is called for every
/// event.
///
///     var rules = PatternSet<Tick>()
///     for symbol in symbols {
///         let twice = Pattern<Tick>.first.where { $0.symbol == symbol }.next.where { $0.symbol == symbol }
///         try rules.add(twice) { (first, second) in print(first.symbol, second.price - first.price) }
///     }
///     ticks.attach(rules)
///
/// Takes the patterns that the compact strategy can evaluate, without groups. Elements come in the order of their times;
/// one that is older than the last, or than the watermark, goes to ``late``.
///
/// - Complexity: O(conditions that are closures or no such comparisons + fields with equalities + log of the constants of
///   each field with ranges + patterns that the event concerns) per event, in a space of O(*n* log *n*) for *n* ranges of a
///   field; patterns with a stage that the very next event must match, or a negation at the end, are looked
///   at for each event while they have partial matches.
public struct PatternSet<Element: Sendable>: Sendable {
    /// A pattern of the set.
    @usableFromInline
    struct Rule: Sendable {
        @usableFromInline var compact: CompactPlan
        @usableFromInline var limits: PatternLimits
        @usableFromInline var body: @Sendable (borrowing FoundMatch<Element>, Timestamp) -> Void

        @inlinable
        init(
            _ compact: CompactPlan,
            _ limits: PatternLimits,
            _ body: @escaping @Sendable (borrowing FoundMatch<Element>, Timestamp) -> Void
        ) {
            self.compact = compact
            self.limits = limits
            self.body = body
        }
    }

    @usableFromInline let sides = PatternSides<Element>()

    /// The elements that came too late.
    public var late: SideOutput<Element> { sides.late }

    /// The elements that the limits of a pattern left no room for, once for each such pattern.
    ///
    /// A pattern with `fail` finds nothing more once it has met its limit; the others go on.
    public var refused: SideOutput<Element> { sides.refused }

    /// How many first events of partial matches were given up at a limit, of all patterns together.
    public var givenUpPartialMatches: UInt64 { sides.givenUpPartialMatches }

    @usableFromInline var rules: [Rule] = []
    @usableFromInline var index = RuleIndex<Element>()

    /// Creates a set without patterns.
    public init() {}

    /// How many patterns there are.
    public var count: Int { rules.count }

    /// Adds a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern, of stages or built at run time; without groups.
    ///   - limits: How much it may remember.
    ///   - body: Takes its matches.
    /// - Throws: ``PatternError`` if the pattern breaks a rule, or the compact strategy can not evaluate it within the limits.
    @inlinable
    public mutating func add<Pattern: EventPattern>(
        _ pattern: Pattern,
        limits: PatternLimits = PatternLimits(),
        _ body: @escaping @Sendable (Pattern.Match) -> Void
    ) throws(PatternError) where Pattern.Element == Element {
        let parts = try pattern.parts()
        let settings = PatternSettings(limits: limits, strategy: .compact)
        guard parts.key == nil else { throw .notCompact(reason: "a set takes patterns without groups") }
        guard let compact = try settings.compactPlan(for: parts.plan) else { return }
        let read = parts.read
        index.add(parts.conditions, compact.conditionCount, rule: rules.count)
        rules.append(
            Rule(compact, limits) { match, _ in body(read(match)) }
        )
    }
}

extension EventStream {
    /// Looks for all patterns of a set.
    ///
    /// - Parameter set: The patterns, with what takes their matches.
    /// - Returns: The handle that ends it.
    @inlinable
    @discardableResult
    public func attach(_ set: PatternSet<Element>) -> Subscription {
        attach(PatternSetSink(set))
    }
}

/// Passes each element to the patterns of a set that it concerns.
@frozen
@usableFromInline
struct PatternSetSink<Input: Sendable>: Sink {
    @usableFromInline let engines: SharedCell<RuleEngines<Input>>

    @inlinable
    init(_ set: PatternSet<Input>) {
        engines = SharedCell(RuleEngines(set))
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        engines.withValue(element) { $0.receive($1, time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        engines.withValue { $0.advance(to: watermark) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { engines.withValue { $0.advance(to: .distantFuture) } }
    }
}
