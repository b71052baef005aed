internal import WeirCore
internal import WeirRecords

/// What the rules of a plugin know, for the plugin that takes its place.
struct KnownRules {
    /// The time of the last record: none that is older follows.
    let lastTime: Timestamp

    /// Takes out a rule with its pending matches and pipes; `nil` where there is none of that name and plan.
    let take: (_ name: String, _ plan: QueryPlan) -> RuleRunner<[UInt8]>?
}

extension QueryRun {
    /// Takes out what a rule knows; it brings nothing more of that, also not at the end.
    mutating func take(_ name: String, _ plan: QueryPlan) -> RuleRunner<[UInt8]>? {
        guard let index = rules.firstIndex(where: { $0.name == name && $0.plan == plan }) else { return nil }
        defer { counts.update(bank) }
        return bank.takeRunner(at: index)
    }

    /// Goes on with what rules of the same names and plans know.
    mutating func goOn(with known: KnownRules) {
        for (index, rule) in rules.enumerated() {
            if let runner = known.take(rule.name, rule.plan) { bank.goOn(with: runner, at: index) }
        }
        bank.begin(at: known.lastTime)
        counts.update(bank)
    }
}
