internal import WeirCore
internal import WeirRecords

/// Shows what the program was built with: `weir list`.
struct ListCommand: Command {
    static let name = "list"
    static let operands = "[KIND]"
    static let summary = "Show plugins, languages, transports, formats"
    static let examples: [HelpPage.Example] = [("weir list", ""), ("weir list plugins", "")]
    static let usage = ["weir list [KIND] [--format text|json]"]
    static let options = [formatOption]
    static let firstWords = Kind.allCases.map(\.rawValue)
    static var remark: String {
        """
        Kinds: \(firstWords.joined(separator: ", ")).
        JSON has the options too, as JSON Schema.
        """
    }

    private static let formatOption = OptionDeclaration(
        "format",
        .choice(["text", "json"]),
        default: "text",
        help: "for people or for programs"
    )

    private enum Kind: String, CaseIterable {
        case plugins, languages, transports, formats, operators
    }

    private let kind: Kind?
    private let isJSON: Bool

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        isJSON = try arguments.options.choice(Self.formatOption) == "json"
        guard arguments.places.count <= 1 else {
            throw .usage("'weir list' takes one word, not \(arguments.places.count)")
        }
        kind = try arguments.places.first.map { word throws(HostError) in
            guard let kind = Kind(rawValue: word) else {
                throw .usage(
                    "'\(word)' cannot be listed"
                        + Suggestion.text(
                            for: word,
                            among: Self.firstWords,
                            otherwise: "there are \(Self.firstWords.joined(separator: ", "))"
                        )
                )
            }
            return kind
        }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        try context.show(isJSON ? json(context.registry) : text(context.registry))
    }

    /// The list of one kind, or of all.
    private func text(_ registry: Registry) -> String {
        if let kind { return kind == .transports ? transports(registry) : table(kind, registry) }
        return Kind.allCases.filter { $0 != .operators }
            .map { "\($0.rawValue.prefix(1).uppercased())\($0.rawValue.dropFirst()):\n\(table($0, registry))" }
            .joined(separator: "\n")
    }

    private func table(_ kind: Kind, _ registry: Registry) -> String {
        switch kind {
        case .plugins: Table.text(registry.plugins.map { ($0.name, $0.summary) })
        case .languages: Table.text(registry.languages.map { ($0.name, $0.summary) })
        case .formats: Table.text(registry.formats.map { ($0.name, $0.summary) } + FormatChoice.unregistered)
        case .operators: operators
        case .transports:
            Table.text(
                registry.transports.map { ($0.scheme, $0.summary) }
                    + [("demo", "Made-up readings that show what a plugin finds; a source.")]
            )
        }
    }

    /// The operators, by module.
    private var operators: String {
        var text = ""
        var module = ""
        for entry in OperatorList.all {
            if entry.module != module {
                text += (module.isEmpty ? "" : "\n") + "import \(entry.module)\n"
                module = entry.module
            }
            text += Table.text([(entry.name, entry.summary)], leftWidth: 20, minimumLeftWidth: 20)
        }
        return text
    }

    /// The list of one kind, or of all, as one JSON object; options as JSON Schema.
    private func json(_ registry: Registry) -> String {
        var json = JSONWriter()
        json.object { json in
            for kind in kind.map({ [$0] }) ?? Kind.allCases {
                json.name(kind.rawValue)
                switch kind {
                case .plugins:
                    Self.entries(registry.plugins, to: &json) { json, plugin in
                        json.member("name", plugin.name)
                        json.member("summary", plugin.summary)
                        json.name("options")
                        OptionSchema.write(plugin.options, to: &json)
                    }
                case .languages:
                    Self.entries(registry.languages, to: &json) { json, language in
                        json.member("name", language.name)
                        json.member("summary", language.summary)
                        json.member("endings", language.fileEndings) { json, ending in json.value(ending) }
                    }
                case .formats:
                    let formats = registry.formats.map { ($0.name, $0.summary) } + FormatChoice.unregistered
                    Self.entries(formats, to: &json) { json, format in
                        json.member("name", format.0)
                        json.member("summary", format.1)
                    }
                case .transports:
                    Self.entries(registry.transports, to: &json) { json, transport in
                        json.member("scheme", transport.scheme)
                        json.member("summary", transport.summary)
                        json.name("from")
                        OptionSchema.write(transport.sourceOptions, to: &json)
                        json.name("to")
                        OptionSchema.write(transport.sinkOptions, to: &json)
                    }
                case .operators:
                    Self.entries(OperatorList.all, to: &json) { json, entry in
                        json.member("name", entry.name)
                        json.member("module", entry.module)
                        json.member("summary", entry.summary)
                    }
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private static func entries<Entry>(
        _ entries: [Entry],
        to json: inout JSONWriter,
        _ members: (inout JSONWriter, Entry) -> Void
    ) {
        json.array(entries) { json, entry in json.object { json in members(&json, entry) } }
    }

    /// The transports, with the options that their addresses take.
    private func transports(_ registry: Registry) -> String {
        var text = table(.transports, registry)
        for transport in registry.transports {
            for (direction, options) in [("from", transport.sourceOptions), ("to", transport.sinkOptions)] {
                guard !options.isEmpty else { continue }
                text += "\n--\(direction) \(transport.scheme):...?NAME=VALUE&...\n" + Table.text(options.map(Self.row))
            }
        }
        return text
    }

    private static func row(_ option: OptionDeclaration) -> (left: String, right: String) {
        (
            "\(option.name)=\(option.placeholder)",
            option.help + (option.defaultText.map { " (default:\u{A0}\($0))" } ?? "")
        )
    }
}
