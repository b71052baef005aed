internal import WeirCore
public import WeirRecords

/// Comma-separated values as in RFC 4180; the first line names the fields.
///
/// A ``CSVDialect`` changes that.
///
/// - Fields may be quoted; in quotes a quote is doubled, and commas and line breaks are text.
/// - Lines end with a line feed, with or without a carriage return before it; the last one may lack it.
/// - A byte order mark at the start and blank lines are skipped; blanks around the header's names are no part of them.
/// - A header with a carriage return in a name is refused: it is all lines of a file that ends them with nothing else.
/// - A line that breaks the rules, has another number of fields than the header, is not valid UTF-8, or is too long is
///   rejected. When it seems to go on over several lines because of a quote, only the first one is rejected and
///   reading goes on at the second one: a stray quote costs one line.
public struct CSVFormat: Format {
    /// How the table is written.
    public let dialect: CSVDialect

    public var name: String { dialect.delimiter == CSVDialect.tabSeparated.delimiter ? "tsv" : "csv" }

    public var summary: String {
        name == "tsv"
            ? "tab-separated values, otherwise like csv"
            : "comma-separated values; the first line names the fields (RFC 4180)"
    }

    /// Creates the format.
    ///
    /// - Parameter dialect: How the table is written.
    public init(_ dialect: CSVDialect = CSVDialect()) {
        self.dialect = dialect
    }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        CSVDecoder(for: schema, limits: limits, dialect: dialect)
    }

    public func refusal(of schema: OutputSchema) -> String? {
        CSVEncoder(for: schema, dialect: dialect).firstNameInQuotes().map {
            "the name '\(Excerpt.of($0.utf8, limit: 60))' cannot be written without quotes; --columns renames it"
        }
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        CSVEncoder(for: schema, dialect: dialect)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        CSVFieldFinder(limits: limits, dialect: dialect)
    }
}

/// Finds the names in the header.
struct CSVFieldFinder: FieldFinder {
    private var decoder: CSVDecoder

    init(limits: FormatLimits, dialect: CSVDialect) {
        decoder = CSVDecoder(for: RecordSchema(fields: []), limits: limits, dialect: dialect)
    }

    var names: [String] { decoder.header ?? [] }

    var isComplete: Bool { decoder.header != nil }

    mutating func find(in bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
        isComplete ? bytes.count : unsafe try decoder.readHeader(bytes, isFinal: isFinal)
    }
}
