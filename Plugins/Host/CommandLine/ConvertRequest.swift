internal import WeirCore
internal import WeirFiles
internal import WeirFormats

/// What `weir convert` is to do: the command line, understood and checked as far as that goes without opening anything.
struct ConvertRequest {
    /// A field of the output, and what it is called in the input.
    struct Column {
        let name: String
        let inputName: String
    }

    let input: Address
    let format: any Format
    let output: Address
    let outputFormat: any Format

    /// The fields to write; `nil` for all.
    let columns: [Column]?
    let types: [(name: String, type: FieldType)]
    let timeUnit: TimeUnit
    let rejected: Address?
    let isStrict: Bool
    let limits: FormatLimits

    /// Reads what follows `weir convert`.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - registry: What there is.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(
            words,
            names: ConvertOption.allCases.map { ($0.rawValue, $0.placeholder != nil) },
            topic: "convert"
        )
        func given(_ option: ConvertOption) -> String? { arguments.options[option.rawValue] }
        var places = arguments.places[...]
        let from = given(.from) ?? places.popFirst()
        let to = given(.to) ?? places.popFirst()
        if let place = places.first {
            throw .usage("'\(place)' is one place too many; there is one input and one output")
        }
        guard from != nil || !StandardStream.input.isTerminal else {
            throw .usage(
                "there is nothing to read; name a file, or pipe it in, as in 'weir convert trades.csv trades.weir'"
            )
        }
        let framedInput = try Address(from ?? "stdin", option: .from, dash: "stdin", registry)
            .framed(by: given(.framing), ConvertOption.framing.rawValue, for: .from)
        let framedOutput = try Address(to ?? "stdout", option: .to, dash: "stdout", registry)
            .framed(by: given(.toFraming), ConvertOption.toFraming.rawValue, for: .to)
        input = framedInput.address
        output = framedOutput.address
        format = try Self.format(
            given(.format),
            of: input,
            otherwise: CSVFormat().name,
            framing: framedInput.framing,
            option: .framing,
            registry
        )
        outputFormat = try Self.format(
            given(.toFormat),
            of: output,
            otherwise: JSONLinesFormat().name,
            framing: framedOutput.framing,
            option: .toFraming,
            registry
        )
        try FormatChoice.check(format, goesThrough: input, .from, option: ConvertOption.format.rawValue)
        try FormatChoice.check(outputFormat, goesThrough: output, .to, option: ConvertOption.toFormat.rawValue)
        columns = try given(.columns).map { text throws(HostError) in try Self.columns(text) }
        types = try given(.schema).map { text throws(HostError) in try Self.types(text) } ?? []
        let unit = given(.timeUnit) ?? TimeUnit.milliseconds.rawValue
        guard let timeUnit = TimeUnit(rawValue: unit) else {
            throw .usage("--time-unit: '\(unit)' is not one of \(ConvertOption.timeUnit.placeholder ?? "")")
        }
        self.timeUnit = timeUnit
        rejected = try given(.rejected).map { text throws(HostError) in
            try Address(text, option: .rejected, dash: "stdout", registry)
        }
        isStrict = given(.strict) != nil
        limits = try FormatChoice.limits(given(.maxLine))
    }

    private static func format(
        _ given: String?,
        of address: Address,
        otherwise name: String,
        framing: String?,
        option: ConvertOption,
        _ registry: Registry
    ) throws(HostError) -> any Format {
        let ending = address.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) }
        return try FormatChoice.format(
            named: given ?? ending ?? name,
            framing: framing,
            option: option.rawValue,
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
