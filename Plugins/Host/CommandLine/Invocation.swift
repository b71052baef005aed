internal import WeirCore

/// What the command line asks for.
enum Invocation {
    case nothing
    case version
    case help(Help.Topic, isLong: Bool)
    case list(Listing.Kind?, isJSON: Bool)
    case graph(GraphCommand)
    case completion(CompletionCommand)
    case bench(BenchCommand)
    case record(RecordCommand)
    case replay(ReplayCommand)
    case doctor(DoctorCommand)
    case run(RunCommand)
    case validate(ValidateCommand)
    case top(TopCommand)
    case convert(ConvertRequest)
    case create(CreateCommand)

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program's name.
    ///   - registry: What there is.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(_ arguments: [String], _ registry: Registry) throws(HostError) {
        guard let command = arguments.first else {
            self = .nothing
            return
        }
        let rest = Array(arguments.dropFirst())
        switch command {
        case "--version": self = .version
        case "help": self = .help(try Help.Topic(rest.filter { !$0.hasPrefix("-") }, registry), isLong: true)
        case "--help", "-h": self = .help(.weir, isLong: false)
        case "list": self = Self.asksForHelp(rest) ? .help(.list, isLong: false) : try Self.list(rest)
        case _ where Help.pages[command] != nil && Self.asksForHelp(rest): self = .help(.page(command), isLong: false)
        case "graph": self = .graph(try GraphCommand(rest, registry))
        case "completion": self = .completion(try CompletionCommand(rest))
        case "bench": self = .bench(try BenchCommand(rest, registry))
        case "report": self = .run(try ReportCommand.command(rest, registry))
        case "record": self = .record(try RecordCommand(rest, registry))
        case "replay": self = .replay(try ReplayCommand(rest, registry))
        case "doctor": self = .doctor(try DoctorCommand(rest))
        case "run":
            if Self.asksForHelp(rest) {
                let plugin = rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
                self = .help(try Help.Topic(["run"] + (plugin.map { [$0] } ?? []), registry), isLong: false)
            } else {
                self = .run(try RunCommand(rest, registry))
            }
        case "validate":
            self =
                Self.asksForHelp(rest)
                ? .help(.validate, isLong: false) : .validate(try ValidateCommand(rest, registry))
        case "top": self = Self.asksForHelp(rest) ? .help(.top, isLong: false) : .top(try TopCommand(rest))
        case "convert":
            self =
                Self.asksForHelp(rest) ? .help(.convert, isLong: false) : .convert(try ConvertRequest(rest, registry))
        case "create":
            self =
                Self.asksForHelp(rest)
                ? .help(.create, isLong: false)
                : .create(try CreateCommand(rest, programPath: CommandLine.arguments.first ?? ""))
        default:
            let isOption = command.hasPrefix("-")
            let names =
                isOption
                ? ["--help", "--version"] : CompletionCommand.commands
            throw .usage(
                "there is no \(isOption ? "option" : "command") '\(command)'"
                    + Suggestion.text(
                        for: command,
                        among: names,
                        otherwise: "'weir --help' explains what there is"
                    )
            )
        }
    }

    private static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    private static func list(_ words: [String]) throws(HostError) -> Invocation {
        let arguments = try Arguments(words, names: [("format", true), ("help", false)], topic: "list")
        let form = arguments.options["format"] ?? "text"
        guard form == "text" || form == "json" else {
            throw .usage("--format: '\(form)' is neither text nor json")
        }
        guard let word = arguments.places.first else { return .list(nil, isJSON: form == "json") }
        guard arguments.places.count == 1 else {
            throw .usage("'weir list' takes one word, not \(arguments.places.count)")
        }
        guard let kind = Listing.Kind(rawValue: word) else {
            let names = Listing.Kind.allCases.map(\.rawValue)
            throw .usage(
                "'\(word)' cannot be listed"
                    + Suggestion.text(
                        for: word,
                        among: names,
                        otherwise: "there are \(names.joined(separator: ", "))"
                    )
            )
        }
        return .list(kind, isJSON: form == "json")
    }
}
