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

    private static let limit = "max-pending"
    private static let output = "output"

    public var options: [OptionDeclaration] {
        OptionDeclaration.times + [
            OptionDeclaration(
                Self.output,
                .choice(["matches", "events"]),
                default: "matches",
                help: "what to write: matches, or their events alone"
            ),
            OptionDeclaration(
                Self.limit,
                .integer(1...100_000_000),
                default: "1000000",
                help: "how many keys and events a rule keeps for pending matches; the oldest give way"
            ),
        ]
    }

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let times = try options.times(countingIn: output)
        let fields = QueryFields(rules.map(\.plan), over: schema, times: times)
        let state = SharedCell(
            driven: QueryRun(
                rules,
                bank: RuleBank(rules.map(\.plan), over: fields, limit: options.integer(Self.limit)),
                lines: MatchLines(
                    rules,
                    timeForm: times.form,
                    writesEvents: options.text(Self.output) == "events",
                    output: output
                ),
                counts: QueryCounts(output, limitOption: Self.limit)
            )
        )
        var consumer = RecordConsumer(
            schema: fields.schema,
            receive: { batch in state.withLocal { $0.receive(&batch) } },
            finish: { completion in state.withLocal { $0.finish(completion) } },
            order: {
                var order = RecordOrder()
                state.withLocal { order = $0.bank.order }
                return order
            }
        )
        consumer.handover = ConsumerHandover(
            known: {
                var lastTime = Timestamp.distantPast
                state.withLocal { lastTime = $0.bank.lastTime }
                return KnownRules(lastTime: lastTime) { name, plan in
                    var runner: RuleRunner<[UInt8]>?
                    state.withLocal { runner = $0.take(name, plan) }
                    return runner
                }
            },
            goOn: { known in
                guard let known = known as? KnownRules else { return }
                state.withLocal { $0.goOn(with: known) }
            }
        )
        return consumer
    }

    public func matchFields(_ options: OptionValues) -> [String] {
        guard options.text(Self.output) != "events" else { return [] }
        var keys: [String] = []
        for name in rules.flatMap(\.plan.keyNames) where !keys.contains(name) { keys.append(name) }
        let hasCounts = rules.contains { $0.plan.pipes.contains { if case .count = $0 { true } else { false } } }
        return (rules.contains { $0.severity != nil } ? ["rule", "severity"] : ["rule"])
            + ["time"] + keys.map { "keys.\($0)" } + ["events"] + (hasCounts ? ["key", "count", "percent"] : [])
    }

    public func partitionField(_ options: OptionValues) -> String? {
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
