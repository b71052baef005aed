internal import Synchronization
public import WeirCore

/// A rule of a ``PatternSet``: its name, and what has become of it, on all streams together.
///
///     let rules = PatternSet<Tick>()
///     let rule = try rules.add(Pattern<Tick>.first.where { $0.price > 100 }, named: "dear") { print($0.symbol) }
///     ticks.attach(rules)
///     print(rule.name, rule.matchCount, rule.partialMatches.value)
///     rules.remove(rule)
///
/// Thread safety: all members, from any thread. The event that is being taken may not be counted yet.
public final class PatternRule: Sendable {
    /// The name, which no other rule of the set has.
    public let name: String

    /// How the pattern is evaluated.
    public let strategy: StrategyChoice

    /// What its limits have made it give up.
    public let losses: PatternLosses

    /// How many partial matches are held; 0 once the streams have heard that the rule was removed.
    ///
    /// As of the last event that concerned the rule.
    public let partialMatches = PartialMatchCount()

    /// The pattern as text: another one where partial matches have another meaning.
    let program: String

    // Relaxed: a count that guards nothing.
    private let matches = Atomic<UInt64>(0)
    private let firstFailure = Locked<PatternFailure?>(nil)

    init(_ name: String, _ strategy: StrategyChoice, _ program: String, partOf losses: PatternLosses) {
        self.name = name
        self.strategy = strategy
        self.program = program
        self.losses = PatternLosses(partOf: losses)
    }

    /// How many matches were found.
    public var matchCount: UInt64 { matches.load(ordering: .relaxed) }

    /// Why the rule finds nothing more on one of its streams; `nil` if it goes on.
    ///
    /// A limit whose policy is `fail` was reached. Replace the rule to begin anew.
    public var failure: PatternFailure? { firstFailure.withLock { $0 } }

    @usableFromInline
    func noteMatch() { matches.wrappingAdd(1, ordering: .relaxed) }

    /// Saves what has become of the rule, or gives it back.
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var count = matchCount
        var failure = failure.map(\.fields) ?? []
        try state.exchange(&count)
        try state.exchange(&failure)
        guard state.isRestoring else { return }
        matches.store(count, ordering: .relaxed)
        if let failure = PatternFailure(fields: failure) { note(failure) }
    }

    @usableFromInline
    func note(_ failure: PatternFailure) { firstFailure.withLock { $0 = $0 ?? failure } }
}

extension PatternRule: MetricSnapshot {
    /// The numbers, each with its name.
    ///
    /// - Parameter labels: What all of them get beside the name of the rule, which is the label `rule`.
    /// - Returns: The numbers, always the same ones in the same order.
    public func samples(_ labels: [String: String]) -> [Metric] {
        let labels = labels.merging(["rule": name]) { $1 }
        var list = MetricList("weir_pattern", labels)
        list.counter("matches", matchCount)
        list.gauge("partial_matches", Double(partialMatches.value))
        return list.metrics + losses.samples(labels)
    }
}
