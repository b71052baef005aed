internal import WeirCore
internal import WeirRecords

/// What runs between a host's records and its output where partial matches are explained.
struct TraceRun {
    typealias Near = NearMatch<[UInt8]>

    private let rules: [QueryRule<QueryPlan>]
    private let request: TraceRequest
    private let fields: QueryFields
    private let objects: RecordObjects
    private let showsLines: Bool
    private let form: TimeForm
    private let output: MatchOutput
    private var traces: [RuleTrace<[UInt8]>] = []
    // By rule.
    private var conditions: [[Condition]] = []
    private var evaluator: ConditionEvaluator
    private var times = RecordColumn<Timestamp>(field: 0)
    private var lastTime = Timestamp.distantPast
    private var order = RecordOrder()
    private let givenUp: NamedCount
    private let forgotten: NamedCount
    private var hasEnded = false

    init(
        _ rules: [QueryRule<QueryPlan>],
        _ request: TraceRequest,
        over fields: QueryFields,
        showsLines: Bool,
        limit: Int,
        _ form: TimeForm,
        _ output: MatchOutput
    ) {
        (self.rules, self.request, self.fields, self.form, self.output) = (rules, request, fields, form, output)
        self.showsLines = showsLines
        objects = RecordObjects(fields.schema)
        var set = ConditionSet(over: fields.fields)
        for rule in rules {
            let plan = fields.rebased(rule.plan)
            conditions.append(plan.situation.steps.map { set.add($0) })
            // The fields of the rule, where the plan has those of all rules.
            let names = Set(rule.plan.fields.map(\.name))
            traces.append(
                RuleTrace(
                    plan,
                    shown: plan.fields.indices.filter { names.contains(plan.fields[$0].name) },
                    choice: request.choice,
                    count: request.count,
                    limit: limit
                )
            )
        }
        evaluator = ConditionEvaluator(set, over: fields)
        givenUp = output.makeCount(
            of: "pending matches were given up, because there were more keys or events than --max-pending"
        )
        forgotten = output.makeCount(
            of: "keys were forgotten, because there were more than --max-pending; less is said of their partial matches"
        )
    }

    /// What the host feeds.
    static func consumer(_ run: TraceRun) -> RecordConsumer {
        let state = SharedCell(driven: run)
        return RecordConsumer(
            schema: run.fields.schema,
            receive: { batch in state.withLocal { run in batch.withEachKind { run.receive(&$0) } } },
            finish: { completion in state.withLocal { $0.finish(completion) } },
            order: {
                var order = RecordOrder()
                state.withLocal { order = $0.order }
                return order
            }
        )
    }

    private mutating func receive(_ batch: inout RecordBatch) {
        times.read(batch)
        evaluator.begin(batch)
        var start = 0
        while start < batch.count {
            let count = min(RowBits.rowCount, batch.count - start)
            let accepted = batch.accept(start, count, times, &lastTime, &order)
            evaluator.beginBlock()
            var bits: [[RowBits]] = []
            for conditions in conditions {
                bits.append(
                    conditions.map { evaluator.truths(of: $0, in: batch, from: start, wanted: accepted).yes & accepted }
                )
            }
            for row in 0..<count where accepted[row: row] {
                receive(batch, start + row, bits.map { Self.steps($0, at: row) })
            }
            start += count
        }
    }

    /// The steps that a record of a block satisfies.
    private static func steps(_ bits: [RowBits], at row: Int) -> StepBits {
        var steps = StepBits()
        for index in bits.indices where bits[index][row: row] { steps[index] = true }
        return steps
    }

    private mutating func receive(_ batch: borrowing RecordBatch, _ row: Int, _ matched: [StepBits]) {
        let reader = evaluator.columns.values
        let values = fields.fields.indices.map { reader.value(of: $0, at: row, in: batch) }
        var category = QueryValue.missing
        for place in fields.categories where category.isMissing {
            category = reader.value(ofPlace: place, as: nil, at: row, in: batch)
        }
        var content: [UInt8]?
        func element() -> [UInt8] {
            if let content { return content }
            var bytes: [UInt8] = []
            objects.append(recordAt: row, in: batch, hasTypes: reader.hasTypes, to: &bytes)
            content = bytes
            return bytes
        }
        let line = showsLines ? batch.line(ofRecordAt: row) : 0
        for rule in traces.indices {
            traces[rule].receive(matched[rule], at: times.values[row], line: line, values, category, element)
        }
    }

    private mutating func finish(_ completion: Completion) {
        guard !hasEnded else { return }
        hasEnded = true
        for rule in rules.indices {
            let result = traces[rule].finish(completion)
            givenUp.add(result.givenUpCount)
            forgotten.add(result.forgottenCount)
            if request.writesText {
                let text = NearMatchText(
                    rule: rules[rule],
                    shown: traces[rule].shown.map { fields.fields[$0].name },
                    form: form,
                    choice: request.choice
                )
                let lines = text.lines(result)
                output.write(text: Array(lines.map { $0 + "\n" }.joined().utf8), count: result.shownCount)
            } else {
                let json = NearMatchJSON(rule: rules[rule], form: form, choice: request.choice)
                for line in json.lines(result) { output.write(line: line.json, at: line.time) }
            }
        }
        output.end()
    }
}

extension RuleTrace.Result {
    /// How many partial matches and matches people see.
    var shownCount: UInt64 { lists.reduce(0) { $0 + UInt64($1.list.shown.count + $1.list.complete.count) } }
}
