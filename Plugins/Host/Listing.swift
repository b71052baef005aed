internal import WeirCore

/// What `weir list` shows.
enum Listing {
    enum Kind: String, CaseIterable {
        case plugins, transports, formats
    }

    /// The list of one kind, or of all.
    static func text(_ kind: Kind?, _ registry: Registry) -> String {
        if let kind { return kind == .transports ? transports(registry) : table(kind, registry) }
        return Kind.allCases
            .map { "\($0.rawValue.prefix(1).uppercased())\($0.rawValue.dropFirst()):\n\(table($0, registry))" }
            .joined(separator: "\n")
    }

    private static func table(_ kind: Kind, _ registry: Registry) -> String {
        switch kind {
        case .plugins: Table.text(registry.plugins.map { ($0.name, $0.summary) })
        case .formats: Table.text(registry.formats.map { ($0.name, $0.summary) })
        case .transports:
            Table.text(
                registry.transports.map { ($0.scheme, $0.summary) }
                    + [("demo", "Made-up readings that show what a plugin finds; a source.")]
            )
        }
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
