internal import WeirCore
internal import WeirFiles
internal import WeirLoading

extension RunRequest {
    /// Reads what follows `weir run`.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - registry: What there is.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        guard let name = words.first, !name.hasPrefix("-") else {
            throw .usage("name the plugin first, such as 'weir run shake'; 'weir list plugins' lists them")
        }
        let plugin = try registry.requiredPlugin(named: name)
        let arguments = try Arguments(
            Array(words.dropFirst()),
            names: plugin.options.map { ($0.name, true) }
                + HostOption.allCases.map { ($0.rawValue, $0.placeholder != nil) },
            repeatable: Set(plugin.options.filter(\.isRepeatable).map(\.name)),
            topic: "run \(plugin.name)"
        )
        let input = try Self.input(arguments, plugin, registry)
        let format = try Self.format(arguments, input, registry)
        self.init(
            plugin: plugin,
            values: try Self.values(arguments, plugin),
            input: input,
            format: format,
            otherFormats: registry.formats.map(\.name).filter { $0 != format.name },
            output: try Address(arguments[.to] ?? "stdout", option: .to, dash: "stdout", registry),
            rejected: try arguments[.rejected].map { text throws(HostError) in
                try Address(text, option: .rejected, dash: "stdout", registry)
            },
            report: try arguments[.report].map { text throws(HostError) in
                try Address(text, option: .report, dash: "stdout", registry)
            },
            isStrict: arguments[.strict] != nil,
            limits: try FormatChoice.limits(arguments[.maxLine])
        )
    }

    private static func values(_ arguments: Arguments, _ plugin: any Plugin) throws(HostError) -> OptionValues {
        do throws(PluginError) {
            return try OptionValues(
                plugin.options,
                given: arguments.options.filter { HostOption(rawValue: $0.key) == nil }
            )
        } catch {
            throw .usage("\(error)")
        }
    }

    private static func input(
        _ arguments: Arguments,
        _ plugin: any Plugin,
        _ registry: Registry
    ) throws(HostError) -> Input {
        let given = (arguments[.from].map { [$0] } ?? []) + arguments.places
        guard given.count <= 1 else {
            throw .usage(
                "there can be one input, not \(given.count): \(given.map { "'\($0)'" }.joined(separator: ", "))"
            )
        }
        if given.first == "demo" { return .demo(seed: try seed(arguments)) }
        guard arguments[.seed] == nil else { throw .usage("--seed is of use only with '--from demo'") }
        if let text = given.first { return .address(try Address(text, option: .from, dash: "stdin", registry)) }
        guard !StandardStream.input.isTerminal else {
            throw .usage(
                "there is nothing to read; name a file, pipe it in, or try 'weir run \(plugin.name) --from demo'"
            )
        }
        return .address(try Address("stdin", option: .from, dash: "stdin", registry))
    }

    private static func seed(_ arguments: Arguments) throws(HostError) -> UInt64 {
        guard let text = arguments[.seed] else { return 1 }
        guard let seed = UInt64(text) else {
            throw .usage("--seed: '\(text)' is not a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }

    private static func format(
        _ arguments: Arguments,
        _ input: Input,
        _ registry: Registry
    ) throws(HostError) -> any Format {
        let given = arguments[.format]
        var name = given ?? "csv"
        switch input {
        case .demo:
            guard name == "csv" else { throw .usage("--format: the demo is always csv, not '\(name)'") }
            guard arguments[.framing] == nil else { throw .usage("--framing: the demo has no frames") }
        case .address(let address):
            if given == nil, address.isFile {
                name = FormatChoice.name(forEndingOf: address.path, registry) ?? name
            }
        }
        return try FormatChoice.format(
            named: name,
            framing: arguments[.framing],
            option: HostOption.framing.rawValue,
            registry
        )
    }
}

extension Arguments {
    fileprivate subscript(_ option: HostOption) -> String? { options[option.rawValue] }
}

extension Registry {
    /// The plugin of a name, or from the library at a path.
    ///
    /// - Throws: ``HostError`` when there is none; it suggests what may have been meant.
    func requiredPlugin(named name: String) throws(HostError) -> any Plugin {
        if let plugin = plugin(named: name) { return plugin }
        if name.contains("/") || name.hasSuffix(".so") || name.hasSuffix(".dylib") {
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
}
