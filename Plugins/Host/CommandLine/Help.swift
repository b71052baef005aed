internal import WeirCore

/// The pages of the help.
enum Help {
    enum Topic {
        case weir, list, run, validate, top, convert, create, options, exitCodes, signals
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
            case "options": self = .options
            case "exit-codes": self = .exitCodes
            case "signals": self = .signals
            case "run":
                self = words.count > 1 ? .plugin(try registry.requiredPlugin(named: words[1])) : .run
            case let word? where pages[word] != nil: self = .page(word)
            case let word?:
                throw .usage(
                    "there is no help on '\(word)'"
                        + Suggestion.text(
                            for: word,
                            among: CompletionCommand.commands + CompletionCommand.furtherPages,
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

    /// A page.
    ///
    /// - Parameters:
    ///   - topic: What it is about.
    ///   - isLong: Whether it may be longer than a screen.
    ///   - registry: What there is.
    /// - Returns: Lines, each with its end.
    static func text(_ topic: Topic, isLong: Bool, _ registry: Registry) -> String {
        switch topic {
        case .weir: weir
        case .list: list
        case .create: create
        case .validate: validate
        case .top: TopCommand.page
        case .run: run(registry).text(isLong: isLong)
        case .convert: ConvertOption.page.text(isLong: isLong)
        case .plugin(let plugin): page(of: plugin).text(isLong: isLong)
        case .options: options
        case .exitCodes: exitCodes
        case .signals: signals
        case .page(let name): pages[name] ?? weir
        }
    }

    private static var weir: String {
        """
        weir finds situations in streams of events as they happen.

        Examples:
          weir run shake --from demo
          weir run shake readings.csv --columns time=t_ms > shakes.jsonl

        Usage: weir COMMAND ('weir COMMAND --help' explains each)
        \(Table.text([
            ("run PLUGIN [INPUT]", "find what a plugin looks for"),
            ("validate ...", "open what a run would open, and run nothing"),
            ("top", "look at a weir that runs"),
            ("report PLUGIN FILE", "write a page with charts of a recording"),
            ("record INPUT FILE", "keep what arrives, and when"),
            ("replay FILE", "send a recording again, at its pace"),
            ("convert INPUT OUTPUT", "write the same records in another format"),
            ("graph PLUGIN", "show the operators of a plugin"),
            ("bench PLUGIN INPUT", "measure how fast that is here"),
            ("list [KIND]", "show plugins, transports, formats and operators"),
            ("create plugin NAME", "write the package of a new plugin"),
            ("completion SHELL", "complete command lines in bash, zsh or fish"),
            ("doctor", "check what surrounds the program"),
            ("help exit-codes|signals", "how the program ends, and what it listens to"),
        ]))
        Matches go to standard output, a JSON object a line; all else to standard error.

        """
    }

    private static var exitCodes: String {
        """
        How the program ends.

        Examples:
          weir run shake readings.csv --strict || echo "exit code $?"

        Usage: weir help exit-codes

        \(Table.text(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }))
        """
    }

    private static var signals: String {
        """
        What 'weir run' does on signals.

        Examples:
          kill -USR1 4711
          kill -HUP 4711

        Usage: weir help signals

        \(Table.text([
            ("SIGINT, SIGTERM", "Ctrl-C: stop reading, and write what comes of all that was read; a second one ends it at once"),
            ("SIGHUP", "with --config: read the file again, and replace only what has changed, so that it also goes on when its terminal goes away; otherwise like SIGINT, unless it is ignored, as with nohup"),
            ("SIGUSR1", "show on standard error how it goes, like 'weir top --snapshot'"),
        ]))
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
        Writes the package of a new plugin: the plugin, a library that weir can load,
        and a test.

        Examples:
          weir create plugin hot-spots
          weir create plugin hot-spots --weir ../weir

        Usage: weir create plugin NAME [--weir PATH]

        The name has lower-case letters, digits and single dashes; the folder of that
        name must not exist yet.

        A plugin runs within weir: one that crashes ends the run, with the matches of
        the records at hand; those of earlier records were written. Untrusted plugins
        belong into a run of their own.

        Options:
        \(Table.text([("--weir PATH", "the folder of Weir's package (default: where this program was built)")]))
        """
    }

    private static func run(_ registry: Registry) -> HelpPage {
        HelpPage(
            summary: "Reads events, and reports what a plugin finds in them.",
            examples: [
                ("weir run shake --from demo", ""),
                ("weir run walk run.csv --to walks.jsonl --report walks.html", ""),
                ("weir run --config pipelines.json --live", ""),
            ],
            usage: "weir run PLUGIN [INPUT] [OPTIONS]\n       weir run --config FILE [OPTIONS]",
            sections: [
                (
                    "Plugins, with options of their own ('weir run PLUGIN --help')",
                    [(registry.plugins.map(\.name).joined(separator: ", ") + ", or the path of a library", "")]
                ),
                ("Options ('weir help options' has them all)", rows(HostOption.common)),
            ],
            more: ""
        )
    }

    private static var options: String {
        """
        The options of 'weir run', beside those of its plugins.

        Usage: weir run PLUGIN [INPUT] [OPTIONS]
        \(Table.text(rows(HostOption.allCases)))
        """
    }

    private static func page(of plugin: any Plugin) -> HelpPage {
        HelpPage(
            summary: plugin.summary,
            examples: plugin.examples.map { ("weir run \($0.arguments)", $0.meaning) },
            usage: "weir run \(plugin.name) [INPUT] [OPTIONS]",
            sections: [
                ("What to find", plugin.options.map(row)),
                ("Input and output ('weir help options' has more)", rows(HostOption.common)),
            ],
            more: "'weir help run \(plugin.name)' says more, 'weir help options' how to read and write."
        )
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
