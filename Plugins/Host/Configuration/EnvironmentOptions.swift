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
        // Of all options, each time the program starts: bytes, because names of options are ASCII.
        "WEIR_"
            + String(
                decoding: option.utf8.map { byte in
                    switch byte {
                    case UInt8(ascii: "-"), UInt8(ascii: "."): UInt8(ascii: "_")
                    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
                    default: byte
                    }
                },
                as: UTF8.self
            )
    }

    /// Remarks on variables that nothing reads, and whose names are nearly those of options; others may be another
    /// program's.
    static func remarks(_ registry: Registry, on names: [String] = ProgramEnvironment.names) -> [String] {
        let names = names.filter { $0.hasPrefix("WEIR_") }
        guard !names.isEmpty else { return [] }
        // The rules are named on the command line alone.
        let ofQueries =
            QueryOptions.all.filter { $0.name != OptionDeclaration.rules.name }
            + registry.languages.flatMap { $0.options }
        let options = (RunOptions.all + ofQueries + registry.plugins.flatMap(\.options)).map { variable(of: $0.name) }
        let known = Set(options + ["WEIR_ALLOW_WRITABLE"])
        return names.filter { !known.contains($0) }.sorted().compactMap { name in
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
