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
    private let arguments: Locked<PipelineArguments>

    /// Prepares for other rules.
    ///
    /// The result is `nil` where the rules are not from files, or workers share the records.
    init?(_ arguments: PipelineArguments, of request: RunRequest, _ line: RunLine, _ context: CommandContext) {
        guard request.partition == nil, !arguments.options.values(.rules).isEmpty else { return nil }
        self.line = line
        self.context = context
        self.arguments = Locked(arguments)
    }

    /// Goes on with what the files say now; where they cannot be used, all goes on as before.
    func reload() {
        let console = context.console
        do throws(HostError) {
            let old = arguments.withLock { $0 }
            guard let before = old.rules else { return }
            var next = old
            let language = try context.registry.requiredLanguage(named: before.language)
            let rules = try RuleFile.texts(at: old.options.values(.rules), language)
            next.rules = rules
            let changes = rules.changes(since: before)
            guard rules != before else { return console.writeLine("read the rules again: nothing changed") }
            let request = try line.request(next, context.registry)
            try request.checkThatNothingIsOverwritten()
            let schema = try RunningPlugins(request.instances).schema
            let isAlike = try RunningPlugins(line.request(old, context.registry).instances).schema == schema
            guard isAlike || request.canBeginInTheMiddle(next) else {
                throw .usage("the rules need other fields, and the input cannot be read on with these; start again")
            }
            arguments.withLock { $0 = next }
            replacement.put(request, pausing: isAlike ? nil : context.interruption)
            console.writeLine("read the rules again: " + changes.joined(separator: ", "))
        } catch {
            console.write(error)
            console.writeLine("the rules stay as they were")
        }
    }
}

extension RuleTexts {
    /// What differs from the rules before, in words.
    fileprivate func changes(since old: RuleTexts) -> [String] {
        let before = Dictionary(old.rules.map { ($0.name, $0) }) { first, _ in first }
        let now = Set(rules.map(\.name))
        let words: [String] = rules.compactMap { rule in
            guard let other = before[rule.name] else { return "'\(rule.name)' is new" }
            return rule.isLike(other) ? nil : "'\(rule.name)' changed"
        }
        let ended = old.rules.filter { !now.contains($0.name) }.map { "'\($0.name)' ends" }
        let all = words + ended
        return all.isEmpty ? ["no rule says anything else"] : all
    }
}
