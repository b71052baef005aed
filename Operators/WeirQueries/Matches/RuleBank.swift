internal import WeirCore
internal import WeirRecords

/// All rules of a plugin with their state: takes records, and says what they bring.
struct RuleBank {
    /// What a rule brings, and at which record.
    private struct Finding {
        let row: Int
        let isDirect: Bool
        let rule: Int
        /// The index of the match.
        let match: Int

        /// By the record, then what was certain when time passed before the rest, then by the rule.
        func isBehind(_ other: Finding) -> Bool {
            (row, isDirect ? 1 : 0, rule) > (other.row, other.isDirect ? 1 : 0, other.rule)
        }
    }

    private let fields: QueryFields
    private let objects: RecordObjects
    private var rules: [BankRule] = []
    private let store = EventStore()

    // Whether the terms of pipes want fields of kept events.
    private let keepsFields: Bool
    // Whether several rules may keep the same event.
    private let sharesEvents: Bool

    private var evaluator: ConditionEvaluator
    private var times = RecordColumn<Timestamp>(field: 0)
    private(set) var lastTime = Timestamp.distantPast
    private var findings: [Finding] = []
    private var results: [QueryFinding<[UInt8]>] = []
    private var found = FoundMatches()
    // How many of the matches have been noted.
    private var notedCount = 0

    // The keys of single fields, by the field.
    private var keyColumns: [KeyColumn?]
    // By the field: the batch that they are of.
    private var keyStamps: [Int]
    private var stamp = 0

    private var hasRecords = false

    /// The categories of events that matches have.
    private var wantedCategories: Set<String> = []

    // Of the block: the records that satisfy each step.
    private var bits: [RowBits] = []
    // Of the block, by record: its event, where rules share them.
    private var keptEvents: [UInt32] = []

    /// How far the records were out of order.
    private(set) var order = RecordOrder()

    /// How many combinations of keys were not looked at.
    private(set) var combinationsLeftOut: UInt64 = 0

    init(_ plans: [QueryPlan], over fields: QueryFields, limit: Int) {
        self.fields = fields
        objects = RecordObjects(fields.schema)
        keyColumns = fields.fields.indices.map { KeyColumn($0, of: fields) }
        keyStamps = Array(repeating: 0, count: fields.fields.count)
        var set = ConditionSet(over: fields.fields)
        let shape = store.add(fields)
        for plan in plans {
            let plan = fields.rebased(plan)
            let conditions = plan.situation.steps.map { set.add($0) }
            rules.append(BankRule(plan, conditions, limit: limit, store, shape))
            wantedCategories.formUnion(plan.situation.wantedSteps.compactMap(\.category))
        }
        keepsFields = rules.contains { !$0.runner.pipeTerms.isEmpty }
        sharesEvents = rules.filter(\.runner.hasKeys).count > 1
        evaluator = ConditionEvaluator(set, over: fields)
    }

    var pendingCount: Int { rules.reduce(0) { $0 + $1.runner.pendingCount } }
    var givenUpCount: UInt64 { rules.reduce(0) { $0 + $1.runner.givenUpCount } }
    var pipedAwayCount: UInt64 { rules.reduce(0) { $0 + $1.runner.pipedAwayCount } }
    var isExhausted: Bool { !rules.isEmpty && rules.allSatisfy(\.runner.isExhausted) }

    /// Takes a rule out with what it knows; it brings nothing more.
    mutating func takeRule(at index: Int) -> BankRule {
        defer { rules[index].runner.forget() }
        return rules[index]
    }

    /// Goes on with what the same rule knew: its events stay where they are.
    mutating func goOn(with rule: BankRule, at index: Int) {
        rules[index].runner.goOn(with: rule.runner)
        rules[index].store = rule.store
        rules[index].shape = rule.store.add(fields)
    }

    /// Begins where others have ended: no record before a time follows.
    mutating func begin(at time: Timestamp) { lastTime = max(lastTime, time) }

    /// Saves what the rules keep, or gives it back: the events of all together, then for each rule what is its own.
    ///
    /// - Parameters:
    ///   - state: Takes the fields.
    ///   - programs: For each rule its name, and what tells it from others.
    /// - Throws: `StateError`.
    mutating func exchangeState(
        _ state: inout StateExchange,
        _ programs: [(name: String, text: String)]
    ) throws(StateError) {
        var seen = evaluator.seenCategories
        try state.begin("records")
        try state.exchange(&lastTime)
        try state.exchange(&order)
        try state.exchange(&hasRecords)
        try state.exchange(&seen)
        if state.isRestoring { evaluator.noteSeen(seen) }
        var (saved, stores, numbers): ([SavedRule], [EventStore], EventNumbers) = ([], [], EventNumbers())
        if state.isSaving {
            for rule in rules {
                numbers.store = stores.firstIndex { $0 === rule.store } ?? stores.count
                if numbers.store == stores.count { stores.append(rule.store) }
                saved.append(rule.runner.saved(&numbers))
            }
        }
        let wanted = Set(rules.flatMap { $0.runner.pipeTerms.joined().flatMap(\.fields) }).sorted()
            .map { fields.fields[$0] }
        var names = wanted.map(\.savedName)
        let events = numbers.events.map { stores[$0.store].saved($0.number, wanted) }
        try state.begin("events")
        try state.exchange(&names)
        if state.isRestoring { store.restore(names) }
        var restored = RestoredEvents()
        try state.exchange(events, ofAtLeast: SavedEvent.leastSize) { (events, count) throws(StateError) in
            restored.numbers.reserveCapacity(count)
            for event in events {
                guard let number = store.restore(event, fieldCount: names.count) else {
                    throw .damaged("the events of a query have other fields", offset: 0)
                }
                restored.numbers.append(number)
            }
        }
        for (index, program) in programs.enumerated() {
            try state.scoped("rule \(program.name)") { state throws(StateError) in
                try rules[index].runner.exchangeState(
                    &state,
                    state.isSaving ? saved[index] : SavedRule(),
                    program.text,
                    restored,
                    { store.retain($0) },
                    pack: { SavedBytes($0) },
                    unpack: \.bytes
                )
            }
        }
        for event in restored.numbers { store.release(event) }
    }

    /// Takes the records of a batch.
    ///
    /// - Parameters:
    ///   - batch: The records; those without a time, or whose time goes back, are refused.
    ///   - lines: Takes what the rules bring, in the order of the records and of the rules.
    mutating func receive(_ batch: inout RecordBatch, into lines: inout MatchLines) {
        times.read(batch)
        stamp += 1
        evaluator.begin(batch)
        var start = 0
        while start < batch.count {
            let count = min(RowBits.rowCount, batch.count - start)
            let accepted = accept(start, count, &batch)
            if !accepted.isEmpty { hasRecords = true }
            evaluator.beginBlock()
            if sharesEvents { keptEvents = Array(repeating: FoundMatches.missing, count: count) }
            for rule in rules.indices where !rules[rule].runner.isExhausted { run(rule, batch, start, accepted) }
            flush(batch, &lines)
            if sharesEvents {
                for event in keptEvents where event != FoundMatches.missing { store.release(event) }
            }
            start += count
        }
    }

    /// Declares that no record before a time follows; those that come all the same are refused.
    mutating func advance(to time: Timestamp, into lines: inout MatchLines) {
        guard fields.schema.isOrdered, time > lastTime else { return }
        lastTime = time
        found.row = -1
        for rule in rules.indices where !rules[rule].runner.isExhausted {
            let first = found.matches.count
            rules[rule].runner.advance(to: time.nanosecondsSinceEpoch, found: &found)
            rules[rule].releaseEvents()
            for match in first..<found.matches.count {
                findings.append(Finding(row: 0, isDirect: false, rule: rule, match: match))
            }
        }
        findings.sort { (found.matches[$0.match].time, $0.match) < (found.matches[$1.match].time, $1.match) }
        for finding in findings { writeKept(found.matches[finding.match], of: finding.rule, &lines) }
        findings.removeAll(keepingCapacity: true)
        found.removeAll()
    }

    /// What is said where rules name categories that no record has had.
    var categoryRemark: String? { hasRecords ? evaluator.remark(onCategories: wantedCategories) : nil }

    /// Declares that no record follows.
    mutating func finish(_ completion: Completion, into lines: inout MatchLines) {
        for rule in rules.indices {
            rules[rule].runner.finish(completion, found: &found)
            for match in found.matches { writeKept(match, of: rule, &lines) }
            rules[rule].releaseEvents()
            found.removeAll()
            rules[rule].runner.finishPipes(into: &results)
            for result in results { lines.write(rule, result) }
            results.removeAll()
        }
    }

    /// Writes a match that was found when time passed, so that all of its events are kept, or sends it through the pipes.
    private mutating func writeKept(_ match: FoundMatches.Match, of rule: Int, _ lines: inout MatchLines) {
        guard rules[rule].runner.hasPipes else {
            return write(match, of: rule, &lines) { store, event, json in store.append(event, to: &json) }
        }
        let forPipes = pipedMatch(match, of: rule) { store, event in
            var json: [UInt8] = []
            store.append(event, to: &json)
            return json
        } values: { store, event, terms in
            store.values(of: event, terms, fields: fields)
        }
        rules[rule].runner.pipe(forPipes, into: &results)
        for result in results { lines.write(rule, result) }
        results.removeAll(keepingCapacity: true)
    }

    /// Refuses records by their times.
    private mutating func accept(_ start: Int, _ count: Int, _ batch: inout RecordBatch) -> RowBits {
        batch.accept(start, count, times, &lastTime, &order)
    }

    private mutating func run(_ rule: Int, _ batch: borrowing RecordBatch, _ start: Int, _ accepted: RowBits) {
        var wanted = RowBits.zero
        bits.removeAll(keepingCapacity: true)
        for condition in rules[rule].conditions {
            let yes = evaluator.truths(of: condition, in: batch, from: start, wanted: accepted).yes & accepted
            bits.append(yes)
            wanted |= yes
        }
        if rules[rule].runner.hasKeys {
            if !wanted.isEmpty { receive(rule, batch, start, wanted) }
            found.row = -1
            rules[rule].runner.advance(to: lastTime.nanosecondsSinceEpoch, found: &found)
            rules[rule].releaseEvents()
        } else {
            wanted.forEachRow { row in
                found.row = start + row
                found.append(EventKey(), at: times.values[start + row].nanosecondsSinceEpoch, count: 1)
                found.setEvent(0, FoundMatches.current)
            }
        }
        note(rule, start, accepted)
    }

    /// Gives the events of a block to a rule.
    private mutating func receive(_ rule: Int, _ batch: borrowing RecordBatch, _ start: Int, _ wanted: RowBits) {
        var column: KeyColumn?
        if let field = rules[rule].keyField {
            column = exchange(&keyColumns[field], with: nil)
            if keyStamps[field] != stamp {
                keyStamps[field] = stamp
                column?.read(batch, &evaluator.columns)
            }
        }
        let block = EventBlock(
            start: start,
            wanted: wanted,
            times: times.values,
            reader: evaluator.columns.values,
            objects: objects,
            keepsFields: keepsFields
        )
        // Rules that have brought their own store from another plugin share nothing.
        var shared: [UInt32] = []
        let isShared = sharesEvents && rules[rule].store === store
        if isShared { swap(&shared, &keptEvents) }
        combinationsLeftOut += rules[rule].receive(block, bits, in: batch, &column, shared: &shared, &found)
        if isShared { swap(&shared, &keptEvents) }
        if let field = rules[rule].keyField { keyColumns[field] = column }
    }

    // MARK: Matches

    /// Notes at which record the matches were found.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - start: The first record of the block.
    ///   - accepted: The records of the block that count.
    private mutating func note(_ rule: Int, _ start: Int, _ accepted: RowBits) {
        while notedCount < found.matches.count {
            let (time, row) = (found.matches[notedCount].time, found.matches[notedCount].row)
            let isDirect = row >= 0 && times.values[row].nanosecondsSinceEpoch == time
            var place = row
            if !isDirect {
                // What was certain when time passed stands before the first record that is later.
                place = start
                while !accepted[row: place - start] || times.values[place].nanosecondsSinceEpoch <= time {
                    place += 1
                }
            }
            findings.append(Finding(row: place, isDirect: isDirect, rule: rule, match: notedCount))
            notedCount += 1
        }
    }

    private mutating func flush(_ batch: borrowing RecordBatch, _ lines: inout MatchLines) {
        guard !findings.isEmpty else { return }
        // What one rule finds at its records is in order already.
        let isOrdered = !findings.indices.dropFirst().contains { findings[$0 - 1].isBehind(findings[$0]) }
        let order =
            isOrdered
            ? []
            : findings.indices.sorted { left, right in
                findings[right].isBehind(findings[left]) || !findings[left].isBehind(findings[right]) && left < right
            }
        for index in findings.indices { flush(findings[isOrdered ? index : order[index]], batch, &lines) }
        findings.removeAll(keepingCapacity: true)
        found.removeAll()
        notedCount = 0
    }

    private mutating func flush(_ finding: Finding, _ batch: borrowing RecordBatch, _ lines: inout MatchLines) {
        let match = found.matches[finding.match]
        let (rule, row) = (finding.rule, finding.row)
        guard rules[rule].runner.hasPipes else {
            return write(match, of: rule, &lines) { store, event, json in append(event, store, row, batch, &json) }
        }
        let reader = evaluator.columns.values
        let forPipes = pipedMatch(match, of: rule) { store, event in
            var json: [UInt8] = []
            append(event, store, row, batch, &json)
            return json
        } values: { store, event, terms in
            guard event == FoundMatches.current else { return store.values(of: event, terms, fields: reader.fields) }
            return terms.map { terms in
                terms.map { term in
                    var values = [QueryValue](repeating: .missing, count: reader.fields.fields.count)
                    for field in term.fields { values[field] = reader.value(of: field, at: row, in: batch) }
                    return term.value(of: values)
                }
            }
        }
        rules[rule].runner.pipe(forPipes, into: &results)
        for result in results { lines.write(rule, result) }
        results.removeAll(keepingCapacity: true)
    }

    /// Appends an event as JSON: one that is kept, or the record at hand.
    private func append(
        _ event: UInt32,
        _ store: EventStore,
        _ row: Int,
        _ batch: borrowing RecordBatch,
        _ json: inout [UInt8]
    ) {
        guard event == FoundMatches.current else { return store.append(event, to: &json) }
        objects.append(recordAt: row, in: batch, hasTypes: evaluator.columns.values.hasTypes, to: &json)
    }

    /// Writes a match, and lets go of its events.
    @inline(__always)
    private func write(
        _ match: FoundMatches.Match,
        of rule: Int,
        _ lines: inout MatchLines,
        _ append: (EventStore, UInt32, inout [UInt8]) -> Void
    ) {
        let store = rules[rule].store
        lines.write(rule, match.key, at: match.time, match.start..<match.start + match.count) {
            found.events[$0] == FoundMatches.missing
        } _: { index, json in
            append(store, found.events[index], &json)
        }
        for index in match.start..<match.start + match.count where found.events[index] < FoundMatches.current {
            store.release(found.events[index])
        }
    }

    /// A match for pipes, which keep it as long as they like; lets go of its events.
    private func pipedMatch(
        _ match: FoundMatches.Match,
        of rule: Int,
        _ content: (EventStore, UInt32) -> [UInt8],
        values: (EventStore, UInt32, [[TermProgram]]) -> [[QueryValue]]
    ) -> FoundMatch<KeptRecord> {
        let (store, terms) = (rules[rule].store, rules[rule].runner.pipeTerms)
        var events: [KeptRecord?] = []
        for event in found.events[match.start..<match.start + match.count] {
            guard event != FoundMatches.missing else {
                events.append(nil)
                continue
            }
            // Pipes look at the first event alone.
            let isFirst = !events.contains { $0 != nil }
            events.append(
                KeptRecord(content: content(store, event), values: isFirst ? values(store, event, terms) : [])
            )
            if event < FoundMatches.current { store.release(event) }
        }
        return FoundMatch(key: match.key, events: events, time: match.time)
    }
}
