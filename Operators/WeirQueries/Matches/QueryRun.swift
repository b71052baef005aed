internal import WeirCore
internal import WeirRecords

/// What runs between a host's records and its output.
struct QueryRun {
    let rules: [QueryRule<QueryPlan>]
    var bank: RuleBank
    var lines: MatchLines
    let counts: QueryCounts
    private var hasEnded = false

    init(_ rules: [QueryRule<QueryPlan>], bank: RuleBank, lines: MatchLines, counts: QueryCounts) {
        self.rules = rules
        self.bank = bank
        self.lines = lines
        self.counts = counts
    }

    mutating func receive(_ batch: inout RecordBatch) {
        batch.withEachKind { bank.receive(&$0, into: &lines) }
        lines.flush()
        counts.update(bank)
        if bank.isExhausted { end() }
    }

    /// Declares that no record before a time follows.
    mutating func advance(to time: Timestamp) {
        bank.advance(to: time, into: &lines)
        lines.flush()
        counts.update(bank)
        if bank.isExhausted { end() }
    }

    mutating func finish(_ completion: Completion) {
        if !hasEnded, let remark = bank.categoryRemark { lines.output.add(remark: remark) }
        bank.finish(completion, into: &lines)
        lines.flush()
        counts.update(bank)
        end()
    }

    /// Saves what the rules keep, or gives it back.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try bank.exchangeState(&state, rules.map { ($0.name, $0.plan.program) })
    }

    /// Goes on with what was given back.
    mutating func goOn() {
        counts.update(bank)
        if bank.isExhausted { end() }
    }

    private mutating func end() {
        guard !hasEnded else { return }
        hasEnded = true
        lines.output.end()
    }
}

/// What people should know of a run, while it runs.
final class QueryCounts: Sendable {
    private struct Values {
        var (pending, givenUp, pipedAway, leftOut) = (0, UInt64(0), UInt64(0), UInt64(0))
    }

    private let values = Locked(Values())

    init(_ output: MatchOutput, limitOption: String) {
        output.showPartialMatches { [self] in values.withLock { $0.pending } }
        output.showCount(
            of: "pending matches were given up, because there were more keys or events than --\(limitOption)"
        ) { [self] in
            values.withLock { $0.givenUp }
        }
        output.showCount(
            of: "matches were given up by pipes, or came twice, because there were more than --\(limitOption)"
        ) { [self] in
            values.withLock { $0.pipedAway }
        }
        output.showCount(
            of: "combinations of keys were left out, because an event had more than \(EventKey.mostCombinations)"
        ) { [self] in
            values.withLock { $0.leftOut }
        }
    }

    func update(_ bank: RuleBank) {
        values.withLock {
            $0 = Values(
                pending: bank.pendingCount,
                givenUp: bank.givenUpCount,
                pipedAway: bank.pipedAwayCount,
                leftOut: bank.combinationsLeftOut
            )
        }
    }
}
