internal import WeirCore
internal import WeirRecords

/// What the rules of a plugin know, for the plugin that takes its place.
struct KnownRules {
    /// The time of the last record: none that is older follows.
    let lastTime: Timestamp

    /// Takes out a rule with its pending matches and pipes; `nil` where there is none of that name and plan.
    let take: (_ name: String, _ plan: QueryPlan) -> BankRule?
}

extension QueryRun {
    /// Takes out what a rule knows; it brings nothing more of that, also not at the end.
    mutating func takeRule(at index: Int) -> BankRule {
        defer { counts.update(bank) }
        return bank.takeRule(at: index)
    }

    /// Goes on with what rules of the same names and plans know.
    mutating func goOn(with known: KnownRules) {
        for (index, rule) in rules.enumerated() {
            if let known = known.take(rule.name, rule.plan) { bank.goOn(with: known, at: index) }
        }
        bank.begin(at: known.lastTime)
        counts.update(bank)
    }
}
