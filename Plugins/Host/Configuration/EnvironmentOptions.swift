internal import WeirCore
internal import WeirRecords
internal import WeirSystem

/// Options that stand in the environment, as `WEIR_MAX_LINE` for `--max-line`.
///
/// The command line goes before a configuration file, and that before the environment: what stands in the environment is
/// as good as a default of one's own.
struct EnvironmentOptions: Sendable {
    private let value: @Sendable (String) -> String?

    /// Options from an environment.
    init(value: @escaping @Sendable (String) -> String? = { ProgramEnvironment.value(of: $0) }) {
        self.value = value
    }

    /// The variable of an option.
    static func variable(of option: String) -> String {
        "WEIR_"
            + String(
                option.uppercased().map { $0 == "-" || $0 == "." ? "_" : $0 }
            )
    }

    /// Remarks on variables that nothing reads, and whose names are nearly those of options; others may be another
    /// program's.
    static func remarks(_ registry: Registry, on names: [String] = ProgramEnvironment.names) -> [String] {
        // The rules are named on the command line alone.
        let ofQueries =
            QueryOptions.all.filter { $0.name != OptionDeclaration.rules.name }
            + registry.languages.flatMap { $0.options }
        let options = (RunOptions.all + ofQueries + registry.plugins.flatMap(\.options)).map { variable(of: $0.name) }
        let known = Set(options + ["WEIR_ALLOW_WRITABLE"])
        return names.filter { $0.hasPrefix("WEIR_") && !known.contains($0) }.sorted().compactMap { name in
            let words = known.sorted().map { String($0.dropFirst("WEIR_".count)) }
            return Suggestion.nearest(to: String(name.dropFirst("WEIR_".count)), among: words).map { nearest in
                "the variable \(name) is none that weir reads; did you mean WEIR_\(nearest)?"
            }
        }
    }

    /// Adds the options that are not given yet.
    ///
    /// - Throws: ``HostError`` for a value that says neither yes nor no where one of them is wanted.
    func fill(_ options: inout [String: String], _ accepted: [AcceptedOption]) throws(HostError) {
        for option in accepted where options[option.name] == nil && option.name != OptionDeclaration.showHelp.name {
            let variable = Self.variable(of: option.name)
            guard let text = value(variable), !text.isEmpty else { continue }
            if option.takesValue {
                options[option.name] = text
                continue
            }
            switch text.lowercased() {
            case "1", "true", "yes": options[option.name] = ""
            case "0", "false", "no": break
            default: throw .usage("\(variable): '\(text)' is neither true nor false")
            }
        }
    }
}
