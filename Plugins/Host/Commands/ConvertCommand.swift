internal import WeirRecords

/// Writes the records of an input in another format: `weir convert`.
struct ConvertCommand: Command {
    static let name = "convert"
    static let operands = "INPUT OUTPUT"
    static let summary = "Write the same records in another format"
    static let examples: [HelpPage.Example] = [
        ("weir convert trades.csv trades.weir", "as typed columns: the fastest to read, and at most half the size"),
        ("weir convert trades.weir --columns time,price --to-format csv | less", ""),
        ("weir convert - day.weir --format jsonl --schema time=time,price=float < day.jsonl", ""),
    ]
    static let usage = ["weir convert [INPUT [OUTPUT]] [OPTIONS]"]
    static let options = ConvertRequest.options
    static let optionsOfTables = ConvertRequest.optionsOfTables
    static let remark = """
        Numbers keep all of their digits, and what does not fit is rejected. CSV has no
        types and no null.
        """

    private let request: ConvertRequest

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        request = try ConvertRequest(words, registry)
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        var conversion = try Conversion(request, console: context.console, interruption: context.interruption)
        return try conversion.run()
    }
}
