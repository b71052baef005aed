internal import WeirCore
internal import WeirRecords

/// All rules of a plugin with their state: takes records, and says what they bring.
struct RuleBank {
    /// What a rule brings, and at which record.
    private struct Finding {
        let row: Int
        let isDirect: Bool
        let rule: Int
        let match: FoundMatch<KeptRecord>

        /// By the record, then what was certain when time passed before the rest, then by the rule.
        func isBehind(_ other: Finding) -> Bool {
            (row, isDirect ? 1 : 0, rule) > (other.row, other.isDirect ? 1 : 0, other.rule)
        }
    }

    private let fields: QueryFields
    private let objects: RecordObjects
    private var rules: [RuleRunner<[UInt8]>] = []

    // By rule.
    private var conditions: [[Condition]] = []
    private var evaluator: ConditionEvaluator
    private var times = RecordColumn<Timestamp>(field: 0)
    private(set) var lastTime = Timestamp.distantPast
    private var findings: [Finding] = []
    private var results: [QueryFinding<[UInt8]>] = []
    private var found: [FoundMatch<KeptRecord>] = []
    private var keys: EventKeys = []
    private var matched: [Bool] = []

    // The keys of single fields, by the field, then by the code of the text.
    private var knownKeys: [[[EventKey]]]

    // By the field, then by the record: the number of the text, times 4, and its kind; negative where there is none.
    private var keyCodes: [[Int32]]
    // By the field: the batch whose codes they are.
    private var keyStamps: [Int]
    private var stamp = 0

    /// How far the records were out of order.
    private(set) var order = RecordOrder()

    /// How many combinations of keys were not looked at.
    private(set) var combinationsLeftOut: UInt64 = 0

    init(_ plans: [QueryPlan], over fields: QueryFields, limit: Int) {
        self.fields = fields
        objects = RecordObjects(fields.schema)
        knownKeys = Array(repeating: [], count: fields.fields.count)
        keyCodes = Array(repeating: [], count: fields.fields.count)
        keyStamps = Array(repeating: 0, count: fields.fields.count)
        var set = ConditionSet(over: fields.fields)
        for plan in plans {
            let plan = fields.rebased(plan)
            rules.append(RuleRunner(plan, limit: limit))
            conditions.append(plan.situation.steps.map { set.add($0) })
        }
        evaluator = ConditionEvaluator(set, over: fields)
    }

    var pendingCount: Int { rules.reduce(0) { $0 + $1.pendingCount } }
    var givenUpCount: UInt64 { rules.reduce(0) { $0 + $1.givenUpCount } }
    var pipedAwayCount: UInt64 { rules.reduce(0) { $0 + $1.pipedAwayCount } }
    var isExhausted: Bool { !rules.isEmpty && rules.allSatisfy(\.isExhausted) }

    /// Takes a rule out with what it knows; it brings nothing more.
    mutating func takeRunner(at index: Int) -> RuleRunner<[UInt8]> {
        defer { rules[index].forget() }
        return rules[index]
    }

    /// Goes on with what the same rule knew.
    mutating func goOn(with runner: RuleRunner<[UInt8]>, at index: Int) { rules[index].goOn(with: runner) }

    /// Begins where others have ended: no record before a time follows.
    mutating func begin(at time: Timestamp) { lastTime = max(lastTime, time) }

    /// Takes the records of a batch.
    ///
    /// - Parameters:
    ///   - batch: The records; those without a time, or whose time goes back, are refused.
    ///   - write: Takes what the rules bring, in the order of the records and of the rules.
    mutating func receive(
        _ batch: inout RecordBatch,
        write: (_ rule: Int, _ finding: QueryFinding<[UInt8]>) -> Void
    ) {
        times.read(batch)
        stamp += 1
        evaluator.begin(batch)
        var start = 0
        while start < batch.count {
            let count = min(RowBits.rowCount, batch.count - start)
            let accepted = accept(start, count, &batch)
            evaluator.beginBlock()
            for rule in rules.indices where !rules[rule].isExhausted { run(rule, batch, start, accepted) }
            flush(write)
            start += count
        }
    }

    /// Declares that no record follows.
    mutating func finish(_ completion: Completion, write: (_ rule: Int, _ finding: QueryFinding<[UInt8]>) -> Void) {
        for rule in rules.indices {
            rules[rule].finish(completion, into: &results)
            for result in results { write(rule, result) }
            results.removeAll()
        }
    }

    /// Refuses records by their times.
    private mutating func accept(_ start: Int, _ count: Int, _ batch: inout RecordBatch) -> RowBits {
        var accepted = RowBits.first(count)
        for row in 0..<count {
            let index = start + row
            if times.isValid(index) {
                let time = times.values[index]
                order.note(time)
                if time >= lastTime || !fields.schema.isOrdered {
                    lastTime = max(lastTime, time)
                    continue
                }
            }
            accepted[row >> 6] &= ~(1 << UInt64(row & 63))
            let error = times.error(at: index, in: batch) ?? FieldError(field: 0, reason: .goesBack)
            batch.reject(recordAt: index, because: error)
        }
        return accepted
    }

    private mutating func run(_ rule: Int, _ batch: borrowing RecordBatch, _ start: Int, _ accepted: RowBits) {
        let conditions = conditions[rule]
        var wanted = RowBits.zero
        var bits: [RowBits] = []
        for condition in conditions {
            let yes = evaluator.truths(of: condition, in: batch, from: start, wanted: accepted).yes & accepted
            bits.append(yes)
            wanted |= yes
        }
        if !wanted.isEmpty, rules[rule].hasKeys { readKeyCodes(rule, batch) }
        matched = Array(repeating: false, count: conditions.count)
        for word in 0..<8 {
            var rest = wanted[word]
            while rest != 0 {
                let row = word << 6 + rest.trailingZeroBitCount
                rest &= rest - 1
                for index in bits.indices { matched[index] = bits[index][row: row] }
                receive(rule, batch, start + row)
                note(rule, start, start + row, accepted)
            }
        }
        rules[rule].advance(to: lastTime.nanosecondsSinceEpoch, found: &found)
        note(rule, start, nil, accepted)
    }

    private mutating func receive(_ rule: Int, _ batch: borrowing RecordBatch, _ row: Int) {
        if rules[rule].hasKeys { readKeys(rule, batch, row) }
        let (reader, terms) = (evaluator.columns.values, rules[rule].pipeTerms)
        func kept() -> KeptRecord {
            KeptRecord(
                content: objects.bytes(ofRecordAt: row, in: batch, hasTypes: reader.hasTypes),
                values: terms.map { terms in
                    terms.map { term in
                        var values = [QueryValue](repeating: .missing, count: reader.fields.fields.count)
                        for field in term.fields { values[field] = reader.value(of: field, at: row, in: batch) }
                        return term.value(of: values)
                    }
                }
            )
        }
        var payload: KeptRecord?
        rules[rule].receive(
            matched,
            at: times.values[row].nanosecondsSinceEpoch,
            keys: &keys,
            payload: {
                let event = payload ?? kept()
                payload = event
                return event
            },
            found: &found
        )
    }

    /// Reads the codes of the fields that are keys by themselves, once for a batch.
    private mutating func readKeyCodes(_ rule: Int, _ batch: borrowing RecordBatch) {
        for set in rules[rule].keySets where set.count == 1 && keyStamps[set[0].field] != stamp {
            let field = set[0].field
            keyStamps[field] = stamp
            var all = exchange(&keyCodes[field], with: [])
            evaluator.columns.withTexts(ofPlace: fields.places[field], in: batch) { codes, kinds, _ in
                all.removeAll(keepingCapacity: true)
                for row in codes.indices { all.append(codes[row] < 0 ? -1 : codes[row] * 4 + Int32(kinds[row])) }
            }
            keyCodes[field] = all
        }
    }

    /// Reads the keys of an event, for each of the different keys of a rule.
    private mutating func readKeys(_ rule: Int, _ batch: borrowing RecordBatch, _ row: Int) {
        let sets = rules[rule].keySets
        if keys.count != sets.count { keys = Array(repeating: [], count: sets.count) }
        for index in sets.indices { readKeys(sets[index], at: index, batch, row) }
    }

    /// Reads the keys of an event: a combination of the values of each field.
    private mutating func readKeys(
        _ set: [QueryPlan.Key],
        at index: Int,
        _ batch: borrowing RecordBatch,
        _ row: Int
    ) {
        guard set.count == 1 else { return keys[index] = combinedKeys(set, batch, row) }
        let field = set[0].field
        let known = Int(keyCodes[field][row])
        guard known >= 0 else { return keys[index] = combinedKeys(set, batch, row) }
        if known < knownKeys[field].count, !knownKeys[field][known].isEmpty {
            // Into the array that is there: the engine writes into it, and a shared one would be copied then.
            keys[index].removeAll(keepingCapacity: true)
            for key in knownKeys[field][known] { keys[index].append(key) }
            return
        }
        keys[index] = combinedKeys(set, batch, row)
        // What is missing may be a key for one step and none for another one.
        guard !evaluator.columns.values.value(of: field, at: row, in: batch).isMissing else { return }
        while knownKeys[field].count <= known { knownKeys[field].append([]) }
        knownKeys[field][known] = keys[index]
    }

    private mutating func combinedKeys(_ set: [QueryPlan.Key], _ batch: borrowing RecordBatch, _ row: Int) -> [EventKey]
    {
        let (keys, leftOut) = EventKey.keys(set) { evaluator.columns.values.value(of: $0, at: row, in: batch) }
        combinationsLeftOut += UInt64(leftOut)
        return keys
    }

    /// Notes at which record the matches were found.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - start: The first record of the block.
    ///   - row: The record that was taken; `nil` for those that were found when time passed.
    ///   - accepted: The records of the block that count.
    private mutating func note(_ rule: Int, _ start: Int, _ row: Int?, _ accepted: RowBits) {
        guard !found.isEmpty else { return }
        for match in found {
            let isDirect = row.map { times.values[$0].nanosecondsSinceEpoch == match.time } ?? false
            var place = row ?? start
            if !isDirect {
                // What was certain when time passed stands before the first record that is later.
                place = start
                while !accepted[row: place - start] || times.values[place].nanosecondsSinceEpoch <= match.time {
                    place += 1
                }
            }
            findings.append(Finding(row: place, isDirect: isDirect, rule: rule, match: match))
        }
        found.removeAll(keepingCapacity: true)
    }

    private mutating func flush(_ write: (_ rule: Int, _ finding: QueryFinding<[UInt8]>) -> Void) {
        guard !findings.isEmpty else { return }
        // What one rule finds at its records is in order already.
        let isOrdered = !findings.indices.dropFirst().contains { findings[$0 - 1].isBehind(findings[$0]) }
        let order =
            isOrdered
            ? []
            : findings.indices.sorted { left, right in
                findings[right].isBehind(findings[left]) || !findings[left].isBehind(findings[right]) && left < right
            }
        for index in findings.indices {
            let finding = findings[isOrdered ? index : order[index]]
            rules[finding.rule].pipe(finding.match, into: &results)
            for result in results { write(finding.rule, result) }
            results.removeAll(keepingCapacity: true)
        }
        findings.removeAll(keepingCapacity: true)
    }
}
