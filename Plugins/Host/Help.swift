internal import WeirCore

/// The pages of the help.
enum Help {
    enum Topic {
        case weir, list, run, validate, top, convert, create
        case plugin(any Plugin)
        /// One of ``Help/pages``.
        case page(String)

        /// The page for a command and its first word.
        init(_ words: [String], _ registry: Registry) throws(HostError) {
            switch words.first {
            case nil: self = .weir
            case "list": self = .list
            case "convert": self = .convert
            case "create": self = .create
            case "validate": self = .validate
            case "top": self = .top
            case "run":
                self = words.count > 1 ? .plugin(try registry.requiredPlugin(named: words[1])) : .run
            case let word? where pages[word] != nil: self = .page(word)
            case let word?:
                throw .usage(
                    "there is no help on '\(word)'"
                        + Suggestion.text(
                            for: word,
                            among: CompletionCommand.commands,
                            otherwise: "'weir --help' begins at the beginning"
                        )
                )
            }
        }
    }

    /// The pages of the commands that bring their own.
    static let pages = [
        "graph": GraphCommand.page, "completion": CompletionCommand.page, "bench": BenchCommand.page,
        "report": ReportCommand.page, "record": RecordCommand.page, "replay": ReplayCommand.page,
        "doctor": DoctorCommand.page,
    ]

    static func text(_ topic: Topic, _ registry: Registry) -> String {
        switch topic {
        case .weir: weir
        case .list: list
        case .create: create
        case .validate: validate
        case .top: TopCommand.page
        case .run: run(registry)
        case .convert: ConvertOption.page
        case .plugin(let plugin): page(of: plugin)
        case .page(let name): pages[name] ?? weir
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
            ("weir run PLUGIN [INPUT] [OPTIONS]", "find what a plugin looks for; PLUGIN --help says what"),
            ("weir run --config FILE", "run the pipelines of a file"),
            ("weir validate ...", "open what a run would open, and run nothing"),
            ("weir top", "look at a weir that runs"),
            ("weir report PLUGIN FILE", "write a page with charts of a recording"),
            ("weir record INPUT FILE", "keep what arrives"),
            ("weir replay FILE", "send a recording again, at its pace"),
            ("weir convert INPUT OUTPUT", "write the same records in another format"),
            ("weir graph PLUGIN", "show the operators of a plugin"),
            ("weir bench PLUGIN INPUT", "measure"),
            ("weir list [KIND]", "what there is: plugins, transports, formats, operators"),
            ("weir create plugin NAME", "write the package of a new plugin"),
            ("weir completion SHELL", "complete command lines in bash, zsh or fish"),
            ("weir doctor", "check what surrounds the program"),
        ], leftWidth: 40))
        Matches go to standard output, one JSON object a line; everything else to standard error.

        Exit codes:
        \(Table.text(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }))
        """
    }

    private static var validate: String {
        """
        Opens everything that a run would open, and runs nothing.

        Examples:
          weir validate shake readings.csv --to matches.jsonl
          weir validate --config pipelines.json

        Usage: weir validate PLUGIN [INPUT] [OPTIONS]
               weir validate --config FILE

        It takes what 'weir run' takes. The exit code says whether all is well.

        """
    }

    private static var list: String {
        """
        Shows what weir was built with.

        Examples:
          weir list
          weir list plugins

        Usage: weir list [plugins|transports|formats|operators] [--format text|json]

        JSON has the options too, as JSON Schema.

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

        A plugin runs within weir: one that crashes ends the run, with the matches of the records at hand; those of earlier
        records were written. Untrusted plugins belong into a run of their own.

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
        \(Table.text(rows(HostOption.allCases)))
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
        \(common(plugin))
        """
    }

    /// What all plugins have, so that the page stays on one screen.
    private static func common(_ plugin: any Plugin) -> String {
        guard plugin.options.count > 8 else {
            return "Input and output ('weir run --help' has more):\n" + Table.text(rows(HostOption.common))
        }
        let names = HostOption.common.filter { $0 != .help }.map { "--\($0.rawValue)" }.joined(separator: ", ")
        return "Input and output: \(names); 'weir run --help' explains them.\n"
    }

    private static func rows(_ options: [HostOption]) -> [(left: String, right: String)] {
        options.map { option in
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
