internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// What a pipeline was asked for, before anything of it is looked up: words of a command line, or members of a
/// configuration.
struct PipelineArguments: Sendable, Hashable {
    /// The plugins: names or paths of libraries, with `NAME=` before those that have a name of their own.
    var plugins: [String]

    /// What to look for instead of plugins, in a query language.
    var rules: RuleTexts?

    /// Inputs that were given without `--from`.
    var places: [String]

    /// The options, by name without the dashes; several values stand a line each.
    var options: [String: String]

    subscript(_ option: OptionDeclaration) -> String? { options[option] }
}

extension RunRequest {
    /// Understands what was asked for.
    ///
    /// - Parameters:
    ///   - arguments: What was asked for.
    ///   - name: The pipeline's name, where there are several.
    ///   - registry: What there is.
    ///   - sample: What is known of the fields of the inputs, where another request began to read them.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(
        _ arguments: PipelineArguments,
        name: String?,
        _ registry: Registry,
        knowing sample: FieldSample? = nil
    ) throws(HostError) {
        let inputs = try Self.inputs(arguments, registry)
        let limits = FormatLimits(lineLength: try arguments.options.integer(.maxLine) ?? 0)
        let queries = try arguments.rules.map { rules throws(HostError) in
            try QueryCompilation(rules, arguments.options, inputs, limits, registry, knowing: sample)
        }
        let plugins: [Named]
        if let queries {
            plugins = [Named(name: MatchCommand.name, plugin: queries.plugin)]
        } else {
            plugins = try Self.plugins(arguments.plugins, registry)
        }
        // A style of the program, for which the plugin of queries writes its matches otherwise.
        let writesEvents = queries != nil && arguments[.output] == "events"
        var ofPlugins = arguments
        if queries != nil { ofPlugins.options[.output] = writesEvents ? "events" : nil }
        let outputs = try Self.outputs(arguments, registry)
        if let queries, queries.explains {
            try NearOptions.check(arguments, inputs)
            ofPlugins.options[.output] = NearOptions.form(arguments, outputs, registry)
        }
        let instances = try Self.instances(plugins, ofPlugins)
        self.init(
            name: name,
            instances: instances,
            inputs: inputs,
            outputs: outputs,
            style: writesEvents ? .json : try arguments[.output].map { text throws(HostError) in try MatchStyle(text) },
            rejected: try Self.address(.rejected, arguments, registry),
            report: try Self.address(.report, arguments, registry),
            late: try Self.late(arguments, inputs, registry),
            isStrict: arguments[.strict] != nil,
            limits: limits,
            partition: try Self.partition(arguments, instances, registry),
            readerCount: try Self.readerCount(arguments, inputs),
            lateness: try arguments.options.duration(.lateness),
            heldLimit: try Self.heldLimit(arguments),
            ahead: try Self.ahead(arguments),
            idleTimeout: try arguments.options.duration(.idleTimeout) ?? .zero,
            files: Self.files(arguments, instances),
            queries: queries,
            restartLimit: try arguments.options.integer(.restarts) ?? 0,
            state: try Self.state(arguments, name: name),
            group: try Self.group(arguments, name: name, inputs, outputs)
        )
    }

    private static func outputs(_ arguments: PipelineArguments, _ registry: Registry) throws(HostError) -> [Address] {
        var outputs: [Address] = []
        for text in arguments.options.values(.to) {
            let output = try address(text, .output, of: .to, registry)
            let ending = output.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) }
            try FormatChoice.check(endingOf: output, isText: arguments[.output] != nil)
            let isMatches = [CSVFormat().name, JSONLinesFormat().name, JSONFormat().name].contains(ending)
            if arguments[.output] == nil, let ending, !isMatches {
                guard ending == BinaryFormat().name else {
                    throw .usage(
                        "--to: matches are not written as \(ending), and '\(output.name)' is called like that; "
                            + "name it .jsonl or .csv, or say how with --output json"
                    )
                }
                throw .usage(
                    "--to: matches are text, and '\(output.name)' is called like the binary format; "
                        + "name it .jsonl or .csv, or say how with --output json"
                )
            }
            guard arguments.rules == nil || arguments[.output] != "events" || ending != CSVFormat().name else {
                throw .usage(
                    "--to: events are written as lines of JSON, and '\(output.name)' is called like a table; "
                        + "name it .jsonl; 'weir convert' makes a table of that"
                )
            }
            outputs.append(output)
        }
        if outputs.isEmpty { outputs.append(try Address("stdout", .output, registry)) }
        return outputs
    }

    static func address(
        _ option: OptionDeclaration,
        _ arguments: PipelineArguments,
        _ registry: Registry
    ) throws(HostError) -> Address? {
        guard let text = arguments[option] else { return nil }
        let output = try address(text, .output, of: option, registry)
        try FormatChoice.check(
            endingOf: output,
            isText: true,
            option: option,
            isWhole: option.name == OptionDeclaration.report.name
        )
        return output
    }

    /// An address that an option gives; what is wrong with it is said of the option.
    static func address(
        _ text: String,
        _ direction: Address.Direction,
        of option: OptionDeclaration,
        _ registry: Registry
    ) throws(HostError) -> Address {
        do throws(HostError) {
            return try Address(text, direction, option: option, registry)
        } catch {
            throw error.about(option)
        }
    }
}
