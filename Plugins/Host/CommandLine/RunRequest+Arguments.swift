internal import WeirCore
internal import WeirFiles
internal import WeirLoading

/// What a pipeline was asked for, before anything of it is looked up: words of a command line, or members of a
/// configuration.
struct PipelineArguments: Sendable, Hashable {
    /// The plugins: names or paths of libraries, with `NAME=` before those that have a name of their own.
    var plugins: [String]

    /// Inputs that were given without `--from`.
    var places: [String]

    /// The options, by name without the dashes; several values stand a line each.
    var options: [String: String]

    subscript(_ option: HostOption) -> String? { options[option.rawValue] }

    /// The values of an option that may come several times.
    func values(_ option: HostOption) -> [String] {
        self[option]?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
    }
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
    static func optionNames(
        _ plugins: [Named]
    ) -> (names: [(name: String, takesValue: Bool)], repeatable: Set<String>) {
        var names: [(name: String, takesValue: Bool)] = []
        var repeatable = Set(HostOption.allCases.filter(\.isRepeatable).map(\.rawValue))
        for named in plugins {
            for option in named.plugin.options {
                let forms = plugins.count == 1 ? [option.name] : [option.name, "\(named.name).\(option.name)"]
                for form in forms where !names.contains(where: { $0.name == form }) { names.append((form, true)) }
                if option.isRepeatable { repeatable.formUnion(forms) }
            }
        }
        names += HostOption.allCases.map { ($0.rawValue, $0.placeholder != nil) }
        return (names, repeatable)
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
            style: try MatchStyle(arguments[.output] ?? "json"),
            rejected: try Self.address(.rejected, arguments, registry),
            report: try Self.address(.report, arguments, registry),
            isStrict: arguments[.strict] != nil,
            limits: try FormatChoice.limits(arguments[.maxLine]),
            partition: try Self.partition(arguments, instances, registry),
            idleTimeout: try Self.duration(.idleTimeout, arguments) ?? .seconds(1),
            restartLimit: try Self.count(.restarts, arguments, 0...1_000_000) ?? 10
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

    private static func outputs(_ arguments: PipelineArguments, _ registry: Registry) throws(HostError) -> [Address] {
        var outputs: [Address] = []
        for text in arguments.values(.to) {
            outputs.append(try Address(text, option: .to, dash: "stdout", registry))
        }
        if outputs.isEmpty { outputs.append(try Address("stdout", option: .to, dash: "stdout", registry)) }
        return outputs
    }

    private static func address(
        _ option: HostOption,
        _ arguments: PipelineArguments,
        _ registry: Registry
    ) throws(HostError) -> Address? {
        guard let text = arguments[option] else { return nil }
        return try Address(text, option: option, dash: "stdout", registry)
    }

    private static func inputs(
        _ arguments: PipelineArguments,
        _ plugins: [Named],
        _ registry: Registry
    ) throws(HostError) -> [Input] {
        let given = arguments.values(.from) + arguments.places
        var inputs: [Input] = []
        for text in given {
            let source: Source =
                text == "demo"
                ? .demo(seed: try seed(arguments))
                : .address(try Address(text, option: .from, dash: "stdin", registry))
            let input = try input(source, arguments, registry)
            guard input.name != "stdin" || !inputs.contains(where: { $0.name == "stdin" }) else {
                throw .usage("--from: standard input is given twice; it can be read once")
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
        let source = Source.address(try Address("stdin", option: .from, dash: "stdin", registry))
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
            let option = HostOption.framing.rawValue
            let framed = try address.framed(by: framing, option, for: .from)
            source = .address(framed.address)
            framing = framed.framing
        }
        let format = try FormatChoice.format(
            named: name,
            framing: framing,
            option: HostOption.framing.rawValue,
            registry
        )
        if case .address(let address) = source {
            try FormatChoice.check(format, goesThrough: address, .from, option: HostOption.format.rawValue)
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
        let workerCount = try count(.workers, arguments, 1...256)
        guard let field = arguments[.partitionBy] else {
            guard workerCount == nil else {
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
        return Partition(field: field, workerCount: workerCount ?? 1)
    }

    private static func count(
        _ option: HostOption,
        _ arguments: PipelineArguments,
        _ range: ClosedRange<Int>
    ) throws(HostError) -> Int? {
        guard let text = arguments[option] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage(
                "--\(option.rawValue): '\(text)' is not a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    private static func duration(_ option: HostOption, _ arguments: PipelineArguments) throws(HostError) -> Duration? {
        guard let text = arguments[option] else { return nil }
        guard let duration = Duration(text: text) else {
            throw .usage("--\(option.rawValue): '\(text)' is not a duration; write 250ms, 5m or 1h30m")
        }
        return duration
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
            let plugin: LoadedPlugin
            do throws(LoadingError) {
                plugin = try LoadedPlugin(path: name)
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
        for option in plugin.options where HostOption(rawValue: option.name) != nil {
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
