internal import WeirCore
internal import WeirFormats
internal import WeirRecords

extension QueryTest {
    /// How a test ended.
    struct Outcome: Sendable {
        /// What differs from what was expected, in lines; empty where nothing does.
        var differences: [String] = []

        /// Why it could not be run; `nil` where it was.
        var error: String?

        var nanoseconds: Int64 = 0
        var hasPassed: Bool { error == nil && differences.isEmpty }
    }

    /// Finds the matches of the rules in the events, at the times of the events.
    func run(_ registry: Registry) -> Outcome {
        let clock = MonotonicClock()
        let start = clock.now()
        var outcome = Outcome()
        do throws(HostError) {
            let language = try registry.language(named: options[.language], forFile: rules.first?.file)
            let texts = RuleTexts(rules, language: language.name)
            let compiled = try QueryCompilation(texts, options, [], FormatLimits(), registry)
            if let flaw = compiled.flaws.first { throw HostError(.usage, flaw) }
            let (found, rejected) = try matches(of: compiled.plugin)
            outcome.differences = rejected + differences(in: found)
        } catch {
            outcome.error = error.message + (error.excerpt.isEmpty ? "" : "\n" + error.excerpt)
        }
        outcome.nanoseconds = (clock.now() - start).wholeNanoseconds
        return outcome
    }

    private func matches(of plugin: any Plugin) throws(HostError) -> (found: [Match], rejected: [String]) {
        let plugins: RunningPlugins
        do throws(PluginError) {
            let values = try OptionValues(plugin.options)
            plugins = try Self.started(RunRequest.Instance(name: plugin.name, plugin: plugin, values: values))
        } catch {
            throw .usage("\(error)")
        }
        var rejected: [String] = []
        var lines: [UInt8] = []
        var reader = RecordReader(
            ByteSource(self.lines),
            format: JSONLinesFormat(),
            schema: plugins.schema,
            limits: FormatLimits()
        )
        do {
            while try reader.next({ batch in
                plugins.receive(&batch) { _ in }
                for rejection in batch.rejections where !rejection.isContinuation {
                    rejected.append("event \(rejection.line) was rejected: \(rejection.reason)")
                }
                plugins.takeMatches { lines += $0 }
            }) {}
        } catch {
            throw HostError(.noInput, "\(error)")
        }
        plugins.finish(.finished)
        plugins.takeMatches { lines += $0 }
        var found: [Match] = []
        for line in lines.split(separator: UInt8(ascii: "\n")) { found.append(try Self.match(Array(line))) }
        return (found, rejected)
    }

    private static func started(_ instance: RunRequest.Instance) throws(PluginError) -> RunningPlugins {
        do throws(HostError) {
            return try RunningPlugins([instance])
        } catch {
            throw .cannotStart(reason: error.message)
        }
    }

    /// What a line says that was found.
    private static func match(_ line: [UInt8]) throws(HostError) -> Match {
        func member(_ name: String, of node: JSONNode?) -> JSONNode.Value? {
            guard case .object(let members)? = node?.value else { return nil }
            return members.first { $0.name == name }?.value.value
        }
        let node = try? JSONNode.read(line, allowsRepeatedNames: true)
        guard case .text(let rule)? = member("rule", of: node), case .array(let events)? = member("events", of: node)
        else {
            throw HostError(.internalError, "a match has no events: \(Excerpt.of(line, limit: 200))")
        }
        return Match(
            rule: rule,
            events: events.map { event in
                guard case .number(let text)? = member(numberField, of: event) else { return nil }
                return Int(text)
            }
        )
    }

    // MARK: Differences

    /// What people read where the matches are not those that were expected.
    private func differences(in found: [Match]) -> [String] {
        guard found != expected else { return [] }
        var unexpected: [Match] = []
        var missing = expected
        for match in found {
            if let index = missing.firstIndex(of: match) { missing.remove(at: index) } else { unexpected.append(match) }
        }
        guard !missing.isEmpty || !unexpected.isEmpty else {
            return ["the matches come in another order:"] + found.map { "  \(short($0))" }
        }
        return lines(of: missing, under: "was expected and is missing:")
            + lines(of: unexpected, under: "was found and not expected:")
    }

    private func lines(of matches: [Match], under title: String) -> [String] {
        matches.flatMap { match in
            ["\(short(match)) \(title)"]
                + match.events.map { number in
                    number.map { "  \($0)  \(events.indices.contains($0 - 1) ? events[$0 - 1].text : "")" } ?? "  -"
                }
        }
    }

    /// A match without the name of its rule where there is one rule.
    private func short(_ match: Match) -> String {
        rules.count > 1 ? "\(match)" : String("\(match)".dropFirst(match.rule.count + 2))
    }
}
