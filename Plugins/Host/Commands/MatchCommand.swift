internal import WeirCore
internal import WeirRecords

/// Finds what a query says: `weir match`, which is `weir run` with a plugin that is made of a text.
struct MatchCommand: Command {
    static let name = "match"
    static let operands = "QUERY [INPUT]"
    static let summary = "Find what a query says in an input"
    static let examples: [HelpPage.Example] = [
        ("weir match 'process where name == \"bash\"' events.jsonl", ""),
        ("weir match 'sequence by user [login where not ok] [login where ok]' logins.csv", ""),
        ("weir match --rules rules/ logins.csv --why alice", ""),
        ("weir match --rules rules/ --from 'file:events.jsonl?follow=true' --live", ""),
    ]
    static let usage = ["weir match QUERY|--rules PATH [INPUT] [OPTIONS]"]
    static let options = QueryOptions.all + own + RunOptions.all
    static let remark = """
        A match is a JSON object a line, {"rule": ..., "time": ..., "keys": {...},
        "events": [...]}, with null for an event that has to be missing; '--output
        events' writes the events alone. A file of rules has a line '---' between two
        rules, and before each comments that say more: '// name: N',
        '// description: D', '// severity: S'. Rules with a mistake are left out, and
        the exit code is 3. SIGHUP has the files read again.
        Where the types of fields are not known, as in tables, the query tells: what it
        compares with a number is a number. A line on standard error says so. 'weir help
        eql' explains the language.
        --why KEY and --near N find no matches: they explain, at the end of the input,
        how far partial matches came, which event came closest to the step that is
        missing, and which parts of its condition fail. '--why a,b' takes the keys with
        both values, or with none but these; '\\,' is a comma in a value. '--output
        json' writes an object for each partial match.
        """

    /// What shows why there are matches, or none.
    private static let own = [explain] + NearOptions.all
    static let explain = OptionDeclaration("explain", .flag, help: "show the plan of the query, and read nothing")

    static func page(for words: [String], _ registry: Registry) throws(HostError) -> HelpPage {
        var page = page
        let own = registry.language(named: QueryOptions.usualLanguage)?.options ?? []
        page.sections = [
            (
                "Options ('weir help options' has more)",
                HelpPage.rows(QueryOptions.all.filter { $0.name != "language" } + Self.own + RunOptions.common)
            ),
            ("What the rules may take", own.map(HelpPage.row)),
        ]
        return page
    }

    private let line: RunLine
    private let explains: Bool

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        var explains = false
        line = try RunLine([Self.name] + words, of: Self.self, registry) { options throws(HostError) in
            explains = options.removeValue(forKey: Self.explain.name) != nil
        }
        self.explains = explains
        if case .pipeline(let arguments) = line.task, NearOptions.areGiven(arguments.options) {
            let other = explains ? Self.explain : line.monitoring.isLive ? OptionDeclaration.live : nil
            if let other { throw .usage("--\(other.name) cannot be combined with --why and --near; leave one out") }
        }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        guard explains else { return try RunCommand(line).run(context) }
        guard case .pipeline(let arguments) = line.task else { return .done }
        let request = try line.request(arguments, context.registry)
        context.console.write(request.queries)
        return try context.show(request.queries?.explanation ?? "")
    }
}

extension QueryLanguage {
    /// The options that a plugin of the language has, whatever its rules are.
    var options: [OptionDeclaration] {
        let names = RunOptions.names.union(QueryOptions.all.map(\.name))
        return makePlugin([], over: QuerySchema()).options.filter { !names.contains($0.name) }
    }
}

extension Console {
    /// Says which rules cannot be used, and how fields are read.
    func write(_ queries: QueryCompilation?, about pipeline: String? = nil) {
        guard let queries else { return }
        for flaw in queries.flaws { write(HostError(.usage, flaw), about: pipeline) }
        if !queries.flaws.isEmpty {
            let count = queries.ruleCount
            writeLine("\(count) of \(count + queries.flaws.count) rules can be used", about: pipeline)
        }
        for remark in queries.remarks { writeLine(remark, about: pipeline) }
    }
}
