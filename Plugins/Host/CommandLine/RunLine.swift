internal import WeirCore
internal import WeirRecords

/// What follows `weir run`, and the commands that take the same: one pipeline, or those of a configuration.
struct RunLine {
    /// What the command line asks for.
    enum Task {
        case pipeline(PipelineArguments)
        case configuration(path: String)
    }

    let task: Task
    let monitoring: Monitor.Request
    let environment: EnvironmentOptions

    /// Reads what follows the name of a command.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - command: The command; its own options are accepted too.
    ///   - registry: Has the plugins.
    ///   - environment: What stands for options that are not given.
    ///   - adjust: Changes the given options before those of the environment fill the gaps.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(
        _ words: [String],
        of command: any Command.Type,
        _ registry: Registry,
        environment: EnvironmentOptions = EnvironmentOptions(),
        adjust: (inout [String: String]) throws(HostError) -> Void = { _ in }
    ) throws(HostError) {
        self.environment = environment
        let isRun = command.pluginOptions?.isEmpty ?? true
        let own = isRun ? [] : command.options.map { AcceptedOption($0, topic: command.name) }
        guard let first = words.first, !first.hasPrefix("-") else {
            let arguments = try Arguments(
                words,
                own + RunOptions.all.map { AcceptedOption($0) },
                topic: command.name
            )
            var options = arguments.options
            try adjust(&options)
            try environment.fill(&options, RunOptions.ofProgram.map { AcceptedOption($0) })
            guard let path = options[.config] else {
                throw .usage(
                    "name the plugin first, such as 'weir \(command.name) shake'; 'weir list plugins' lists them"
                )
            }
            let others = arguments.options.keys.filter { !RunOptions.namesOfProgram.contains($0) }
            if let other = others.min().map({ "--\($0)" }) ?? arguments.places.first {
                throw .usage(
                    "--config: the pipelines of the file have options of their own, so '\(other)' means nothing here"
                )
            }
            task = .configuration(path: path)
            monitoring = try Monitor.Request(options)
            fromEnvironment = []
            return
        }
        if first == MatchCommand.name {
            (task, monitoring, fromEnvironment) = try Self.matching(
                Array(words.dropFirst()),
                of: command,
                registry,
                environment,
                adjust
            )
            return
        }
        var plugins = [first]
        var rest = Array(words.dropFirst())
        while let word = rest.first, !word.hasPrefix("-"), registry.isAnotherPlugin(word) {
            plugins.append(word)
            rest.removeFirst()
        }
        let named = try RunRequest.plugins(plugins, registry)
        let accepted = RunRequest.accepted(named)
        let arguments = try Arguments(rest, own + accepted, topic: "run \(named[0].plugin.name)")
        var options = arguments.options
        try adjust(&options)
        guard options[.config] == nil else {
            throw .usage("--config: the file says which plugins run; leave out '\(first)'")
        }
        let given = Set(options.keys)
        var left = Set(accepted.map(\.name)).subtracting([OptionDeclaration.config.name])
        // A place on the command line is an input too.
        if !arguments.places.isEmpty { left.remove(OptionDeclaration.from.name) }
        try environment.fill(&options, accepted.filter { left.contains($0.name) })
        monitoring = try Monitor.Request(options)
        task = .pipeline(PipelineArguments(plugins: plugins, places: arguments.places, options: options))
        fromEnvironment = Set(options.keys).subtracting(given)
    }

    /// Reads a query, or the rules that are named instead, and what follows.
    private static func matching(
        _ words: [String],
        of command: any Command.Type,
        _ registry: Registry,
        _ environment: EnvironmentOptions,
        _ adjust: (inout [String: String]) throws(HostError) -> Void
    ) throws(HostError) -> (Task, Monitor.Request, fromEnvironment: Set<String>) {
        let line = try QueryLine(words, registry)
        let known = Set(line.accepted.map(\.name))
        let own = command.options.filter { !known.contains($0.name) }
            .map { AcceptedOption($0, topic: command.name) }
        let arguments = try Arguments(words, own + line.accepted, topic: MatchCommand.name)
        var options = arguments.options
        try adjust(&options)
        guard options[.config] == nil else {
            throw .usage("--config: the file says what to look for; 'weir run --config FILE' runs it")
        }
        let (rules, places) = try line.rules(arguments)
        let given = Set(options.keys)
        var left = known.subtracting([OptionDeclaration.config.name, OptionDeclaration.rules.name])
        if !places.isEmpty { left.remove(OptionDeclaration.from.name) }
        try environment.fill(&options, line.accepted.filter { left.contains($0.name) })
        return (
            .pipeline(PipelineArguments(plugins: [], rules: rules, places: places, options: options)),
            try Monitor.Request(options),
            Set(options.keys).subtracting(given)
        )
    }

    /// The options that the environment gave.
    private let fromEnvironment: Set<String>

    /// Understands the pipeline.
    ///
    /// - Parameters:
    ///   - arguments: What it was asked for.
    ///   - registry: What there is.
    ///   - sample: What is known of the fields of its inputs, where it reads them already.
    /// - Returns: The request.
    /// - Throws: ``HostError`` when it cannot be understood.
    func request(
        _ arguments: PipelineArguments,
        _ registry: Registry,
        knowing sample: FieldSample? = nil
    ) throws(HostError) -> RunRequest {
        do throws(HostError) {
            return try RunRequest(arguments, name: nil, registry, knowing: sample)
        } catch {
            let option = String(error.message.dropFirst(2).prefix { $0 != ":" && $0 != " " })
            guard error.message.hasPrefix("--"), fromEnvironment.contains(option) else { throw error }
            let rest = error.message.dropFirst(2 + option.count)
            throw HostError(error.exitCode, EnvironmentOptions.variable(of: option) + rest)
        }
    }

    /// Checks that the file of metrics is none that is read or written otherwise.
    func checkMetrics(beside requests: [RunRequest]) throws(HostError) {
        guard let metrics = monitoring.metrics else { return }
        let configuration: String? = if case .configuration(let path) = task { path } else { nil }
        try Overwriting.check(metrics: metrics, configuration: configuration, beside: requests)
    }

    /// Checks that what lets people look at a run can be opened; nothing of it stays.
    ///
    /// - Throws: ``HostError`` when it cannot.
    func checkMonitoring(of requests: [RunRequest]) throws(HostError) {
        try checkMetrics(beside: requests)
        try Monitor.check(monitoring)
    }
}
