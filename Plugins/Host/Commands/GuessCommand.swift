internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// Says how an input is written, and how to read it: `weir guess`.
struct GuessCommand: Command {
    static let name = "guess"
    static let operands = "INPUT"
    static let summary = "Say how an input is written, and how to read it"
    static let examples: [HelpPage.Example] = [
        ("weir guess readings.txt", ""), ("weir guess access.log.gz", ""), ("head -1000 log | weir guess -", ""),
    ]
    static let usage = ["weir guess INPUT"]
    static let remark = """
        It looks at the first 256 KiB. The exit code is 66 where the input is of no
        format that is known.
        """

    /// How much is looked at.
    private static let byteCount = 256 << 10

    private let input: Address
    private let registry: Registry

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        guard let place = arguments.places.first, arguments.places.count == 1 else {
            throw .usage("name one input, such as 'weir guess readings.txt', or '-' for standard input")
        }
        input = try Address(place, .input, registry)
        self.registry = registry
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        let bytes = try start()
        let name = input.name == "stdin" ? "standard input" : "'\(input.name)'"
        if let problem = Self.problem(bytes) { throw HostError(.noInput, "\(name) \(problem)") }
        // What has zeros is no text at all.
        let isOtherText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) == nil
        guard let guess = Guess(bytes) else {
            if isOtherText { throw HostError(.noInput, "\(name) is not UTF-8; \(Self.iconv)") }
            throw HostError(
                .noInput,
                "\(name) is of no format that is known; --format 'pattern:{time} {level} {rest}' reads lines of any form"
            )
        }
        return try context.show(text(guess, name, isOtherText: isOtherText))
    }

    private static let iconv = "'iconv -f LATIN1 -t UTF-8' makes UTF-8 of Latin-1"

    /// The start of the input, up to the end of a line.
    private func start() throws(HostError) -> [UInt8] {
        let source = try input.openSource()
        do throws(TransportError) {
            let (bytes, isWhole) = try source.readStart(Self.byteCount)
            let end = isWhole ? nil : bytes.lastIndex(of: UInt8(ascii: "\n"))
            return Array(bytes[..<(end.map { $0 + 1 } ?? bytes.count)])
        } catch {
            throw HostError(error, opening: .noInput)
        }
    }

    /// Why the bytes cannot be looked at, in words that follow a name.
    private static func problem(_ bytes: [UInt8]) -> String? {
        if bytes.isEmpty { return "is empty" }
        if let form = Compression(beginning: bytes) {
            return "is compressed; pipe it through '\(form.program) -dc' first"
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "is UTF-16; 'iconv -f UTF-16 -t UTF-8' makes UTF-8 of it"
        }
        if !bytes.contains(0), bytes.contains(UInt8(ascii: "\r")), !bytes.contains(UInt8(ascii: "\n")) {
            return "has lines that end with a carriage return alone; \"tr '\\r' '\\n'\" makes line feeds of them"
        }
        if JSONFormat.isWithoutObjects(bytes) {
            return "is JSON without objects, and records are objects; write each as one, such as {\"time\":1,\"x\":2}"
        }
        return nil
    }

    // MARK: Text

    private func text(_ guess: Guess, _ name: String, isOtherText: Bool) -> String {
        let sample = guess.sample
        let counts =
            "\(Quantity.counted(UInt64(sample.rows.count), "record", "records")) looked at, "
            + "\(Quantity.grouped(UInt64(sample.rejectedCount))) rejected"
        var text = "\(name) is \(guess.reading.words); \(counts)\n\nFields:\n"
        text += Table.text(
            guess.fields.map { field in
                (
                    field.name,
                    field.type.rawValue + (field.example.isEmpty ? "" : ", such as \(Self.excerpt(field.example))")
                )
            }
        )
        let repeated = sample.repeatedNames.map { $0.isEmpty ? "(empty)" : "'\($0)'" }.joined(separator: ", ")
        if !repeated.isEmpty {
            text += "\nLeft out, since their names are there more than once: \(repeated)\n"
            text += "--header none leaves nothing out: positions name the fields, and the header is a record.\n"
        }
        if isOtherText { text += "\nLines that are not UTF-8 are rejected; \(Self.iconv).\n" }
        if let time = guess.timeField {
            let unit = time.unit.map { "counting \($0.rawValue)" } ?? "counting an unknown unit"
            text += "\nTime: '\(time.name)', \(time.form?.words ?? unit)\n"
            if let other = time.otherFormat {
                text += "No day is greater than 12, so '\(other)' fits as well; write it if it is meant.\n"
            }
            if time.form?.needsZone ?? false { text += "Write the zone of its clock in the place of UTC.\n" }
            if time.isDate { text += "It has no time of day: records of one day have the same time.\n" }
        } else {
            text += "\nTime: no field looks like one\n"
        }
        return text + "\nCommands:\n" + commands(guess).map { "  \($0)\n" }.joined()
    }

    private static func excerpt(_ text: String) -> String {
        // JSON may be laid out in lines.
        let words = text.split { "\n\r\t ".contains($0) || $0 == "\r\n" }
        return Excerpt.of(words.joined(separator: " ").utf8, limit: 40)
    }

    /// The command lines that read the input.
    private func commands(_ guess: Guess) -> [String] {
        let ending = input.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) } ?? "csv"
        var options = guess.reading.options
        if guess.reading.format.name != ending { options.insert(("format", guess.reading.formatName), at: 0) }
        let place = input.name == "stdin" ? "-" : input.text.hasPrefix("file:") ? input.path : input.text
        let time = guess.timeField
        let unit = time?.type == .time ? nil : time?.unit
        let isBinary = guess.reading.format.name == BinaryFormat().name
        let reading = options.flatMap { ["--\($0.name)", $0.value == "\t" ? "\\t" : $0.value] }
        let unitWords =
            (unit.map { $0 == .milliseconds ? [] : ["--time-unit", $0.rawValue] } ?? []) + (time?.form?.options ?? [])
        // Numbers that are kept as text are said to be text, or some of them would be written as numbers.
        let tellsText = guess.reading.format.tellsTextFromNumbers
        let types = guess.fields
            .filter { $0.type != .text && $0.type != .json || $0.isNumber && !tellsText || $0.name == time?.name }
            // What is a time in another form cannot be read in the same run.
            .filter { field in field.form.map { Self.isRead($0, with: time?.form) } ?? true }
            .filter { Guess.canBeListed($0.name) && guess.outerNames.contains($0.name) }
            .map { "\($0.name)=\($0.name == time?.name ? FieldType.time.rawValue : $0.type.rawValue)" }
        let schema = types.isEmpty || isBinary ? [] : ["--schema", types.joined(separator: ",")]
        let listed = guess.sample.names.filter(Guess.canBeListed).joined(separator: ",")
        let chosen = guess.sample.repeatedNames.isEmpty ? [] : ["--columns", listed]
        let conversion =
            ["weir", "convert", place, isBinary ? "out.csv" : "out.weir"] + reading + unitWords + chosen + schema
        let groups = guess.groupField.map { ["--by", $0] } ?? []
        let runs = registry.plugins.compactMap { plugin in
            columns(of: plugin, guess).map { columns in
                let has = { name in plugin.options.contains { $0.name == name } }
                return ["weir", "run", plugin.name, place] + reading + (has("time-unit") ? unitWords : []) + columns
                    + (has("by") ? groups : [])
            }
        }
        let usual = QueryOptions.usualTimes.first { guess.outerNames.contains($0) }
        // A query reads all fields, so each needs a name of its own.
        let match = time.flatMap { time in
            guess.sample.repeatedNames.isEmpty
                ? ["weir", "match", "any where true", place] + reading + unitWords
                    + (time.name == usual ? [] : ["--time", time.name]) : nil
        }
        return (runs + [match, conversion].compactMap { $0 }).map { $0.map(Self.quoted).joined(separator: " ") }
    }

    /// Whether texts of a form are read as times with the options of another one.
    private static func isRead(_ form: GuessedTime, with other: GuessedTime?) -> Bool {
        switch (form, other) {
        case (.known, .known), (.known, .withoutZone), (.withoutZone, .withoutZone), (.known, nil): true
        default: form == other
        }
    }

    /// The option that maps the fields of a plugin to those of the input; `nil` where one of them is not found.
    private func columns(of plugin: any Plugin, _ guess: Guess) -> [String]? {
        guard let option = plugin.options.first(where: { $0.name == "columns" }), case .mapping(let keys) = option.kind
        else { return nil }
        var pairs: [String] = []
        for key in keys {
            let field =
                guess.fields.first { $0.name == key } ?? (key == "time" ? guess.timeField : nil)
                ?? guess.fields.first { field in
                    field.isNumber && ["_", "."].contains { field.name.lowercased().hasSuffix($0 + key) }
                }
            guard let field else { return nil }
            if field.name != key { pairs.append("\(key)=\(field.name)") }
        }
        return pairs.isEmpty ? [] : ["--columns", pairs.joined(separator: ",")]
    }

    /// A word as a shell reads it.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                true
            default: "_.-/,=:@%+".utf8.contains(byte)
            }
        }
        return isPlain && !word.isEmpty
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
