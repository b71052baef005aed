internal import WeirCore

/// What `weir list` shows.
enum Listing {
    enum Kind: String, CaseIterable {
        case plugins, transports, formats, operators
    }

    /// The list of one kind, or of all.
    static func text(_ kind: Kind?, _ registry: Registry) -> String {
        if let kind { return kind == .transports ? transports(registry) : table(kind, registry) }
        return Kind.allCases.filter { $0 != .operators }
            .map { "\($0.rawValue.prefix(1).uppercased())\($0.rawValue.dropFirst()):\n\(table($0, registry))" }
            .joined(separator: "\n")
    }

    private static func table(_ kind: Kind, _ registry: Registry) -> String {
        switch kind {
        case .plugins: Table.text(registry.plugins.map { ($0.name, $0.summary) })
        case .formats: Table.text(registry.formats.map { ($0.name, $0.summary) })
        case .operators: operators
        case .transports:
            Table.text(
                registry.transports.map { ($0.scheme, $0.summary) }
                    + [("demo", "Made-up readings that show what a plugin finds; a source.")]
            )
        }
    }

    /// The operators, by module.
    private static var operators: String {
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
    static func json(_ kind: Kind?, _ registry: Registry) -> String {
        let kinds = kind.map { [$0] } ?? Kind.allCases
        let members = kinds.map { kind in
            let entries =
                switch kind {
                case .plugins:
                    registry.plugins.map { plugin in
                        object([
                            ("name", JSONQuote.text(plugin.name)), ("summary", JSONQuote.text(plugin.summary)),
                            ("options", OptionSchema.text(plugin.options)),
                        ])
                    }
                case .formats:
                    registry.formats.map {
                        object([("name", JSONQuote.text($0.name)), ("summary", JSONQuote.text($0.summary))])
                    }
                case .transports:
                    registry.transports.map { transport in
                        object([
                            ("scheme", JSONQuote.text(transport.scheme)),
                            ("summary", JSONQuote.text(transport.summary)),
                            ("from", OptionSchema.text(transport.sourceOptions)),
                            ("to", OptionSchema.text(transport.sinkOptions)),
                        ])
                    }
                case .operators:
                    OperatorList.all.map {
                        object([
                            ("name", JSONQuote.text($0.name)), ("module", JSONQuote.text($0.module)),
                            ("summary", JSONQuote.text($0.summary)),
                        ])
                    }
                }
            return (kind.rawValue, "[" + entries.joined(separator: ",") + "]")
        }
        return object(members) + "\n"
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(JSONQuote.text($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    /// The transports, with the options that their addresses take.
    private static func transports(_ registry: Registry) -> String {
        var text = table(.transports, registry)
        for transport in registry.transports {
            for (direction, options) in [("from", transport.sourceOptions), ("to", transport.sinkOptions)] {
                guard !options.isEmpty else { continue }
                text += "\n--\(direction) \(transport.scheme):...?NAME=VALUE&...\n" + Table.text(options.map(row))
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
