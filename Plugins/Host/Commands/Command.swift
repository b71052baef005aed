internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// A command of the program: parsing, help, completion and the overview come from what it declares here.
protocol Command: SendableMetatype {
    static var name: String { get }

    /// What follows the name in the overview, such as `PLUGIN [INPUT]`.
    static var operands: String { get }

    /// What it does, in an imperative sentence of few words.
    static var summary: String { get }

    static var examples: [HelpPage.Example] { get }

    /// The forms of the command line.
    static var usage: [String] { get }

    /// Its own options, beside `--help`.
    static var options: [OptionDeclaration] { get }

    /// What its page says at the end, in lines of the width of a page.
    static var remark: String { get }

    /// Those of the options that stand in the long help only, because they are about tables.
    static var optionsOfTables: [OptionDeclaration] { get }

    /// What may come first, where that is one of a few words.
    static var firstWords: [String] { get }

    /// The options that come with a plugin in the first place; `nil` where none comes there.
    static var pluginOptions: [OptionDeclaration]? { get }

    /// The page for a command line that asks for help.
    static func page(for words: [String], _ registry: Registry) throws(HostError) -> HelpPage

    /// Reads what follows the name.
    ///
    /// - Throws: ``HostError`` when it cannot be understood.
    init(_ words: [String], _ registry: Registry) throws(HostError)

    /// Does it.
    ///
    /// - Returns: How it ended; everything that there is to say was said.
    /// - Throws: ``HostError`` with what is left to say.
    func run(_ context: CommandContext) throws(HostError) -> ExitCode
}

extension Command {
    static var usage: [String] { ["weir \(name) \(operands)" + (options.isEmpty ? "" : " [OPTIONS]")] }
    static var options: [OptionDeclaration] { [] }
    static var optionsOfTables: [OptionDeclaration] { [] }
    static var remark: String { "" }
    static var firstWords: [String] { [] }
    static var pluginOptions: [OptionDeclaration]? { nil }

    static func page(for words: [String], _ registry: Registry) throws(HostError) -> HelpPage { page }

    private static var sections: [(title: String, rows: [HelpPage.Row])] {
        let names = Set(optionsOfTables.map(\.name))
        let others = options.filter { !names.contains($0.name) }
        let all = [("Options", HelpPage.rows(others)), ("Tables", HelpPage.rows(optionsOfTables))]
        return all.filter { !$0.1.isEmpty }
    }

    /// The page of what is declared.
    static var page: HelpPage {
        HelpPage(
            summary: summary + ".",
            examples: examples,
            usage: usage,
            sections: sections,
            remark: remark,
            more: "'weir help \(name)' says more."
        )
    }
}

/// What commands run with.
struct CommandContext {
    let registry: Registry
    let console: Console

    /// What Ctrl-C triggers.
    let interruption: Interruption?
}

/// The commands.
enum Commands {
    /// All of them, in the order of the overview; a new one is a line here.
    static let all: [any Command.Type] = [
        RunCommand.self,
        MatchCommand.self,
        TestCommand.self,
        ValidateCommand.self,
        TopCommand.self,
        StateCommand.self,
        GroupCommand.self,
        ReportCommand.self,
        RecordCommand.self,
        ReplayCommand.self,
        ConvertCommand.self,
        ProduceCommand.self,
        GuessCommand.self,
        GraphCommand.self,
        BenchCommand.self,
        ListCommand.self,
        CreateCommand.self,
        CompletionCommand.self,
        DoctorCommand.self,
        HelpCommand.self,
    ]

    static func named(_ name: String) -> (any Command.Type)? { all.first { $0.name == name } }
}
