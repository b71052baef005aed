internal import WeirCore

/// The pages of the help.
enum Help {
    enum Topic {
        case weir, list, run, convert, create
        case plugin(any Plugin)

        /// The page for a command and its first word.
        init(_ words: [String], _ registry: Registry) throws(HostError) {
            switch words.first {
            case nil: self = .weir
            case "list": self = .list
            case "convert": self = .convert
            case "create": self = .create
            case "run":
                self = words.count > 1 ? .plugin(try registry.requiredPlugin(named: words[1])) : .run
            case let word?:
                throw .usage(
                    "there is no help on '\(word)'"
                        + Suggestion.text(
                            for: word,
                            among: ["run", "convert", "list", "create"],
                            otherwise: "'weir --help' begins at the beginning"
                        )
                )
            }
        }
    }

    static func text(_ topic: Topic, _ registry: Registry) -> String {
        switch topic {
        case .weir: weir
        case .list: list
        case .create: create
        case .run: run(registry)
        case .convert: ConvertOption.page
        case .plugin(let plugin): page(of: plugin)
        }
    }

    private static var weir: String {
        """
        weir finds situations in streams of events as they happen.

        Examples:
          weir run shake --from demo
              find shakes in made-up readings
          weir run shake readings.csv --columns time=t_ms > shakes.jsonl
              find shakes in a recording

        Usage: weir COMMAND
        \(Table.text([
            ("weir run PLUGIN [INPUT] [OPTIONS]", "find what a plugin looks for"),
            ("weir run PLUGIN --help", "what a plugin finds, its options, examples"),
            ("weir convert INPUT OUTPUT [OPTIONS]", "write the same records in another format"),
            ("weir list [plugins|transports|formats]", "what there is"),
            ("weir create plugin NAME", "write the package of a new plugin"),
            ("weir --version", "the version"),
        ], leftWidth: 40))
        Matches go to standard output, one JSON object a line; everything else to standard error.

        Exit codes:
        \(Table.text(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }))
        """
    }

    private static var list: String {
        """
        Shows what weir was built with.

        Examples:
          weir list
          weir list plugins

        Usage: weir list [plugins|transports|formats]

        """
    }

    private static var create: String {
        """
        Writes the package of a new plugin: the plugin, a library that weir can load, and a test.

        Examples:
          weir create plugin hot-spots
          weir create plugin hot-spots --weir ../weir

        Usage: weir create plugin NAME [--weir PATH]

        The name has lower-case letters, digits and single dashes; the folder of that name must not exist yet.

        Options:
        \(Table.text([("--weir PATH", "the folder of Weir's package (default: where this program was built)")]))
        """
    }

    private static func run(_ registry: Registry) -> String {
        """
        Reads events, and reports what a plugin finds in them.

        Examples:
          weir run shake --from demo
          weir run shake --help

        Usage: weir run PLUGIN [INPUT] [OPTIONS]

        Plugins:
        \(Table.text(registry.plugins.map { ($0.name, $0.summary) }))
        Options:
        \(Table.text(hostOptions))
        A plugin has options of its own; 'weir run PLUGIN --help' shows them.

        """
    }

    private static func page(of plugin: any Plugin) -> String {
        """
        \(plugin.summary)

        Examples:
        \(plugin.examples.map { "  weir run \($0.arguments)\n      \($0.meaning)" }.joined(separator: "\n"))

        Usage: weir run \(plugin.name) [INPUT] [OPTIONS]

        What to find:
        \(Table.text(plugin.options.map(row)))
        Input and output:
        \(Table.text(hostOptions))
        """
    }

    private static var hostOptions: [(left: String, right: String)] {
        HostOption.allCases.map { option in
            ("--\(option.rawValue)" + (option.placeholder.map { " " + $0 } ?? ""), option.meaning)
        }
    }

    private static func row(_ option: OptionDeclaration) -> (left: String, right: String) {
        (
            "--\(option.name) \(option.placeholder)",
            option.help
                + (option.defaultText.map { " (default:\u{A0}\($0.split(separator: "\n").joined(separator: " ")))" }
                    ?? "")
        )
    }
}
