internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirLoading
internal import WeirRecords
internal import WeirSystem

/// What a pipeline was asked for, before anything of it is looked up: words of a command line, or members of a
/// configuration.
struct PipelineArguments: Sendable, Hashable {
    /// The plugins: names or paths of libraries, with `NAME=` before those that have a name of their own.
    var plugins: [String]

    /// Inputs that were given without `--from`.
    var places: [String]

    /// The options, by name without the dashes; several values stand a line each.
    var options: [String: String]

    subscript(_ option: OptionDeclaration) -> String? { options[option] }
}

extension RunRequest {
    /// A plugin that was named.
    struct Named: Sendable {
        let name: String
        let plugin: any Plugin
    }

    /// Looks plugins up.
    ///
    /// - Parameters:
    ///   - words: Names or paths of libraries, with `NAME=` before those that have a name of their own.
    ///   - registry: What there is.
    /// - Returns: The plugins, in the order of the words.
    /// - Throws: ``HostError`` when there is no such plugin, or two have the same name.
    static func plugins(_ words: [String], _ registry: Registry) throws(HostError) -> [Named] {
        var plugins: [Named] = []
        for word in words {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let plugin = try registry.requiredPlugin(named: sides.last ?? word)
            let name = sides.count == 2 ? sides[0] : plugin.name
            guard !name.isEmpty else { throw .usage("'\(word)' lacks the name before the '='") }
            guard !plugins.contains(where: { $0.name == name }) else {
                throw .usage("there are two plugins '\(name)'; name one of them, such as 'other=\(word)'")
            }
            plugins.append(Named(name: name, plugin: plugin))
        }
        return plugins
    }

    /// The options that plugins and the program take together.
    ///
    /// Where there are several plugins, `NAME.option` is the option of one of them.
    static func accepted(_ plugins: [Named]) -> [AcceptedOption] {
        var accepted: [AcceptedOption] = []
        for named in plugins {
            for option in named.plugin.options {
                let forms = plugins.count == 1 ? [option.name] : [option.name, "\(named.name).\(option.name)"]
                for form in forms {
                    let other = accepted.firstIndex { $0.name == form }
                    guard let other else {
                        accepted.append(AcceptedOption(ofPlugin: option, as: form))
                        continue
                    }
                    // Repeatable where it is so for one of the plugins that have it.
                    if option.isRepeatable { accepted[other] = AcceptedOption(ofPlugin: option, as: form) }
                }
            }
        }
        return accepted + RunOptions.all.map { AcceptedOption($0) }
    }

    /// Understands what was asked for.
    ///
    /// - Parameters:
    ///   - arguments: What was asked for.
    ///   - name: The pipeline's name, where there are several.
    ///   - registry: What there is.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(_ arguments: PipelineArguments, name: String?, _ registry: Registry) throws(HostError) {
        let plugins = try Self.plugins(arguments.plugins, registry)
        let inputs = try Self.inputs(arguments, plugins, registry)
        let instances = try Self.instances(plugins, arguments)
        self.init(
            name: name,
            instances: instances,
            inputs: inputs,
            outputs: try Self.outputs(arguments, registry),
            style: try arguments[.output].map { text throws(HostError) in try MatchStyle(text) },
            rejected: try Self.address(.rejected, arguments, registry),
            report: try Self.address(.report, arguments, registry),
            late: try Self.late(arguments, registry),
            isStrict: arguments[.strict] != nil,
            limits: FormatLimits(lineLength: try arguments.options.integer(.maxLine) ?? 0),
            partition: try Self.partition(arguments, instances, registry),
            lateness: try arguments.options.duration(.lateness),
            heldLimit: try Self.heldLimit(arguments),
            ahead: try Self.ahead(arguments),
            idleTimeout: try arguments.options.duration(.idleTimeout) ?? .zero,
            files: Self.files(arguments, instances),
            restartLimit: try arguments.options.integer(.restarts) ?? 0
        )
    }

    private static func instances(
        _ plugins: [Named],
        _ arguments: PipelineArguments
    ) throws(HostError) -> [Instance] {
        var instances: [Instance] = []
        for named in plugins {
            var given: [String: String] = [:]
            var written: [String: String] = [:]
            for option in named.plugin.options {
                let own = "\(named.name).\(option.name)"
                let form = arguments.options[own] == nil ? option.name : own
                given[option.name] = arguments.options[form]
                written[option.name] = form
            }
            do throws(PluginError) {
                instances.append(
                    Instance(
                        name: named.name,
                        plugin: named.plugin,
                        values: try OptionValues(named.plugin.options, given: given)
                    )
                )
            } catch {
                switch error {
                case .invalidOption(let name, let reason): throw .usage("--\(written[name] ?? name): \(reason)")
                case .cannotStart(let reason): throw .usage(reason)
                }
            }
        }
        return instances
    }

    private static func files(
        _ arguments: PipelineArguments,
        _ instances: [Instance]
    ) -> [(option: String, path: String)] {
        let words = arguments.plugins.map { $0.split(separator: "=", maxSplits: 1).last.map(String.init) ?? $0 }
        return words.filter(Registry.isLibrary).map { ("the plugin", $0) }
            + instances.flatMap { instance in
                instance.plugin.options.compactMap { option in
                    guard case .text("FILE") = option.kind else { return nil }
                    return instance.values.given[option.name].map { ("--\(option.name)", $0) }
                }
            }
    }

    private static func outputs(_ arguments: PipelineArguments, _ registry: Registry) throws(HostError) -> [Address] {
        var outputs: [Address] = []
        for text in arguments.options.values(.to) {
            let output = try address(text, .output, of: .to, registry)
            let ending = output.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) }
            try FormatChoice.check(endingOf: output, isText: arguments[.output] != nil)
            if arguments[.output] == nil, ending == BinaryFormat().name {
                throw .usage(
                    "--to: matches are text, and '\(output.name)' is called like the binary format; "
                        + "name it .jsonl or .csv, or say how with --output json"
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
        try FormatChoice.check(endingOf: output, isText: true, option: option)
        return output
    }

    private static func address(
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

    private static func inputs(
        _ arguments: PipelineArguments,
        _ plugins: [Named],
        _ registry: Registry
    ) throws(HostError) -> [Input] {
        let given = arguments.options.values(.from) + arguments.places
        var inputs: [Input] = []
        var streams: [String] = []
        var files: [(name: String, file: Overwriting.Identity)] = []
        for text in given {
            let source: Source =
                text == "demo"
                ? .demo(seed: try seed(arguments))
                : .address(try address(text, .input, of: .from, registry))
            let input = try input(source, arguments, registry)
            if case .address(let address) = source, let stream = address.stream {
                guard !streams.contains(stream) else {
                    let name = stream == "stdin" ? "standard input" : "'\(input.name)'"
                    throw .usage("--from: \(name) is given twice; it can be read once")
                }
                streams.append(stream)
            } else if case .address(let address) = source,
                let file = Overwriting.identity(address, standard: .input)
            {
                if let other = files.first(where: { $0.file == file }) {
                    let both = other.name == address.name ? "is given twice" : "is the same file as '\(other.name)'"
                    throw .usage("--from: '\(address.name)' \(both), and would count twice; give it once")
                }
                files.append((address.name, file))
            }
            inputs.append(input)
        }
        guard arguments[.seed] == nil || given.contains("demo") else {
            throw .usage("--seed is of use only with '--from demo'")
        }
        guard inputs.isEmpty else { return inputs }
        guard !StandardStream.input.isTerminal else {
            throw .usage(
                "there is nothing to read; name a file, pipe it in, or try 'weir run \(plugins[0].name) --from demo'"
            )
        }
        let source = Source.address(try Address("stdin", .input, registry))
        return [try input(source, arguments, registry)]
    }

    private static func seed(_ arguments: PipelineArguments) throws(HostError) -> UInt64 {
        guard let text = arguments[.seed] else { return 1 }
        guard let seed = UInt64(text) else {
            throw .usage("--seed: '\(text)' is not a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }

    private static func input(
        _ source: Source,
        _ arguments: PipelineArguments,
        _ registry: Registry
    ) throws(HostError) -> Input {
        var source = source
        var framing = arguments[.framing]
        let given = arguments[.format]
        var name = given ?? "csv"
        switch source {
        case .demo:
            guard name == "csv" else { throw .usage("--format: the demo is always csv, not '\(name)'") }
            guard arguments[.framing] == nil else { throw .usage("--framing: the demo has no frames") }
        case .address(let address):
            if given == nil, let path = address.formatPath {
                name = FormatChoice.name(forEndingOf: path, registry) ?? name
            }
            let framed = try address.framed(by: framing, .framing, .input)
            source = .address(framed.address)
            framing = framed.framing
        }
        let format = try FormatChoice.format(
            named: name,
            framing: framing,
            option: .framing,
            registry
        )
        if case .address(let address) = source {
            try FormatChoice.check(format, goesThrough: address, .input, option: .format)
        }
        return Input(
            source: source,
            format: format,
            otherFormats: registry.formats.map(\.name).filter { $0 != format.name }
        )
    }

    private static func partition(
        _ arguments: PipelineArguments,
        _ instances: [Instance],
        _ registry: Registry
    ) throws(HostError) -> Partition? {
        let workerCount = try arguments.options.integer(.workers) ?? 1
        guard let field = arguments[.partitionBy] else {
            guard arguments[.workers] == nil else {
                throw .usage("--workers: say which records stay together, with --partition-by FIELD")
            }
            return nil
        }
        guard arguments[.report] == nil else {
            throw .usage("--report draws what one thread sees; leave out --partition-by, or the report")
        }
        for instance in instances {
            switch instance.plugin.partitionField(instance.values) {
            case field: continue
            case nil where instance.plugin.isPartitionedOnRequest:
                throw .usage(
                    "--partition-by: '\(instance.name)' does not keep records apart; say by what, with --by \(field)"
                )
            case nil:
                throw .usage(
                    "--partition-by: '\(instance.name)' needs all records in one place; "
                        + "what can be spread over workers is \(registry.partitionedPlugins)"
                )
            case let other?:
                throw .usage("--partition-by: '\(instance.name)' keeps records apart by '\(other)', not by '\(field)'")
            }
        }
        return Partition(field: field, workerCount: workerCount)
    }
}

extension Plugin {
    /// Whether it keeps records apart by the field that its option `--by` names.
    fileprivate var isPartitionedOnRequest: Bool { partitionField(["by": "FIELD"]) == "FIELD" }

    /// The field that it keeps records apart by, with a few options; `nil` where they cannot be.
    fileprivate func partitionField(_ given: [String: String]) -> String? {
        guard let values = try? OptionValues(options, given: given) else { return nil }
        return partitionField(values)
    }
}

extension Registry {
    /// The plugins whose records can be spread over workers, and by what, in words.
    fileprivate var partitionedPlugins: String {
        let words: [String] = plugins.compactMap { plugin in
            if let field = plugin.partitionField([:]) { return "'\(plugin.name)' by '\(field)'" }
            return plugin.isPartitionedOnRequest ? "'\(plugin.name)' with --by FIELD" : nil
        }
        return words.joined(separator: ", ")
    }

    /// The plugin of a name, or from the library at a path.
    ///
    /// - Throws: ``HostError`` when there is none; it suggests what may have been meant.
    func requiredPlugin(named name: String) throws(HostError) -> any Plugin {
        if let plugin = plugin(named: name) { return plugin }
        if Self.isLibrary(name) {
            // The loader takes a name without a slash for one in the current folder.
            let trusted: String
            do throws(UntrustedFile) {
                trusted = try FileTrust.resolve(name.contains("/") ? name : "./" + name)
            } catch {
                throw HostError(.cannotLoad, "cannot load '\(name)': \(error)")
            }
            let plugin: LabelledPlugin
            do throws(LoadingError) {
                let loaded = try CrashReport.Work("the library '\(name)'")
                    .perform { () throws(LoadingError) in try LoadedPlugin(path: name, foundAt: trusted) }
                plugin = LabelledPlugin(loaded)
            } catch {
                throw HostError(.cannotLoad, "\(error)")
            }
            try checkOptions(of: plugin, else: .cannotLoad)
            return plugin
        }
        throw .usage(
            "there is no plugin '\(name)'"
                + Suggestion.text(
                    for: name,
                    among: plugins.map(\.name),
                    otherwise: "'weir list plugins' lists what there is"
                )
        )
    }

    /// Checks that a plugin declares no option that the program has already: nobody could ever set it.
    func checkOptions(of plugin: any Plugin, else code: ExitCode) throws(HostError) {
        for option in plugin.options where RunOptions.names.contains(option.name) {
            throw HostError(
                code,
                "the plugin '\(plugin.name)' declares --\(option.name), which weir has already; rename it there"
            )
        }
    }

    /// Whether a word names a library and not a plugin.
    static func isLibrary(_ name: String) -> Bool {
        name.hasSuffix(".so") || name.hasSuffix(".dylib") || name.contains("/")
    }

    /// Whether a word behind the first one is another plugin, and not an input.
    func isAnotherPlugin(_ word: String) -> Bool {
        let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = sides.last ?? word
        return plugin(named: name) != nil || name.hasSuffix(".so") || name.hasSuffix(".dylib")
    }
}
