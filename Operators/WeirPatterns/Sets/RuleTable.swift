/// What a set knows of a pattern before it has a name.
@usableFromInline
struct RuleDraft<Element: Sendable>: Sendable {
    @usableFromInline let plan: PatternPlan
    @usableFromInline let conditions: ConditionTable<Element>
    @usableFromInline let strategy: StrategyChoice
    @usableFromInline let makeEngine: @Sendable (PatternRule, PatternSides<Element>) -> RuleEngine<Element>

    var program: String { PatternExplanation.program(of: plan) }

    @inlinable
    init<Pattern: EventPattern>(
        _ pattern: Pattern,
        _ limits: PatternLimits,
        _ body: @escaping @Sendable (Pattern.Match) -> Void
    ) throws(PatternError) where Pattern.Element == Element {
        let parts = try pattern.parts()
        let settings = PatternSettings(limits: limits, reportsTimeouts: false)
        let compact = try settings.compactPlan(for: parts.plan)
        plan = parts.plan
        conditions = parts.conditions
        strategy = compact == nil ? .runs : .compact
        let (plan, read, key) = (parts.plan, parts.read, parts.key)
        let conditions = parts.conditions
        makeEngine = { rule, sides in
            let output = RuleOutput<Element>(rule) { match in body(read(match)) }
            // The index evaluates the conditions on the event.
            let truths = TruthTable<Element>(ConditionTable(), 0)
            if let compact {
                let strategy = CompactStrategy<Element>(compact, limits, reportsTimeouts: false, isGrouped: key != nil)
                return RuleEngine(
                    rule,
                    PatternFront(strategy, within: plan.within, truths, key, settings, sides, output)
                )
            }
            let strategy = RunsStrategy(plan: plan, conditions: conditions, limits: limits, isGrouped: key != nil)
            return RuleEngine(rule, PatternFront(strategy, within: plan.within, truths, key, settings, sides, output))
        }
    }
}

/// A rule of a set, from which each stream that the set is attached to makes an engine.
@usableFromInline
struct Rule<Element: Sendable>: Sendable {
    let rule: PatternRule
    let makeEngine: @Sendable (PatternRule, PatternSides<Element>) -> RuleEngine<Element>
    /// The places of its conditions in the index.
    let conditions: Set<Int>
    /// Its place in the order of the rules.
    let rank: Int
}

/// The rules of a set with their index: what the set changes, and attached streams copy.
struct RuleTable<Element: Sendable>: Sendable {
    /// What a change has left over; foreign code may run when it is released, so no lock may be held then.
    struct Remains: Sendable {
        var rule: Rule<Element>?
        var conditions: [RuleIndex<Element>.Condition] = []
    }

    /// By number, which is used again when a rule has gone.
    private(set) var rules: [Rule<Element>?] = []
    private(set) var builder = RuleIndexBuilder<Element>()
    private var numbers: [String: Int] = [:]
    private var freeNumbers: [Int] = []
    private var addedCount = 0

    var count: Int { numbers.count }

    /// The rules in their order.
    var inOrder: [PatternRule] { rules.compactMap(\.self).sorted { $0.rank < $1.rank }.map(\.rule) }

    subscript(name: String) -> PatternRule? { numbers[name].flatMap { rules[$0]?.rule } }

    mutating func add(
        _ draft: RuleDraft<Element>,
        _ name: String?,
        _ losses: PatternLosses
    ) throws(PatternError) -> PatternRule {
        if let name, numbers[name] != nil { throw .duplicateRule(name) }
        addedCount += 1
        let rule = PatternRule(name ?? unusedName(), draft.strategy, draft.program, partOf: losses)
        let number = freeNumbers.popLast() ?? rules.count
        if number == rules.count { rules.append(nil) }
        numbers[rule.name] = number
        put(rule, draft, number, rank: addedCount)
        return rule
    }

    mutating func replace(
        _ name: String,
        _ draft: RuleDraft<Element>,
        _ losses: PatternLosses
    ) throws(PatternError) -> (PatternRule, Remains) {
        guard let number = numbers[name], let old = rules[number] else { throw .unknownRule(name) }
        let rule = PatternRule(name, draft.strategy, draft.program, partOf: losses)
        let conditions = builder.remove(old.conditions, of: number)
        put(rule, draft, number, rank: old.rank)
        return (rule, Remains(rule: old, conditions: conditions))
    }

    /// - Returns: What is left over; `nil` if there is no such rule.
    mutating func remove(_ name: String) -> Remains? {
        guard let number = numbers.removeValue(forKey: name), let old = rules[number] else { return nil }
        rules[number] = nil
        freeNumbers.append(number)
        return Remains(rule: old, conditions: builder.remove(old.conditions, of: number))
    }

    mutating func makeTables() { builder.makeTables() }

    private mutating func put(_ rule: PatternRule, _ draft: RuleDraft<Element>, _ number: Int, rank: Int) {
        let unary = draft.plan.conditions.indices.filter { draft.plan.conditions[$0].isUnary }
        let conditions = builder.add(draft.conditions, unary, rule: number)
        rules[number] = Rule(rule: rule, makeEngine: draft.makeEngine, conditions: conditions, rank: rank)
    }

    private func unusedName() -> String {
        var number = addedCount
        while numbers["rule \(number)"] != nil { number += 1 }
        return "rule \(number)"
    }
}
