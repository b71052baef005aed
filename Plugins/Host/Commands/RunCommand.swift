internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirSystem

/// Runs one pipeline from the command line, or those of a configuration: `weir run`.
struct RunCommand: Command {
    static let name = "run"
    static let operands = "PLUGIN [INPUT]"
    static let summary = "Find what a plugin looks for in an input"
    static let examples: [HelpPage.Example] = [
        ("weir run shake --from demo", ""),
        ("weir run walk run.csv --to walks.jsonl --report walks.html", ""),
        ("weir run --config pipelines.json --live", ""),
    ]
    static let usage = ["weir run PLUGIN [INPUT] [OPTIONS]", "weir run --config FILE [OPTIONS]"]
    static let options = RunOptions.all
    static let pluginOptions: [OptionDeclaration]? = []

    /// The page of a plugin where one is named.
    static func page(for words: [String], _ registry: Registry) throws(HostError) -> HelpPage {
        if let word = words.first, !word.hasPrefix("-") { return page(of: try registry.requiredPlugin(named: word)) }
        var page = page
        page.sections = [
            (
                "Plugins, with options of their own ('weir run PLUGIN --help')",
                [(registry.plugins.map(\.name).joined(separator: ", ") + ", or the path of a library", "")]
            ),
            ("Options ('weir help options' has them all)", HelpPage.rows(RunOptions.common)),
        ]
        return page
    }

    private static func page(of plugin: any Plugin) -> HelpPage {
        let output = OptionDeclaration.timeForm.name
        return HelpPage(
            summary: plugin.summary,
            examples: plugin.examples.map { ("weir run \($0.arguments)", $0.meaning) },
            usage: ["weir run \(plugin.name) [INPUT] [OPTIONS]"],
            sections: [
                ("What to find", plugin.options.filter { $0.name != output }.map(HelpPage.row)),
                (
                    "Input and output ('weir help options' has more)",
                    HelpPage.rows(plugin.options.filter { $0.name == output } + RunOptions.common)
                ),
            ],
            more: "'weir help run \(plugin.name)' says more, 'weir help options' how to read and write."
        )
    }

    private let line: RunLine

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        line = try RunLine(words, of: Self.self, registry)
    }

    /// Runs what another command has read.
    init(_ line: RunLine) {
        self.line = line
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        for remark in EnvironmentOptions.remarks(context.registry) { context.console.writeLine(remark) }
        return try start(context)
    }

    private func start(_ context: CommandContext) throws(HostError) -> ExitCode {
        switch line.task {
        case .pipeline(let arguments): try run(arguments, context)
        case .configuration(let path): try run(configuration: path, context)
        }
    }

    private func run(_ arguments: PipelineArguments, _ context: CommandContext) throws(HostError) -> ExitCode {
        let request = try line.request(arguments, context.registry)
        let (console, interruption) = (context.console, context.interruption)
        try line.checkMetrics(beside: [request])
        let status = PipelineStatus(name: request.instances.map(\.name).joined(separator: "+"))
        let rules =
            request.queries?.explains ?? false || request.group != nil
            ? nil : RuleReload(arguments, of: request, line, context)
        let isMember = request.group != nil
        _ = SignalWatch.start(rules == nil && !isMember ? [.snapshot] : [.snapshot, .hangUp]) { kind in
            switch kind {
            case .hangUp where isMember:
                console.writeLine("a member of a group reads its rules at the start; end it, and start it again")
            case .hangUp: rules?.reload()
            case .snapshot: console.write(StatusText.text([status]))
            }
        }
        if rules != nil { InterruptSignal.catchFirst(includingHangUp: false) }
        let surroundings = Pipeline.Context(
            console: console,
            status: status,
            interruption: interruption,
            replacement: rules?.replacement,
            showsProgress: !line.monitoring.isLive
        )
        let member = try request.group.map { group throws(HostError) in try GroupRun(request, group, surroundings) }
        let pipeline = member == nil ? try Pipeline(request, surroundings) : nil
        let monitor = try Monitor(
            line.monitoring,
            writesToTerminal: StandardStream.output.isTerminal && request.outputs.contains { $0.name == "stdout" },
            console: console,
            statuses: { [status] },
            isStopping: { interruption?.isTriggered ?? false },
            stop: { interruption?.trigger() }
        )
        if let member { return member.run { monitor.end() } }
        guard let pipeline else { return .internalError }
        let ending = pipeline.run { monitor.end() }
        return pipeline.exitCode(of: ending)
    }

    private func run(configuration path: String, _ context: CommandContext) throws(HostError) -> ExitCode {
        let (console, interruption) = (context.console, context.interruption)
        let supervisor = Supervisor(path: path, environment: line.environment, console: console)
        try line.checkMetrics(beside: try supervisor.prepare())
        _ = SignalWatch.start([.snapshot, .hangUp]) { kind in
            switch kind {
            case .hangUp: supervisor.reload()
            case .snapshot: console.write(StatusText.text(supervisor.statuses))
            }
        }
        InterruptSignal.catchFirst(includingHangUp: false)
        if let interruption {
            let isStarted = SystemThread.start("weir.interrupt") {
                interruption.wait()
                supervisor.interrupt()
            }
            guard isStarted else { throw HostError(.internalError, "the system has no threads left") }
        }
        let monitor = try Monitor(
            line.monitoring,
            writesToTerminal: StandardStream.output.isTerminal && supervisor.writesToStandardOutput,
            console: console,
            statuses: { supervisor.statuses },
            isStopping: { interruption?.isTriggered ?? false },
            stop: { interruption?.trigger() }
        )
        defer { monitor.end() }
        return supervisor.run()
    }
}
