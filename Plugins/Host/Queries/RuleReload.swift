internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Reads the rules of a command line again, while its pipeline goes on.
///
/// Thread safety: any thread.
final class RuleReload: Sendable {
    /// What hands other rules to the pipeline.
    let replacement = Replacement()

    private let line: RunLine
    private let context: CommandContext
    private let state: Locked<State>

    private struct State: Sendable {
        var arguments: PipelineArguments
        var queries: QueryCompilation
    }

    /// Prepares for other rules.
    ///
    /// The result is `nil` where the rules are not from files, or workers share the records.
    init?(_ arguments: PipelineArguments, of request: RunRequest, _ line: RunLine, _ context: CommandContext) {
        guard request.partition == nil, !arguments.options.values(.rules).isEmpty, let queries = request.queries else {
            return nil
        }
        self.line = line
        self.context = context
        state = Locked(State(arguments: arguments, queries: queries))
    }

    /// Goes on with what the files say now; where they cannot be used, all goes on as before.
    ///
    /// A rule that has a mistake now goes on as it was.
    func reload() {
        let (console, registry) = (context.console, context.registry)
        do throws(HostError) {
            let (old, queries) = state.withLock { ($0.arguments, $0.queries) }
            guard let before = old.rules else { return }
            var next = old
            let language = try registry.requiredLanguage(named: before.language)
            var rules = try RuleFile.texts(at: old.options.values(.rules), language)
            next.rules = rules
            // The fields are those that were known when the inputs were opened, so that rules that are alike go on.
            var request = try line.request(next, registry, knowing: queries.sample)
            let flaws = request.queries?.flaws ?? []
            for flaw in flaws { console.write(HostError(.usage, flaw)) }
            let kept = rules.goOn(with: before, queries.flaws, insteadOf: flaws)
            let changes =
                rules.changes(since: before, leavingOut: Set(flaws.compactMap(\.rule)))
                + kept.map { "'\($0)' stays as it was" }
            guard rules.rules != before.rules || kept.isEmpty && rules != before else {
                let words = kept.isEmpty ? ["nothing changed"] : changes
                return console.writeLine("read the rules again: " + words.joined(separator: ", "))
            }
            if !kept.isEmpty {
                next.rules = rules
                request = try line.request(next, registry, knowing: queries.sample)
            }
            try request.checkThatNothingIsOverwritten()
            let schema = try RunningPlugins(request.instances).schema
            let isAlike =
                try RunningPlugins(line.request(old, registry, knowing: queries.sample).instances).schema == schema
            guard isAlike || request.canBeginInTheMiddle(next) else {
                throw .usage("the rules need other fields, and the input cannot be read on with these; start again")
            }
            for remark in request.queries?.remarks ?? [] { console.writeLine(remark) }
            state.withLock { state in
                state.arguments = next
                if let queries = request.queries { state.queries = queries }
            }
            replacement.put(request, pausing: isAlike ? nil : context.interruption)
            let words = changes.isEmpty ? ["no rule says anything else"] : changes
            console.writeLine("read the rules again: " + words.joined(separator: ", "))
        } catch {
            console.write(error)
            console.writeLine("the rules stay as they were")
        }
    }
}

extension RuleTexts {
    /// What differs from the rules before, in words.
    ///
    /// - Parameters:
    ///   - old: The rules before.
    ///   - flawed: The names of rules that cannot be used.
    /// - Returns: What became of each rule that is new, changed or is gone.
    fileprivate func changes(since old: RuleTexts, leavingOut flawed: Set<String>) -> [String] {
        let before = Dictionary(old.rules.map { ($0.name, $0) }) { first, _ in first }
        let now = Set(rules.map(\.name))
        let words: [String] = rules.compactMap { rule in
            guard !flawed.contains(rule.name) else { return nil }
            guard let other = before[rule.name] else { return "'\(rule.name)' is new" }
            return rule.isLike(other) ? nil : "'\(rule.name)' changed"
        }
        let ended = old.rules.filter { !now.contains($0.name) }.map { "'\($0.name)' ends" }
        return words + ended
    }
}
