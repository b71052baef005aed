internal import WeirCore
public import WeirRecords

/// Situations that were stated as text, as a plugin.
///
/// A match is an object with the name of its rule, the time when it was certain, the values of its keys, and its events as
/// they came, with `null` for each that has to be missing. Of formats without objects an event has the fields that the schema
/// shows and the rules name.
///
/// Records must come in the order of their times, unless all rules look at single events; others are refused.
///
/// Thread safety: a value.
public struct QueryPlugin: Plugin {
    public let name: String
    public let summary = "Finds what queries say."
    public let examples: [(arguments: String, meaning: String)] = []

    /// The rules, in the order in which matches of the same record are written.
    public let rules: [QueryRule<QueryPlan>]

    /// What is known of the records.
    public let schema: QuerySchema

    // Whether it explains partial matches, and writes no matches.
    private var isTrace = false
    private var showsLines = true

    /// Creates a plugin.
    ///
    /// - Parameters:
    ///   - rules: The rules, in the order in which matches of the same record are written.
    ///   - schema: What is known of the records; that with which the rules were compiled.
    ///   - name: The name of the plugin.
    public init(_ rules: [QueryRule<QueryPlan>], over schema: QuerySchema, name: String = "match") {
        self.rules = rules
        self.schema = schema
        self.name = name
    }

    /// A plugin that explains, with the same rules, what became of partial matches.
    ///
    /// It has the options `why`, for the keys to explain, and `near`, for how many partial matches of each rule or key it
    /// shows. At the end of the input it writes them as text, or with `output=json` as an object each.
    ///
    /// - Parameter showingLines: Whether to say on which line of the input an event is: not where there are several inputs.
    /// - Returns: The plugin.
    public func explainingNearMatches(showingLines: Bool = true) -> QueryPlugin {
        var plugin = self
        plugin.isTrace = true
        plugin.showsLines = showingLines
        return plugin
    }

    private static let limit = OptionDeclaration(
        "max-pending",
        .integer(1...100_000_000),
        default: "1000000",
        help: "how many keys and events a rule keeps for pending matches; the oldest give way"
    )
    private static let output = OptionDeclaration(
        "output",
        .choice(["matches", "events"]),
        default: "matches",
        help: "what to write: matches, or their events alone"
    )

    public var options: [OptionDeclaration] {
        OptionDeclaration.times + (isTrace ? TraceRequest.options : [Self.output]) + [Self.limit]
    }

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let times = try options.times(countingIn: output)
        let fields = QueryFields(rules.map(\.plan), over: schema, times: times)
        if isTrace {
            let request = try TraceRequest(options, rules)
            return TraceRun.consumer(
                TraceRun(
                    rules,
                    request,
                    over: fields,
                    showsLines: showsLines,
                    limit: options.integer(Self.limit.name),
                    times.form,
                    output
                )
            )
        }
        let run = SharedCell(
            driven: QueryRun(
                rules,
                bank: RuleBank(rules.map(\.plan), over: fields, limit: options.integer(Self.limit.name)),
                lines: MatchLines(
                    rules,
                    timeForm: times.form,
                    writesEvents: options.text(Self.output.name) == "events",
                    output: output
                ),
                counts: QueryCounts(output, limitOption: Self.limit.name)
            )
        )
        var consumer = RecordConsumer(
            schema: fields.schema,
            receive: { batch in run.withLocal { $0.receive(&batch) } },
            finish: { completion in run.withLocal { $0.finish(completion) } },
            order: {
                var order = RecordOrder()
                run.withLocal { order = $0.bank.order }
                return order
            }
        )
        if rules.contains(where: { $0.plan.situation.steps.contains(where: \.isMissing) }) {
            consumer.advance = { time in run.withLocal { $0.advance(to: time) } }
        }
        consumer.handover = ConsumerHandover(
            known: { [rules] in
                var lastTime = Timestamp.distantPast
                run.withLocal { lastTime = $0.bank.lastTime }
                let places = Dictionary(rules.enumerated().map { ($1.name, $0) }) { first, _ in first }
                return KnownRules(lastTime: lastTime) { name, plan in
                    guard let place = places[name], rules[place].plan == plan else { return nil }
                    var rule: BankRule?
                    run.withLocal { rule = $0.takeRule(at: place) }
                    return rule
                }
            },
            goOn: { known in
                guard let known = known as? KnownRules else { return }
                run.withLocal { $0.goOn(with: known) }
            }
        )
        func exchange(_ state: inout StateExchange) throws(StateError) {
            try state.begin("times")
            try times.exchangeState(&state)
            try run.value.exchangeState(&state)
        }
        consumer.state = ConsumerState(
            // The checkpoint itself says which rules it has.
            fingerprint: "queries",
            save: {
                try Checkpoint(of: exchange).bytes
            },
            restore: { bytes, drops in
                let report = try Checkpoint(bytes).restore(droppingMismatches: drops, to: exchange)
                run.withLocal { $0.goOn() }
                return report
            }
        )
        return consumer
    }

    public func matchFields(_ options: OptionValues) -> [String] {
        guard !isTrace, options.text(Self.output.name) != "events" else { return [] }
        var keys: [String] = []
        for name in rules.flatMap(\.plan.keyNames) where !keys.contains(name) { keys.append(name) }
        let hasCounts = rules.contains { $0.plan.pipes.contains { if case .count = $0 { true } else { false } } }
        return (rules.contains { $0.severity != nil } ? ["rule", "severity"] : ["rule"])
            + ["time"] + keys.map { "keys.\($0)" } + ["events"] + (hasCounts ? ["key", "count", "percent"] : [])
    }

    public func partitionField(_ options: OptionValues) -> String? {
        guard !isTrace else { return nil }
        let fields = Set(rules.map { $0.plan.partitionField })
        return fields.count == 1 ? fields.first ?? nil : nil
    }

    public func graph(_ options: OptionValues) -> PluginGraph {
        var graph = PluginGraph()
        let records = graph.add("records", .source)
        let steps = rules.map { graph.add("\($0.name): \($0.plan.situation.summary)", .step, after: records) }
        graph.add("matches", .sink, after: steps.isEmpty ? [records] : steps)
        return graph
    }

    public func makeDemo(seed: UInt64) -> any TransportSource { QueryDemo.source(seed: seed) }
}

extension QueryLanguage where Plan == QueryPlan {
    public func makePlugin(_ rules: [QueryRule<QueryPlan>], over schema: QuerySchema) -> any Plugin {
        QueryPlugin(rules, over: schema)
    }
}

extension QueryPlan {
    /// The names of the fields whose values a match shows as its keys.
    var keyNames: [String] {
        let keys = situation.steps.first { !$0.isMissing }?.keys ?? []
        return keys.map { fields[$0.field].name }
    }

    /// The field whose values all steps keep apart; `nil` where there is none.
    fileprivate var partitionField: String? {
        let steps = situation.steps
        guard pipes.isEmpty, let keys = steps.first?.keys, keys.count == 1,
            steps.allSatisfy({ $0.keys == keys }), !keys[0].acceptsMissing
        else { return nil }
        return fields[keys[0].field].name
    }
}

extension QueryPlan.Situation {
    /// A few words.
    fileprivate var summary: String {
        switch self {
        case .event: "events"
        case .sequence(let sequence): "a sequence of \(sequence.steps.count) steps"
        case .sample(let steps): "a sample of \(steps.count) steps"
        }
    }
}
