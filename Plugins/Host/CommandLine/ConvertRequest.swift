internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// What `weir convert` is to do: the command line, understood and checked as far as that goes without opening anything.
struct ConvertRequest {
    /// A field of the output, and what it is called in the input.
    struct Column {
        let name: String
        let inputName: String
    }

    let input: Address
    var format: any Format

    /// Whether its first lines may show another format: nothing says that it is this one.
    let isFormatGuessed: Bool
    let output: Address
    let outputFormat: any Format

    /// The fields to write; `nil` for all.
    let columns: [Column]?
    let types: [(name: String, type: FieldType)]
    let times: InputTimes
    let rejected: Address?
    let isStrict: Bool
    let limits: FormatLimits

    /// By which field records are spread over subjects, and over how many; `nil` where they are not.
    let partitions: (key: String, count: Int, lines: Int)?

    /// The options that `weir run` has not.
    enum Option {
        static let toFormat = OptionDeclaration(
            "to-format",
            .text(placeholder: "FORMAT"),
            help: "the same for the output (default: by its ending, otherwise jsonl)"
        )
        static let columns = OptionDeclaration(
            "columns",
            .text(placeholder: "NAMES"),
            help:
                "fields to write, in this order, such as time,price,volume=size (default: all; of a pipe of JSON, "
                + "those in its first MiB)"
        )
        static let schema = OptionDeclaration(
            "schema",
            .text(placeholder: "TYPES"),
            help: "types, such as time=time,price=float; the types are "
                + FieldType.allCases.map(\.rawValue).joined(separator: ", ") + " (default: as the values are written)"
        )
        static let toDelimiter = OptionDeclaration(
            "to-delimiter",
            .text(placeholder: "CHAR"),
            help: "the same for the output"
        )
        static let toQuote = OptionDeclaration(
            "to-quote",
            .choice(["double", "none"]),
            default: "double",
            help: "the same for the output; what needs quotes is then rejected"
        )
        static let toHeader = OptionDeclaration(
            "to-header",
            .text(placeholder: "LINES"),
            help: "1 or none, for the output"
        )
        static let toDialect = DialectChoice.Options(delimiter: toDelimiter, quote: toQuote, header: toHeader)
        static let toFraming = OptionDeclaration(
            "to-framing",
            .text(placeholder: "FRAMING"),
            help: "the same for the output"
        )
    }

    /// The options of how tables are written.
    static let optionsOfTables: [OptionDeclaration] = [
        .delimiter, .quote, .comment, .header, Option.toDelimiter, Option.toQuote, Option.toHeader,
    ]

    /// All options, with what those of `weir run` mean here.
    static let options =
        [
            OptionDeclaration(
                "from",
                .text(placeholder: "ADDRESS"),
                help: "the input: file:PATH or PATH, stdin or - (default: stdin)"
            ),
            OptionDeclaration(
                "to",
                .text(placeholder: "ADDRESS"),
                help: "the output: file:PATH or PATH, stdout or - (default: stdout)"
            ),
            OptionDeclaration(
                "format",
                .text(placeholder: "FORMAT"),
                help:
                    "csv, tsv, jsonl, json, binary, logfmt, clf, combined, cef, leef, syslog or pattern:TEXT (default: by the input's ending, or its first bytes: JSON or csv)"
            ),
            Option.toFormat, Option.columns, Option.schema,
        ] + OptionDeclaration.inputTimes + [
            OptionDeclaration(
                "framing",
                .text(placeholder: "FRAMING"),
                help: "newline, or length: frames of records, each after its length (default: newline)"
            ),
            Option.toFraming, .rejected,
            OptionDeclaration("strict", .flag, help: "exit with 1 when input was rejected"),
            OptionDeclaration(
                "max-line",
                .byteCount(16...1 << 30),
                default: "1MiB",
                help: "reject lines and blocks that are longer"
            ),
        ] + optionsOfTables

    /// Reads what follows `weir convert`.
    ///
    /// - Throws: ``HostError`` when it cannot be understood.
    init(
        _ words: [String],
        of command: any Command.Type = ConvertCommand.self,
        _ registry: Registry
    ) throws(HostError) {
        let arguments = try Arguments(words, of: command)
        let given = arguments.options
        var places = arguments.places[...]
        let from = given[.from] ?? places.popFirst()
        let to = given[.to] ?? places.popFirst()
        if let place = places.first {
            throw .usage("'\(place)' is one place too many; there is one input and one output")
        }
        guard from != nil || !StandardStream.input.isTerminal else {
            throw .usage(
                "there is nothing to read; name a file, or pipe it in, as in '\(command.examples[0].0)'"
            )
        }
        let framedInput = try Address(from ?? "stdin", .input, registry)
            .framed(by: given[.framing], .framing, .input)
        let framedOutput = try Address(to ?? "stdout", .output, registry)
            .framed(by: given[Option.toFraming], Option.toFraming, .output)
        input = framedInput.address
        output = framedOutput.address
        format = try Self.format(
            given[.format],
            of: input,
            otherwise: CSVFormat().name,
            framing: framedInput.framing,
            option: .framing,
            dialect: try DialectChoice(given, .input),
            registry
        )
        let options = [OptionDeclaration.format, .framing] + DialectChoice.Options.input.all
        isFormatGuessed =
            options.allSatisfy { given[$0] == nil } && !input.hasMessages(.input)
            && input.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) } == nil
        outputFormat = try Self.format(
            given[Option.toFormat],
            of: output,
            otherwise: JSONLinesFormat().name,
            framing: framedOutput.framing,
            option: Option.toFraming,
            dialect: try DialectChoice(given, Option.toDialect),
            registry
        )
        if let lines = given[Option.toHeader], !["1", "none"].contains(lines) {
            throw .usage("--to-header: '\(lines)' is neither 1 nor none")
        }
        let ending = output.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) }
        try FormatChoice.check(endingOf: output, isText: given[Option.toFormat] != nil || ending != nil)
        try FormatChoice.check(format, goesThrough: input, .input, option: .format)
        format = FormatChoice.format(format, readFrom: input)
        try FormatChoice.check(outputFormat, goesThrough: output, .output, option: Option.toFormat)
        columns = try given[Option.columns].map { text throws(HostError) in try Self.columns(text) }
        types = try given[Option.schema].map { text throws(HostError) in try Self.types(text) } ?? []
        times = try given.inputTimes()
        rejected = try given[.rejected].map { text throws(HostError) in
            try Address(text, .output, option: .rejected, registry)
        }
        if let rejected { try FormatChoice.check(endingOf: rejected, isText: true, option: .rejected) }
        isStrict = given[.strict] != nil
        limits = FormatLimits(lineLength: try given.integer(.maxLine) ?? 0)
        partitions = try given[ProduceCommand.key].map { key throws(HostError) in
            (key, try given.integer(.partitions) ?? 0, try given.integer(ProduceCommand.lines) ?? 1)
        }
    }

    private static func format(
        _ given: String?,
        of address: Address,
        otherwise name: String,
        framing: String?,
        option: OptionDeclaration,
        dialect: DialectChoice,
        _ registry: Registry
    ) throws(HostError) -> any Format {
        let ending = address.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) }
        return try FormatChoice.format(
            named: given ?? ending ?? name,
            framing: framing,
            option: option,
            dialect: dialect,
            registry
        )
    }

    /// Reads `NAME` and `NAME=INPUT-NAME`, separated by commas.
    private static func columns(_ text: String) throws(HostError) -> [Column] {
        var columns: [Column] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = sides.first, let inputName = sides.last, !name.isEmpty, !inputName.isEmpty else {
                throw .usage("--columns: '\(part)' is neither NAME nor NAME=NAME-IN-THE-INPUT")
            }
            guard !columns.contains(where: { $0.name == name }) else {
                throw .usage("--columns: '\(name)' is named twice; rename one, as in other=\(name)")
            }
            columns.append(Column(name: name, inputName: inputName))
        }
        return columns
    }

    /// Reads `NAME=TYPE`, separated by commas.
    private static func types(_ text: String) throws(HostError) -> [(name: String, type: FieldType)] {
        var types: [(name: String, type: FieldType)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let equals = part.lastIndex(of: "="), equals > part.startIndex else {
                throw .usage("--schema: '\(part)' is not of the form NAME=TYPE")
            }
            let name = String(part[..<equals])
            let word = String(part[part.index(after: equals)...])
            guard let type = FieldType(rawValue: word) else {
                let words = FieldType.allCases.map(\.rawValue)
                throw .usage(
                    "--schema: there is no type '\(word)', only \(words.joined(separator: ", "))"
                        + Suggestion.text(for: word, among: words)
                )
            }
            guard !types.contains(where: { $0.name == name }) else {
                throw .usage("--schema: '\(name)' is named twice")
            }
            types.append((name, type))
        }
        return types
    }
}
