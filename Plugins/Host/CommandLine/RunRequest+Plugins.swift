internal import WeirRecords

// Which plugins a pipeline has, with which options.
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
    static func instances(
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

    static func files(
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
            + (arguments.rules?.files ?? []).map { ("--rules", $0) }
    }
}
