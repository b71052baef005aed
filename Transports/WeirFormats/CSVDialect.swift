/// How a table of values is written, where that differs from RFC 4180.
///
/// ```swift
/// import WeirFormats
///
/// var dialect = CSVDialect(delimiter: UInt8(ascii: ";"))
/// dialect.comment = UInt8(ascii: "#")
/// let format = CSVFormat(dialect)
/// ```
public struct CSVDialect: Sendable, Hashable {
    /// What separates fields, a character of ASCII.
    public let delimiter: UInt8

    /// Whether a field may stand in quotes; otherwise a quote is text like any other.
    public var hasQuotes = true

    /// What begins a line that is skipped, a character of ASCII; `nil` where all lines count.
    public var comment: UInt8?

    /// How many lines the header has.
    ///
    /// The first one names the fields, the others are skipped. Where there is none, the
    /// fields are named by their positions: `1`, `2` and so on.
    public var headerLineCount = 1 {
        didSet { precondition(headerLineCount >= 0, "a header has no \(headerLineCount) lines") }
    }

    /// Whether a record ends with its line, also in quotes.
    ///
    /// So it is where lines of several senders come in between each other: what one of them does not close goes on with
    /// another one's.
    package var endsWithLines = false

    /// Tabs between the fields.
    public static let tabSeparated = CSVDialect(delimiter: UInt8(ascii: "\t"))

    /// Creates a dialect with quotes, without comments, and with a header of one line.
    ///
    /// - Parameter delimiter: What separates fields, a character of ASCII that is neither a quote nor part of a line's end.
    public init(delimiter: UInt8 = UInt8(ascii: ",")) {
        precondition(Self.canSeparate(delimiter), "the byte \(delimiter) cannot separate fields")
        self.delimiter = delimiter
    }

    /// Whether a byte can separate fields.
    package static func canSeparate(_ byte: UInt8) -> Bool {
        byte > 0 && byte < 0x80 && ![UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\"")].contains(byte)
    }

    /// Whether a structural index finds the records.
    var isIndexed: Bool { comment == nil && !(endsWithLines && hasQuotes) }

    /// Whether the first line that is not empty is the header, and nothing else is.
    package var beginsWithHeader: Bool { headerLineCount == 1 && comment == nil && hasQuotes }
}
