internal import WeirCore
internal import WeirRecords

extension QueryPlugin {
    /// What the rules look for and how, for people: the fields that are read, how each part of the conditions is decided, the
    /// steps, and what is kept.
    public var explanation: String { rules.map { Explanation($0).text }.joined(separator: "\n") }
}

/// A rule in lines of text.
private struct Explanation {
    let rule: QueryRule<QueryPlan>
    private let conditions: ConditionSet

    init(_ rule: QueryRule<QueryPlan>) {
        self.rule = rule
        var conditions = ConditionSet(over: rule.plan.fields)
        for step in rule.plan.situation.steps { _ = conditions.add(step) }
        self.conditions = conditions
    }

    var text: String {
        var lines = ["\(rule.name)"]
        lines += section(
            "fields",
            rule.plan.fields.map { "\($0.name): \($0.type?.rawValue ?? "as each record shows it")" }
        )
        lines += section("decided", conditions.atoms.map(words))
        lines += section("steps", steps)
        lines += section("pipes", rule.plan.pipes.map { "\($0.words)" })
        lines += section("memory", [memory])
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["  \(title)"] + lines.map { "    \($0)" }
    }

    private func words(_ atom: ConditionAtom) -> String {
        switch (atom.subject, atom.method) {
        case (.category(let name), _): "category \(name), once for each different category"
        case (.term(let term), .numbers): "\(rule.plan.text(of: term)), for a column of numbers at once"
        case (.term(let term), .texts): "\(rule.plan.text(of: term)), once for each different value"
        case (.term(let term), _): "\(rule.plan.text(of: term)), for each record that is not decided yet"
        }
    }

    private var steps: [String] {
        switch rule.plan.situation {
        case .event(let step): return ["an event: \(words(step))"]
        case .sample(let steps): return steps.map { "an event, in any order: \(words($0))" }
        case .sequence(let sequence):
            var lines = sequence.steps.enumerated().map { "\($0 + 1). \(words($1))" }
            if let until = sequence.until { lines.append("until \(words(until))") }
            if let span = sequence.maxSpan { lines.append("within \(Duration.nanoseconds(span))") }
            return lines
        }
    }

    private func words(_ step: QueryPlan.Step) -> String {
        var words = (step.isMissing ? "no " : "") + rule.plan.condition(of: step)
        if !step.keys.isEmpty {
            let names = step.keys.map { ($0.acceptsMissing ? "?" : "") + rule.plan.fields[$0.field].name }
            words += " by \(names.joined(separator: ", "))"
        }
        return step.runs > 1 ? "\(words), \(step.runs) times" : words
    }

    private var memory: String {
        switch rule.plan.situation {
        case .event: return "nothing between records"
        case .sample:
            return "up to \(rule.plan.situation.steps.count) events for each step and key; the oldest keys give way"
        case .sequence(let sequence):
            let stages = sequence.steps.lazy.filter { !$0.isMissing }.reduce(0) { $0 + $1.runs }
            let events = stages * (stages - 1) / 2
            let time = sequence.maxSpan.map { "for \(Duration.nanoseconds($0))" } ?? "until the oldest keys give way"
            let waiting =
                sequence.steps.last?.isMissing ?? false ? "; matches wait until nothing can follow any more" : ""
            return "up to \(events) \(events == 1 ? "event" : "events") for each key, \(time)\(waiting)"
        }
    }
}

extension QueryPlan {
    /// What an event has to be for a step.
    func condition(of step: Step) -> String {
        (step.category ?? "any") + (step.condition.map { " where \(text(of: $0))" } ?? "")
    }
}

extension QueryPlan.Pipe {
    fileprivate var words: String {
        switch self {
        case .head(let count): "the first \(count)"
        case .tail(let count): "the last \(count), at the end of the input"
        case .count: "how many, at the end of the input"
        case .unique: "the first of each value"
        case .sort: "sorted, at the end of the input"
        }
    }
}
