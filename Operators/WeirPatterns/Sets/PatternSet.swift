public import Synchronization
public import WeirCore

/// Rules, each a pattern with what takes its matches, that are looked for on a stream together and can change meanwhile.
///
///     let rules = PatternSet<Tick>()
///     for symbol in symbols {
///         let twice = Pattern<Tick>.first.where { $0.symbol == symbol }.next.where { $0.symbol == symbol }
///         try rules.add(twice, named: symbol) { (first, second) in print(first.symbol, second.price - first.price) }
///     }
///     ticks.attach(rules)
///
///     // Later, from any thread:
///     let dear = Pattern<Tick>.first.where { $0.price > 100 }.next.where { $0.price > 100 }
///     try rules.add(dear.grouped(by: \.symbol), named: "dear") { (first, second) in print(first.symbol, "is dear") }
///     rules.remove("WEIR")
///
/// A set takes patterns of all kinds: of stages, with or without groups, and those that were built at run time, with
/// either strategy. Each rule has groups and limits of its own, as with `matches(of:)`.
///
/// ### Shared conditions
///
/// Equal expressions are evaluated once for all rules, and conditions that want a certain value of a field cost one
/// look-up in a hash table for all rules together; those that want a range of a field (`<`, `<=`, `>`, `>=`, joined
/// with `&&`, and `between`) cost one binary search among all their constants. An event only touches the rules that it
/// can mean something to. So conditions should be expressions; a closure is equal to nothing and is called for every
/// event. A rule looks up its group itself, once for each event that concerns it; groups that have expired are forgotten
/// with such an event, or with a watermark. What ``PatternLimits/work`` allows is saved from the events that concern the
/// rule, not from the others.
///
/// ### Changes
///
/// A change takes effect between two signals of a stream, never in the middle of one: a stream takes over what has changed
/// when the next element, watermark or completion comes, on the thread that brings it. So a handler may change the set
/// that calls it, and the element that it was called for still meets the rules of before. When `remove` returns, another
/// thread may be working on an element that the rule still sees. That next signal takes longer: about a millisecond with
/// a thousand rules, and ten where a thousand ranges of one field have to be put in order again.
///
/// A rule that does not change keeps its partial matches. Those of a rule that is removed or replaced are given up: no
/// negation comes true for them any more, and what an after-match policy holds back is not emitted. A rule that is added
/// begins with the next element. What has been removed is released by each stream with its next signal. A handler that
/// changes its own set should refer to it weakly.
///
/// ### Streams
///
/// Each stream that the set is attached to has partial matches of its own, and they see the same changes. Elements come in
/// the order of their times; one that is older than the last, or than the watermark, goes to ``late``. Matches that one
/// element completes, and windows that close before it, come rule by rule, in the order in which the rules were added. The
/// completion settles what waits for the end; what is added to the set after it reaches the streams that go on.
///
/// ### Checkpoints
///
/// The partial matches of a rule are found again by its name, whatever other rules there are:
///
///     let checkpoint = try ticks.checkpoint()
///
///     // In another process, after the rules were added and the set was attached:
///     let report = try ticks.restore(checkpoint, droppingMismatches: true)
///
/// A rule that says something else under the same name begins anew, and so does one whose limits make it use the other
/// strategy. What conditions mean that are closures is not known: give a rule with another closure another name.
///
/// Thread safety: all members, from any thread, also from inside a handler. A handler is called by one thread at a time for
/// each stream.
///
/// - Complexity: O(conditions that are closures or no such comparisons + fields with equalities + log of the constants of
///   each field with ranges + rules that the event concerns) per event, in a space of O(*n* log *n*) for *n* ranges of a
///   field; rules with a stage that the very next event must match, with a negation at the end, or with a stage whose
///   conditions all look at captures, are looked at for each event while they have partial matches. No lock, and one atomic
///   load to see whether something has changed.
///
///   A rule takes up some 5 KB, and some 15 KB on each stream beside its partial matches, more the more conditions it has.
///   There is no limit on the number of rules; look at ``count`` before you add one that a user has sent.
public final class PatternSet<Element: Sendable>: Sendable {
    @usableFromInline let sides = PatternSides<Element>()
    // Changed under the lock. Relaxed where it is looked at: the lock orders what follows.
    @usableFromInline let version = Atomic<Int>(0)
    private let table = Locked(RuleTable<Element>())

    /// Creates a set without rules.
    public init() {}

    // MARK: Losses

    /// The elements that came too late.
    public var late: SideOutput<Element> { sides.late }

    /// The elements that the limits of a rule left no room for, once for each such rule.
    ///
    /// A rule with `fail` finds nothing more once it has met its limit, and what could begin a match comes here; the others
    /// go on. See ``PatternRule/failure``.
    public var refused: SideOutput<Element> { sides.refused }

    /// How many partial matches were refused, or given up, at a limit, of all rules together; with the compact strategy how
    /// many of their first events.
    public var givenUpPartialMatches: UInt64 { losses.partialMatches }

    /// What limits have made the rules give up, those that were removed too.
    public var losses: PatternLosses { sides.losses }

    // MARK: Rules

    /// How many rules there are.
    public var count: Int { table.withLock { $0.count } }

    /// The rules, in the order in which they were added; one that replaces another has its place.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rules.
    public var rules: [PatternRule] { table.withLock { $0.inOrder } }

    /// The rule with a name; `nil` if there is none.
    public subscript(name: String) -> PatternRule? { table.withLock { $0[name] } }

    /// Adds a rule.
    ///
    /// - Parameters:
    ///   - pattern: The pattern, of stages or built at run time, with or without groups.
    ///   - name: What the rule is called; by default `rule` and a number.
    ///   - limits: How much it may remember on each stream.
    ///   - body: Takes its matches, on the thread that brings the elements.
    /// - Returns: The rule.
    /// - Throws: ``PatternError`` if the pattern breaks a rule of patterns, or there is a rule of that name; then the set is
    ///   as it was.
    /// - Complexity: O(conditions of the pattern), beside what it takes to read it; O(conditions of all rules) for the first
    ///   change after a stream has taken over others. Each stream takes over all changes since its last signal together, in
    ///   O(*n* log *n* + *m* log *m*) for *n* rules and *m* conditions on ranges of the fields that they concern.
    @inlinable
    @discardableResult
    public func add<Pattern: EventPattern>(
        _ pattern: Pattern,
        named name: String? = nil,
        limits: PatternLimits = PatternLimits(),
        _ body: @escaping @Sendable (Pattern.Match) -> Void
    ) throws(PatternError) -> PatternRule where Pattern.Element == Element {
        try add(RuleDraft(pattern, limits, body), name)
    }

    /// Puts a rule in the place of the one with its name, which ends with its partial matches.
    ///
    /// - Parameters:
    ///   - name: What both are called.
    ///   - pattern: The pattern, of stages or built at run time, with or without groups.
    ///   - limits: How much it may remember on each stream.
    ///   - body: Takes its matches, on the thread that brings the elements.
    /// - Returns: The new rule.
    /// - Throws: ``PatternError`` if the pattern breaks a rule of patterns, or there is no rule of that name; then the set
    ///   is as it was.
    /// - Complexity: As for adding one and removing one.
    @inlinable
    @discardableResult
    public func replace<Pattern: EventPattern>(
        _ name: String,
        with pattern: Pattern,
        limits: PatternLimits = PatternLimits(),
        _ body: @escaping @Sendable (Pattern.Match) -> Void
    ) throws(PatternError) -> PatternRule where Pattern.Element == Element {
        try replace(name, RuleDraft(pattern, limits, body))
    }

    /// Removes a rule and its partial matches.
    ///
    /// - Parameter name: What it is called.
    /// - Returns: Whether there was such a rule.
    /// - Complexity: As for ``add(_:named:limits:_:)``, beside O(*k*) for *k* rules with conditions that are the same, or on
    ///   the same field.
    @discardableResult
    public func remove(_ name: String) -> Bool { remove(name) { _ in true } }

    /// Removes a rule and its partial matches, unless another one has taken its place.
    ///
    /// - Parameter rule: A rule of this set.
    /// - Returns: Whether the set had that rule.
    /// - Complexity: As for removing it by its name.
    @discardableResult
    public func remove(_ rule: PatternRule) -> Bool { remove(rule.name) { $0 === rule } }

    // MARK: Changing

    @usableFromInline
    func add(_ draft: RuleDraft<Element>, _ name: String?) throws(PatternError) -> PatternRule {
        try table.withLock { (table) throws(PatternError) in
            let rule = try table.add(draft, name, losses)
            noteChange()
            return rule
        }
    }

    @usableFromInline
    func replace(_ name: String, _ draft: RuleDraft<Element>) throws(PatternError) -> PatternRule {
        // The remains of the other rule are released outside the lock.
        let (rule, _) = try table.withLock { (table) throws(PatternError) in
            let replaced = try table.replace(name, draft, losses)
            noteChange()
            return replaced
        }
        return rule
    }

    private func remove(_ name: String, where condition: (PatternRule) -> Bool) -> Bool {
        let remains = table.withLock { table in
            guard let rule = table[name], condition(rule) else { return RuleTable<Element>.Remains?.none }
            noteChange()
            return table.remove(name)
        }
        return remains != nil
    }

    private func noteChange() { version.wrappingAdd(1, ordering: .relaxed) }

    // MARK: Streams

    /// Whether there is a later version than one.
    @inlinable
    func hasChanged(since version: Int) -> Bool { self.version.load(ordering: .relaxed) != version }

    /// The rules by number, what an event is looked up in, and the version that they are.
    func snapshot() -> (rules: [Rule<Element>?], index: RuleIndex<Element>, version: Int) {
        table.withLock { table in
            table.makeTables()
            return (table.rules, table.builder.index, version.load(ordering: .relaxed))
        }
    }
}

extension EventStream {
    /// Looks for all rules of a set.
    ///
    /// - Parameter set: The rules, with what takes their matches; they may change meanwhile.
    /// - Returns: The handle that ends it.
    @inlinable
    @discardableResult
    public func attach(_ set: PatternSet<Element>) -> Subscription {
        attach(PatternSetSink(set))
    }

    /// Looks for all rules of a set, as long as an object is there.
    ///
    /// - Parameters:
    ///   - set: The rules, with what takes their matches; they may change meanwhile.
    ///   - owner: Not kept alive. The first signal that comes after it has gone ends the search.
    /// - Returns: The handle that ends it earlier.
    @inlinable
    @discardableResult
    public func attach(_ set: PatternSet<Element>, owner: any AnyObject & Sendable) -> Subscription {
        attach(PatternSetSink(set), owner: owner)
    }
}

/// Passes each element to the rules of a set that it concerns.
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
        engines.withValue { $0.finish(completion) }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try engines.value.exchangeState(&state)
    }
}
