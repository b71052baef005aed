internal import WeirCore
internal import WeirFiles
internal import WeirSystem

/// Runs one pipeline from the command line, or those of a configuration.
struct RunCommand {
    /// What the command line asks for.
    enum Task {
        case pipeline(PipelineArguments)
        case configuration(path: String)
    }

    let task: Task
    private let monitoring: Monitor.Request
    private let environment: EnvironmentOptions

    /// Reads what follows `weir run`.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - environment: What stands for options that are not given.
    ///   - topic: The page of the help that explains them.
    ///   - registry: What there is.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(
        _ words: [String],
        environment: EnvironmentOptions = EnvironmentOptions(),
        topic: String = "run",
        _ registry: Registry
    ) throws(HostError) {
        self.environment = environment
        guard let first = words.first, !first.hasPrefix("-") else {
            let arguments = try Arguments(
                words,
                names: HostOption.allCases.map { ($0.rawValue, $0.placeholder != nil) },
                repeatable: Set(HostOption.allCases.filter(\.isRepeatable).map(\.rawValue)),
                topic: topic
            )
            var options = arguments.options
            try environment.fill(
                &options,
                names: HostOption.ofProgram.map { ($0.rawValue, $0.placeholder != nil) }
            )
            guard let path = options[HostOption.config.rawValue] else {
                throw .usage("name the plugin first, such as 'weir \(topic) shake'; 'weir list plugins' lists them")
            }
            let others = arguments.options.keys.filter { HostOption(rawValue: $0)?.isOfPipeline ?? true }
            if let other = others.min().map({ "--\($0)" }) ?? arguments.places.first {
                throw .usage(
                    "--config: the pipelines of the file have options of their own, so '\(other)' means nothing here"
                )
            }
            task = .configuration(path: path)
            monitoring = try Monitor.Request(options)
            return
        }
        var plugins = [first]
        var rest = Array(words.dropFirst())
        while let word = rest.first, !word.hasPrefix("-"), registry.isAnotherPlugin(word) {
            plugins.append(word)
            rest.removeFirst()
        }
        let named = try RunRequest.plugins(plugins, registry)
        let (names, repeatable) = RunRequest.optionNames(named)
        let arguments = try Arguments(rest, names: names, repeatable: repeatable, topic: "run \(named[0].plugin.name)")
        guard arguments.options[HostOption.config.rawValue] == nil else {
            throw .usage("--config: the file says which plugins run; leave out '\(first)'")
        }
        var options = arguments.options
        let unset = names.filter { $0.name != HostOption.config.rawValue }
        try environment.fill(
            &options,
            // A place on the command line is an input too.
            names: arguments.places.isEmpty ? unset : unset.filter { $0.name != HostOption.from.rawValue }
        )
        monitoring = try Monitor.Request(options)
        task = .pipeline(PipelineArguments(plugins: plugins, places: arguments.places, options: options))
        fromEnvironment = Set(options.keys).subtracting(arguments.options.keys)
    }

    /// The options that the environment gave.
    private var fromEnvironment: Set<String> = []

    /// Understands the pipeline.
    func request(_ arguments: PipelineArguments, _ registry: Registry) throws(HostError) -> RunRequest {
        do throws(HostError) {
            return try RunRequest(arguments, name: nil, registry)
        } catch {
            let option = String(error.message.dropFirst(2).prefix { $0 != ":" && $0 != " " })
            guard error.message.hasPrefix("--"), fromEnvironment.contains(option) else { throw error }
            let rest = error.message.dropFirst(2 + option.count)
            throw HostError(error.exitCode, EnvironmentOptions.variable(of: option) + rest)
        }
    }

    /// Runs.
    ///
    /// - Parameters:
    ///   - registry: What there is.
    ///   - console: Where to tell people.
    ///   - interruption: What Ctrl-C triggers.
    /// - Returns: How it ended; everything that there is to say was said.
    /// - Throws: ``HostError`` when something cannot be opened or started.
    func run(_ registry: Registry, console: Console, interruption: Interruption?) throws(HostError) -> ExitCode {
        switch task {
        case .pipeline(let arguments):
            let request = try request(arguments, registry)
            try checkMetrics(beside: [request])
            let status = PipelineStatus(name: request.instances.map(\.name).joined(separator: "+"))
            watchSignals([.snapshot, .termination], interruption) { _ in
                console.write(Snapshot.text([status]))
            }
            let pipeline = try Pipeline(
                request,
                Pipeline.Surroundings(
                    console: console,
                    status: status,
                    interruption: interruption,
                    showsProgress: !monitoring.isLive
                )
            )
            let monitor = try Monitor(
                monitoring,
                writesToTerminal: StandardStream.output.isTerminal && request.outputs.contains { $0.name == "stdout" },
                console: console,
                statuses: { [status] },
                isStopping: { interruption?.isTriggered ?? false },
                stop: { interruption?.trigger() }
            )
            let ending = pipeline.run { monitor.end() }
            return pipeline.exitCode(of: ending)
        case .configuration(let path):
            let supervisor = Supervisor(path: path, environment: environment, console: console)
            try checkMetrics(beside: try supervisor.prepare())
            watchSignals([.snapshot, .termination, .hangUp], interruption) { kind in
                if kind == .hangUp { supervisor.reload() } else { console.write(Snapshot.text(supervisor.statuses)) }
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
                monitoring,
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

    private func checkMetrics(beside requests: [RunRequest]) throws(HostError) {
        guard let metrics = monitoring.metrics else { return }
        let configuration: String? = if case .configuration(let path) = task { path } else { nil }
        try Overwriting.check(metrics: metrics, configuration: configuration, beside: requests)
    }

    /// Checks that what lets people look at a run can be opened; nothing of it stays.
    ///
    /// - Parameter requests: The pipelines.
    /// - Throws: ``HostError`` when it cannot.
    func checkMonitoring(of requests: [RunRequest]) throws(HostError) {
        try checkMetrics(beside: requests)
        try Monitor.check(monitoring)
    }

    /// Watches the signals that people send on purpose; `SIGTERM` is like Ctrl-C.
    private func watchSignals(
        _ kinds: [SignalWatch.Kind],
        _ interruption: Interruption?,
        _ handler: @escaping @Sendable (SignalWatch.Kind) -> Void
    ) {
        _ = SignalWatch.start(kinds) { kind in
            guard kind == .termination else { return handler(kind) }
            if let interruption, !interruption.isTriggered {
                interruption.trigger()
            } else {
                SignalWatch.endProgram(by: kind)
            }
        }
    }
}
