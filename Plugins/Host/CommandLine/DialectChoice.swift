internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// How a table is written, as far as the command line says.
struct DialectChoice {
    /// The options of an input or an output.
    struct Options {
        let delimiter: OptionDeclaration
        let quote: OptionDeclaration
        let header: OptionDeclaration

        /// What begins a comment; outputs have none.
        var comment: OptionDeclaration?

        var all: [OptionDeclaration] { [delimiter, quote, header] + (comment.map { [$0] } ?? []) }
    }

    private let change: ((CSVDialect) throws(HostError) -> CSVDialect)?

    /// The first option that was given.
    private let option: OptionDeclaration?

    /// Reads the options.
    ///
    /// - Throws: ``HostError`` for values that make no sense.
    init(_ given: [String: String], _ options: Options) throws(HostError) {
        option = options.all.first { given[$0] != nil }
        guard option != nil else {
            change = nil
            return
        }
        let delimiter = try given[options.delimiter].map { text throws(HostError) in
            guard let byte = Self.character(text), CSVDialect.canSeparate(byte) else {
                throw .usage(
                    "--\(options.delimiter.name): '\(text)' cannot separate fields; it is one character of ASCII, such as ';' or '\\t'"
                )
            }
            return byte
        }
        let hasQuotes = try given.choice(options.quote) != "none"
        let comment = try options.comment.flatMap { option in given[option].map { (option, $0) } }
            .map { option, text throws(HostError) in
                guard let byte = Self.character(text), CSVDialect.canSeparate(byte) else {
                    throw .usage(
                        "--\(option.name): '\(text)' cannot begin a comment; it is one character of ASCII, such as '#'"
                    )
                }
                return byte
            }
        let lines = try given[options.header].map { text throws(HostError) in
            guard let count = text == "none" ? 0 : Int(text), (0...1000).contains(count), text != "0" else {
                throw .usage(
                    "--\(options.header.name): '\(text)' is neither 'none' nor a number of lines from 1 to 1000"
                )
            }
            return count
        }
        change = { dialect throws(HostError) in
            var dialect = CSVDialect(delimiter: delimiter ?? dialect.delimiter)
            dialect.hasQuotes = hasQuotes
            dialect.comment = comment
            dialect.headerLineCount = lines ?? 1
            guard comment != dialect.delimiter else {
                throw .usage("the character that begins a comment cannot separate fields as well")
            }
            return dialect
        }
    }

    /// The format with what the options say.
    ///
    /// - Throws: ``HostError`` where options were given for a format that is no table.
    func applied(to format: any Format) throws(HostError) -> any Format {
        guard let change else { return format }
        guard let table = format as? CSVFormat else {
            throw .usage("--\(option?.name ?? ""): it is for tables, csv and tsv, and this is \(format.name)")
        }
        return CSVFormat(try change(table.dialect))
    }

    /// The character that a text stands for.
    private static func character(_ text: String) -> UInt8? {
        if text == "\\t" || text == "tab" { return UInt8(ascii: "\t") }
        return text.utf8.count == 1 ? text.utf8.first : nil
    }
}

extension DialectChoice.Options {
    /// Those of inputs.
    static let input = Self(delimiter: .delimiter, quote: .quote, header: .header, comment: .comment)
}

extension OptionDeclaration {
    static let delimiter = OptionDeclaration(
        "delimiter",
        .text(placeholder: "CHAR"),
        help: "what separates fields, such as ';' or '\\t' (default: ',')"
    )
    static let quote = OptionDeclaration(
        "quote",
        .choice(["double", "none"]),
        default: "double",
        help: "whether fields may stand in quotes"
    )
    static let comment = OptionDeclaration(
        "comment",
        .text(placeholder: "CHAR"),
        help: "skip lines that begin with this, such as '#'"
    )
    static let header = OptionDeclaration(
        "header",
        .text(placeholder: "LINES"),
        help: "lines of the header, or none: names are 1, 2, ... (default: 1)"
    )
}

extension Format {
    /// Whether the first line of an input says what the others mean, and nothing else does.
    var beginsWithHeader: Bool { (self as? CSVFormat)?.dialect.beginsWithHeader ?? isTable }

    /// Whether it is a table with columns, which may be in frames.
    var isTable: Bool { [CSVFormat().name, CSVFormat(.tabSeparated).name].contains(name) }

    /// Whether each record has lines of its own.
    var hasLines: Bool { name != BinaryFormat().name && name != JSONFormat().name }

    /// Whether reading can begin anew in the middle of an input: nothing before a record says what it means, but for a
    /// header that was kept.
    var canBeginInTheMiddle: Bool {
        hasLines && (!isTable || beginsWithHeader)
    }
}
