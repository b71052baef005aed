internal import WeirCore
public import WeirRecords

/// The log event extended format of security products, LEEF 1.0 and 2.0.
///
/// ```text
/// LEEF:1.0|Vendor|Product|1.0|login|src=10.0.0.1<TAB>usrName=frank
/// LEEF:2.0|Vendor|Product|1.0|login|^|src=10.0.0.1^usrName=frank
/// ```
///
/// - The fields of the head are `leefVersion`, `vendor`, `product`, `version`, `eventID` and, in 2.0, `delimiter`, as it is
///   written; the attributes have their own names. What a relay has put before `LEEF:` is the field `prefix`. An
///   attribute with the name of a field of the head is passed over.
/// - Tabs separate attributes; in 2.0, the delimiter does, a character or its number, such as `x5E` or `0x5E`.
/// - There are no escapes. Lines end with a line feed, with or without a carriage return before it; empty ones are
///   skipped. Everything else is rejected with the place in the line, counted in bytes from 1.
public struct LEEFFormat: Format {
    public var name: String { "leef" }

    public var summary: String { "events of security products in the log event extended format (LEEF)" }

    private let others: WantedNames.Others

    static let headNames = [
        EventHead.prefixName, "leefVersion", "vendor", "product", "version", "eventID", "delimiter",
    ]
    static let delimiter = 6

    /// Creates the format.
    public init() {
        self.init(others: .pass)
    }

    private init(others: WantedNames.Others) {
        self.others = others
    }

    public func rejectingOtherFields() -> any Format { LEEFFormat(others: .reject) }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        LineDecoder(LEEFReader(schema, others: others), limits: limits)
    }

    public func refusal(of schema: OutputSchema) -> String? {
        let field = schema.fields.first { field in
            field.name.isEmpty || field.name.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "=") }
        }
        return field.map {
            "the name '\(Excerpt.of($0.name.utf8, limit: 60))' cannot be written as LEEF, whose names have no '=' and no "
                + "control characters; --columns renames it"
        }
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        LineEncoder(LEEFWriter(schema), for: schema)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        CollectingFieldFinder(
            LineDecoder(LEEFReader(RecordSchema(fields: []), others: .collect), limits: limits)
        )
    }

    /// What a field of the head says that the delimiter is; `nil` where it says nothing of the kind.
    static func delimiter(_ text: [UInt8]) -> UInt8? {
        if text.isEmpty { return UInt8(ascii: "\t") }
        var delimiter: UInt8?
        if text.count == 1 {
            delimiter = text[0]
        } else {
            let digits =
                text.starts(with: "0x".utf8) ? text.dropFirst(2) : text[0] == UInt8(ascii: "x") ? text.dropFirst() : []
            delimiter = digits.count <= 4 ? UInt8(String(decoding: digits, as: UTF8.self), radix: 16) : nil
        }
        // In UTF-8, a byte from 128 on is a part of a character.
        guard let delimiter, delimiter < 0x80, ![0x0A, 0x0D, UInt8(ascii: "=")].contains(delimiter) else { return nil }
        // As it is, it would end the head.
        return text.count == 1 && delimiter == UInt8(ascii: "|") ? nil : delimiter
    }
}

/// Reads lines of LEEF.
struct LEEFReader: LineReader {
    private var head: EventHead
    private var names: WantedNames

    // The delimiter that the last line named, so that few are looked at twice.
    private var lastText: [UInt8] = []
    private var lastDelimiter: UInt8? = UInt8(ascii: "\t")

    init(_ schema: RecordSchema, others: WantedNames.Others) {
        head = EventHead(
            "LEEF:",
            names: LEEFFormat.headNames,
            rareNames: [EventHead.prefixName, "delimiter"],
            for: schema,
            others: others
        )
        names = WantedNames(schema, others: others, excluding: LEEFFormat.headNames)
    }

    var collectedNames: [String] { head.foundFields + names.collected }

    mutating func read(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) throws(LineFlaw) {
        var cursor = unsafe LineCursor(base, from: start, to: end)
        try unsafe head.readPrefix(&cursor, into: &batch)
        var isSecond = false
        for column in 1..<LEEFFormat.delimiter {
            let text = unsafe cursor.text(upTo: UInt8(ascii: "|"))
            if column == 1 { isSecond = unsafe !text.isEmpty && base[text.lowerBound] == UInt8(ascii: "2") }
            try head.set(column, text, encoding: .plain, lineStart: start, in: &batch)
            // The last one may end the line.
            if unsafe cursor.isAtEnd && column == LEEFFormat.delimiter - 1 { return }
            try unsafe cursor.take("|")
        }
        var delimiter = UInt8(ascii: "\t")
        if isSecond {
            let first = unsafe cursor.place
            let text = unsafe cursor.text(upTo: UInt8(ascii: "|"))
            if unsafe !cursor.isAtEnd, let named = unsafe self.delimiter(base, text) {
                delimiter = named
                try head.set(LEEFFormat.delimiter, text, encoding: .plain, lineStart: start, in: &batch)
                unsafe cursor.place += 1
            } else {
                // Some programs leave it out.
                unsafe cursor.place = first
            }
        }
        var position = 0
        while unsafe !cursor.isAtEnd {
            let text = unsafe cursor.text(upTo: delimiter)
            if unsafe !cursor.isAtEnd { unsafe cursor.place += 1 }
            guard !text.isEmpty else { continue }
            let equals = unsafe ByteSearch.index(
                of: UInt8(ascii: "="),
                in: base,
                from: text.lowerBound,
                to: text.upperBound
            )
            guard equals < text.upperBound, equals > text.lowerBound else {
                throw LineFlaw("expected a name and '='", at: text.lowerBound - start)
            }
            let name = unsafe try names.find(
                base,
                from: text.lowerBound,
                to: equals,
                position: position,
                lineStart: start
            )
            position &+= 1
            names.set(name, start: equals + 1, end: text.upperBound, encoding: .plain, in: &batch)
        }
    }

    private mutating func delimiter(_ base: UnsafePointer<UInt8>, _ text: Range<Int>) -> UInt8? {
        let bytes = unsafe UnsafeBufferPointer(start: base + text.lowerBound, count: text.count)
        if unsafe !bytes.elementsEqual(lastText) {
            lastText = unsafe Array(bytes.prefix(8))
            lastDelimiter = bytes.count > 8 ? nil : LEEFFormat.delimiter(lastText)
        }
        return lastDelimiter
    }
}

/// Writes lines of LEEF.
struct LEEFWriter: LineWriter {
    private let columns: OutputColumns
    private let attributes: [(field: Int, name: [UInt8])]

    init(_ schema: OutputSchema) {
        columns = OutputColumns(LEEFFormat.headNames, of: schema)
        attributes = schema.fields.enumerated()
            .filter { !LEEFFormat.headNames.contains($0.element.name) }
            .map { ($0.offset, Array($0.element.name.utf8)) }
    }

    func write(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        try EventHead.append("LEEF:", prefix: columns[0], of: record, to: &line)
        let delimiterField = columns[LEEFFormat.delimiter]
        let named = delimiterField >= 0 ? record.values[delimiterField].text : []
        let version =
            columns[1] >= 0 && record.hasValue(columns[1])
            ? record.values[columns[1]].text : Array((named.isEmpty ? "1.0" : "2.0").utf8)
        let isSecond = version.first == UInt8(ascii: "2")
        guard let delimiter = LEEFFormat.delimiter(named), isSecond || named.isEmpty else {
            throw record.refuse(
                delimiterField,
                isSecond ? "is no delimiter, which is a character of ASCII" : "is a delimiter, which only LEEF 2.0 has"
            )
        }
        for column in 1..<LEEFFormat.delimiter {
            let field = columns[column]
            let text = column == 1 ? version : field >= 0 && record.hasValue(field) ? record.values[field].text : []
            guard !text.contains(UInt8(ascii: "|")) else {
                throw record.refuse(field, "has a '|', which the head of LEEF cannot")
            }
            line += text
            line.append(UInt8(ascii: "|"))
        }
        if isSecond { line += named + [UInt8(ascii: "|")] }
        var isFirst = true
        for (field, name) in attributes where record.hasValue(field) {
            let text = record.values[field].text
            guard !text.contains(where: { $0 == delimiter || $0 == 0x0A || $0 == 0x0D }) else {
                throw record.refuse(field, "has a delimiter or a line break, which LEEF cannot write")
            }
            guard !name.contains(delimiter) else { throw record.refuse(field, "has the delimiter in its name") }
            if !isFirst { line.append(delimiter) }
            isFirst = false
            line += name + [UInt8(ascii: "=")] + text
        }
    }
}
