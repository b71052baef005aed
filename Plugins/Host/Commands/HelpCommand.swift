internal import WeirCore
internal import WeirRecords

/// Explains commands and topics: `weir help`.
struct HelpCommand: Command {
    static let name = "help"
    static let operands = "TOPIC"
    static let summary = "Explain a command or a topic, such as formats"
    static let examples: [HelpPage.Example] = [("weir help run shake", ""), ("weir help times", "")]
    static let usage = ["weir help COMMAND", "weir help run PLUGIN", "weir help TOPIC"]
    static var remark: String { "Topics: \(topics.joined(separator: ", "))." }
    static var firstWords: [String] { Commands.all.map { $0.name } + topics }

    /// The language that queries are in by default is a topic, as others of the registry are that have a guide.
    private static var topics: [String] { HelpTopic.allCases.map(\.rawValue) + [QueryOptions.usualLanguage] }

    private let text: String

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let words = words.filter { !$0.hasPrefix("-") }
        guard let word = words.first, word != Self.name else {
            text = Self.overview
            return
        }
        if let command = Commands.named(word) {
            text = try command.page(for: Array(words.dropFirst()), registry).text(isLong: true)
        } else if let topic = HelpTopic(rawValue: word) {
            text = topic.text
        } else if let language = registry.language(named: word), !language.guide.isEmpty {
            text = language.guide
        } else if registry.transport(for: word) != nil {
            text = HelpTopic.addresses.text
        } else if registry.format(named: word) != nil {
            text = HelpTopic.formats.text
        } else {
            throw .usage(
                "there is no help on '\(word)'"
                    + Suggestion.text(
                        for: word,
                        among: Self.firstWords,
                        otherwise: "topics are \(Self.topics.joined(separator: ", "))"
                    )
            )
        }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode { try context.show(text) }

    /// What the program is for, and its commands.
    static var overview: String {
        """
        weir finds situations in streams of events. Matches go to standard output.
        Examples:
          weir match 'login where outcome == "failure"' logins.jsonl
        Usage: weir COMMAND ('weir help COMMAND', or a topic: 'weir help formats')
        \(Table.text(Commands.all.filter { $0.name != name }.map { command in
            let name = command.name + (command.operands.isEmpty ? "" : " \(command.operands)")
            return (name, command.summary.prefix(1).lowercased() + command.summary.dropFirst())
        }))
        """
    }
}
