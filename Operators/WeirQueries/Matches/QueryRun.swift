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
        bank.receive(&batch) { lines.write($0, $1) }
        counts.update(bank)
        if bank.isExhausted { end() }
    }

    mutating func finish(_ completion: Completion) {
        bank.finish(completion) { lines.write($0, $1) }
        counts.update(bank)
        end()
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

/// Writes what rules bring.
struct MatchLines {
    private struct Rule {
        let name: String
        let severity: String?
        let keyNames: [String]
    }

    private let rules: [Rule]
    private let timeForm: TimeForm
    private let writesEvents: Bool
    private var writer = FieldWriter()
    let output: MatchOutput

    init(_ rules: [QueryRule<QueryPlan>], timeForm: TimeForm, writesEvents: Bool, output: MatchOutput) {
        self.rules = rules.map { rule in
            Rule(name: rule.name, severity: rule.severity, keyNames: rule.plan.keyNames)
        }
        self.timeForm = timeForm
        self.writesEvents = writesEvents
        self.output = output
    }

    mutating func write(_ index: Int, _ finding: QueryFinding<[UInt8]>) {
        let rule = rules[index]
        switch finding {
        case .match(let match):
            let time = Timestamp(nanosecondsSinceEpoch: match.time)
            if writesEvents {
                for case .some(let event) in match.events { output.write(line: event.content, at: time) }
                return
            }
            write(
                MatchLine(
                    rule: rule.name,
                    severity: rule.severity,
                    time: time,
                    timeForm: timeForm,
                    keyNames: rule.keyNames,
                    match: match
                ),
                at: time
            )
        case .count(let tally): write(TallyLine(rule: rule.name, tally: tally), at: nil)
        }
    }

    private mutating func write(_ event: some FieldEncodable, at time: Timestamp?) {
        writer.removeAll()
        writer.writeLine(event)
        output.write(line: Array(writer.bytes.dropLast()), at: time)
    }
}
