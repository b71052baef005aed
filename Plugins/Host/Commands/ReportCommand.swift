internal import WeirCore
internal import WeirRecords

/// Makes the page of a recording: `weir report`, a run whose matches go to the page alone.
struct ReportCommand: Command {
    static let name = "report"
    static let operands = "PLUGIN FILE"
    static let summary = "Write a page with charts of a recording"
    static let examples: [HelpPage.Example] = [
        ("weir report shake readings.csv", ""),
        ("weir report walk run.csv --columns time=Time,speed=Speed --to run.html", ""),
    ]
    static let usage = ["weir report PLUGIN FILE [--to PAGE] [OPTIONS OF 'weir run']"]
    static let options = [pageOption]
    static let pluginOptions: [OptionDeclaration]? = RunOptions.all

    private static let pageOption = OptionDeclaration(
        "to",
        .text(placeholder: "PAGE"),
        default: "report.html",
        help: "write the page to this file"
    )

    private let line: RunLine

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        line = try RunLine(words, of: Self.self, registry) { options throws(HostError) in
            let pages = options.values(.to) + options.values(.report)
            guard pages.count <= 1 else { throw .usage("--to: there is one page; name it once") }
            options[.report] = pages.first ?? Self.pageOption.defaultText
            options[.to] = "file:/dev/null"
        }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode { try RunCommand(line).run(context) }
}
