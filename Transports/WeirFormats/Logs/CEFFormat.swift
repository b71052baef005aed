internal import WeirCore
public import WeirRecords

/// The common event format of security products, CEF.
///
/// ```text
/// CEF:0|Vendor|Product|1.0|100|Connection refused|5|src=10.0.0.1 msg=two words act=blocked
/// ```
///
/// - The fields of the head are `cefVersion`, `deviceVendor`, `deviceProduct`, `deviceVersion`, `deviceEventClassId`,
///   `name` and `severity`; those of the extension have the names of its keys. What a relay has put before `CEF:`, such as
///   a time and a host, is the field `prefix`. A key with the name of a field of the head is passed over.
/// - A value of the extension ends before the blanks in front of the next key, or with the line; blanks at its end are
///   no part of it. An `=` that no key stands before is text.
/// - `\\`, `\|`, `\=`, `\n` and `\r` are resolved; any other backslash stays as it is written.
/// - Lines end with a line feed, with or without a carriage return before it; empty ones are skipped. Everything else is
///   rejected with the place in the line, counted in bytes from 1.
public struct CEFFormat: Format {
    public var name: String { "cef" }

    public var summary: String { "events of security products in the common event format (CEF)" }

    private let others: WantedNames.Others

    static let headNames = [
        EventHead.prefixName, "cefVersion", "deviceVendor", "deviceProduct", "deviceVersion", "deviceEventClassId",
        "name", "severity",
    ]

    /// Creates the format.
    public init() {
        self.init(others: .pass)
    }

    private init(others: WantedNames.Others) {
        self.others = others
    }

    public func rejectingOtherFields() -> any Format { CEFFormat(others: .reject) }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        LineDecoder(CEFReader(schema, others: others), limits: limits)
    }

    public func refusal(of schema: OutputSchema) -> String? {
        let field = schema.fields.first { $0.name.isEmpty || !$0.name.utf8.allSatisfy(CEFReader.isOfKey) }
        return field.map {
            "the name '\(Excerpt.of($0.name.utf8, limit: 60))' cannot be written as CEF, whose names have letters, digits "
                + "and '_.-[]'; --columns renames it"
        }
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        LineEncoder(CEFWriter(schema), for: schema)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        CollectingFieldFinder(
            LineDecoder(CEFReader(RecordSchema(fields: []), others: .collect), limits: limits)
        )
    }
}

/// Reads lines of CEF.
struct CEFReader: LineReader {
    private var head: EventHead
    private var names: WantedNames

    init(_ schema: RecordSchema, others: WantedNames.Others) {
        head = EventHead(
            "CEF:",
            names: CEFFormat.headNames,
            rareNames: [EventHead.prefixName],
            for: schema,
            others: others
        )
        names = WantedNames(schema, others: others, excluding: CEFFormat.headNames)
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
        for column in 1..<CEFFormat.headNames.count {
            let first = unsafe cursor.place
            var hasEscapes = false
            while unsafe !cursor.isAtEnd && !cursor.isAt("|") {
                if unsafe cursor.isAt("\\") {
                    hasEscapes = true
                    unsafe cursor.place = min(cursor.place + 2, end)
                } else {
                    unsafe cursor.place += 1
                }
            }
            let text = unsafe first..<cursor.place
            try head.set(column, text, encoding: hasEscapes ? .signEscaped : .plain, lineStart: start, in: &batch)
            // The last one may end the line.
            if unsafe cursor.isAtEnd && column == CEFFormat.headNames.count - 1 { return }
            try unsafe cursor.take("|")
        }
        unsafe try readExtension(base, from: cursor.place, to: end, lineStart: start, into: &batch)
    }

    private mutating func readExtension(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        lineStart: Int,
        into batch: inout RecordBatch
    ) throws(LineFlaw) {
        var place = start
        var position = 0
        while unsafe place < end && base[place] == UInt8(ascii: " ") { place &+= 1 }
        while place < end {
            let keyStart = place
            while unsafe place < end && Self.isOfKey(base[place]) { place &+= 1 }
            guard unsafe place > keyStart && place < end && base[place] == UInt8(ascii: "=") else {
                throw LineFlaw("expected a name and '='", at: keyStart - lineStart)
            }
            let name = unsafe try names.find(base, from: keyStart, to: place, position: position, lineStart: lineStart)
            position &+= 1
            let valueStart = place + 1
            let (nextKey, hasEscapes) = unsafe Self.nextKey(base, from: valueStart, to: end)
            var valueEnd = nextKey
            while unsafe valueEnd > valueStart && base[valueEnd - 1] == UInt8(ascii: " ") { valueEnd -= 1 }
            let encoding = hasEscapes ? FieldEncoding.signEscaped : .plain
            names.set(name, start: valueStart, end: valueEnd, encoding: encoding, in: &batch)
            place = nextKey
        }
    }

    /// The place of the key that ends a value, or the end of the line, and whether there is a backslash before it.
    private static func nextKey(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> (Int, Bool) {
        var place = start
        // Where the word starts that may be a key; negative where it is none.
        var word = -1
        var hasEscapes = false
        while place < end {
            let byte = unsafe base[place]
            place &+= 1
            switch byte {
            case UInt8(ascii: " "): word = place
            case UInt8(ascii: "="):
                if word >= 0, place - 1 > word { return (word, hasEscapes) }
                word = -1
            case UInt8(ascii: "\\"):
                hasEscapes = true
                place = min(place &+ 1, end)
                word = -1
            default: if !isOfKey(byte) { word = -1 }
            }
        }
        return (end, hasEscapes)
    }

    /// Whether a byte may be part of a key.
    static func isOfKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }
}

/// Writes lines of CEF.
struct CEFWriter: LineWriter {
    private let columns: OutputColumns
    private let extensions: [(field: Int, key: [UInt8])]

    init(_ schema: OutputSchema) {
        columns = OutputColumns(CEFFormat.headNames, of: schema)
        extensions = schema.fields.enumerated()
            .filter { !CEFFormat.headNames.contains($0.element.name) }
            .map { ($0.offset, Array($0.element.name.utf8)) }
    }

    func write(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        try EventHead.append("CEF:", prefix: columns[0], of: record, to: &line)
        for column in 1..<CEFFormat.headNames.count {
            let field = columns[column]
            if field >= 0, record.hasValue(field) {
                QuotedText.appendEscaping(UInt8(ascii: "|"), record.values[field].text, to: &line)
            } else if column == 1 {
                line.append(UInt8(ascii: "0"))
            }
            line.append(UInt8(ascii: "|"))
        }
        var isFirst = true
        for (field, key) in extensions where record.hasValue(field) {
            let text = record.values[field].text
            guard text.last != UInt8(ascii: " ") else {
                throw record.refuse(field, "ends with a blank, which gets lost in CEF")
            }
            if !isFirst { line.append(UInt8(ascii: " ")) }
            isFirst = false
            line += key
            line.append(UInt8(ascii: "="))
            QuotedText.appendEscaping(UInt8(ascii: "="), text, to: &line)
        }
    }
}
