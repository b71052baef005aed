internal import WeirCore
internal import WeirQueries
internal import WeirRecords

/// What came of the rules of a pipeline.
struct QueryCompilation: Sendable {
    /// What runs those that can be used.
    let plugin: any Plugin

    /// How many these are.
    let ruleCount: Int

    /// Why others cannot be used.
    let flaws: [RuleFlaw]

    /// What people should know of how the fields are read.
    let remarks: [String]

    /// Whether the plugin explains partial matches, and writes no matches.
    let explains: Bool

    /// What the rules do, for people.
    var explanation: String { explain() }

    private let explain: @Sendable () -> String

    /// Whether a rule waits for something not to happen.
    let waitsForAbsence: Bool

    /// Whether each input may have a name of its own for the time, because no option names it.
    let findsTimes: Bool

    /// What was known of the fields of the inputs.
    let sample: FieldSample

    /// Compiles rules.
    ///
    /// - Parameters:
    ///   - texts: The rules.
    ///   - options: The options of the pipeline.
    ///   - inputs: Where its records come from.
    ///   - limits: What their formats may take.
    ///   - registry: Has the languages.
    ///   - sample: What is known of the fields already, while the inputs are being read; `nil` to look at them.
    /// - Throws: ``HostError`` where no rule can be used.
    init(
        _ texts: RuleTexts,
        _ options: [String: String],
        _ inputs: [RunRequest.Input],
        _ limits: FormatLimits,
        _ registry: Registry,
        knowing sample: FieldSample? = nil
    ) throws(HostError) {
        let language = try registry.requiredLanguage(named: texts.language)
        let sample = sample ?? FieldSample(of: inputs, limits)
        self.sample = sample
        findsTimes = options[.time] == nil
        let schema = try QueryOptions.schema(options, sample)
        let result = language.compileRules(texts.rules, over: schema)
        flaws = texts.flaws + result.flaws
        ruleCount = result.plans.count
        if result.plans.isEmpty, let flaw = flaws.first {
            guard flaws.count > 1 else { throw HostError(.usage, flaw).about(.match) }
            throw .usage("none of the \(flaws.count) rules can be used; the first: \(flaw.message)")
        }
        explains = NearOptions.areGiven(options)
        if explains {
            guard let plugin = result.plugin as? QueryPlugin else {
                throw .usage("--language: partial matches of '\(language.name)' cannot be explained")
            }
            self.plugin = LabelledPlugin(plugin.explainingNearMatches(showingLines: inputs.count == 1))
        } else {
            plugin = LabelledPlugin(result.plugin)
        }
        explain = { (result.plugin as? QueryPlugin)?.explanation ?? "" }
        waitsForAbsence = result.plans.contains(where: \.waitsForAbsence)
        remarks = FieldRemarks(fields: result.plans.flatMap(\.fields), schema: schema, sample: sample).lines
    }
}

/// Why records may be read otherwise than was meant.
private struct FieldRemarks {
    let fields: [QueryPlan.Field]
    let schema: QuerySchema
    let sample: FieldSample

    /// How many fields are named that no record has shown.
    private static let shownCount = 10

    var lines: [String] { unknown + [types, shown].compactMap { $0 } }

    /// That records may have fields that were not seen.
    private var shown: String? {
        guard let first = sample.partial.first else { return nil }
        let others = sample.partial.count == 1 ? "" : " and \(sample.partial.count - 1) more"
        let size = "\(FieldSample.byteCount >> 10) KiB"
        return "matches of '\(first)'\(others) show the fields of its first \(size); --types FIELD=text adds one"
    }

    /// Fields that no record has shown; records may differ, so that is no error.
    private var unknown: [String] {
        guard !sample.names.isEmpty, !sample.isComplete else { return [] }
        let wanted = fields.filter { !$0.isOptional && !schema.categoryFields.contains($0.name) }.map(\.name)
        // Where no option names the time, each input may have another name for it.
        let times = QueryOptions.usualTimes.contains(schema.timeField) ? [] : [schema.timeField]
        let names = Set(wanted + times).subtracting(sample.names)
        let known = sample.names.sorted()
        let lines = names.sorted().prefix(Self.shownCount).map { name in
            "the first records of \(sample.source) have no field '\(name)'" + Suggestion.text(for: name, among: known)
        }
        guard names.count > lines.count else { return lines }
        return lines + [
            "nor \(Quantity.counted(UInt64(names.count - lines.count), "other field", "other fields")) of the rules"
        ]
    }

    /// How values are read that have no type of their own.
    private var types: String? {
        guard !sample.hasTypes else { return nil }
        var types: [String: String] = [:]
        var others: Set<String> = []
        for field in fields where field.name != schema.timeField && !schema.categoryFields.contains(field.name) {
            guard schema.fields[field.name, default: nil] == nil else { continue }
            if let type = field.type { types[field.name] = type.rawValue } else { others.insert(field.name) }
        }
        guard !types.isEmpty || !others.isEmpty else { return nil }
        let list = types.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let words = [
            list.isEmpty ? nil : "\(list), by what the query compares with",
            others.isEmpty ? nil : "\(others.sorted().joined(separator: ", ")) as each value looks",
        ]
        let lead = sample.isFormatKnown ? "types" : "types, where the input is a table"
        return "\(lead): \(words.compactMap { $0 }.joined(separator: "; ")); --types FIELD=TYPE,... says otherwise"
    }
}

extension QueryPlan {
    /// Whether it waits for something not to happen.
    fileprivate var waitsForAbsence: Bool {
        if case .sequence(let sequence) = situation { sequence.steps.contains(where: \.isMissing) } else { false }
    }
}

extension QueryLanguage {
    /// Compiles rules; those with a flaw are left out.
    fileprivate func compileRules(
        _ texts: [RuleText],
        over schema: QuerySchema
    ) -> (plugin: any Plugin, plans: [QueryPlan], flaws: [RuleFlaw]) {
        var rules: [QueryRule<Plan>] = []
        var flaws: [RuleFlaw] = []
        for text in texts {
            do throws(QueryError) {
                rules.append(
                    QueryRule(
                        name: text.name,
                        summary: text.summary,
                        severity: text.severity,
                        plan: try compile(text.text, against: schema)
                    )
                )
            } catch {
                flaws.append(text.flaw(error))
            }
        }
        let plugin = makePlugin(rules, over: schema)
        return (plugin, rules.compactMap { $0.plan as? QueryPlan }, flaws)
    }
}

extension Registry {
    /// The language of a name.
    ///
    /// - Throws: ``HostError`` when there is none; it suggests what may have been meant.
    func requiredLanguage(named name: String) throws(HostError) -> any QueryLanguage {
        if let language = language(named: name) { return language }
        throw .usage(
            "--language: there is no language '\(name)'"
                + Suggestion.text(
                    for: name,
                    among: languages.map(\.name),
                    otherwise: "there is \(languages.map(\.name).joined(separator: ", "))"
                )
        )
    }
}
