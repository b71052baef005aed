internal import WeirCore
public import WeirRecords

/// Lines of names and values, as many programs log them: `at=info method=GET path="/a b" flag`.
///
/// - Blanks separate the pairs. A value in quotes has the escapes of JSON strings; any other one goes on to the next blank.
/// - A name without `=` is null, a name without a value behind it is an empty text. When a line has a name twice, the last
///   one counts.
/// - Lines end with a line feed, with or without a carriage return before it; empty ones are skipped. Everything else is
///   rejected with the place in the line, counted in bytes from 1.
public struct LogfmtFormat: Format {
    public var name: String { "logfmt" }

    public var summary: String { "logs of names and values: level=info path=\"/a b\"" }

    private let others: WantedNames.Others

    /// Creates the format.
    public init() {
        self.init(others: .pass)
    }

    private init(others: WantedNames.Others) {
        self.others = others
    }

    public func rejectingOtherFields() -> any Format { LogfmtFormat(others: .reject) }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        LineDecoder(LogfmtReader(WantedNames(schema, others: others)), limits: limits)
    }

    public func refusal(of schema: OutputSchema) -> String? {
        let field = schema.fields.first { $0.name.isEmpty || !$0.name.utf8.allSatisfy(LogfmtReader.isOfName) }
        return field.map {
            "the name '\(Excerpt.of($0.name.utf8, limit: 60))' cannot be written as logfmt, whose names have no blanks, "
                + "quotes and '='; --columns renames it"
        }
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        LineEncoder(LogfmtWriter(schema), for: schema)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        CollectingFieldFinder(
            LineDecoder(LogfmtReader(WantedNames(RecordSchema(fields: []), others: .collect)), limits: limits)
        )
    }
}

/// Reads lines of logfmt.
struct LogfmtReader: LineReader {
    private var names: WantedNames

    init(_ names: WantedNames) {
        self.names = names
    }

    var collectedNames: [String] { names.collected }

    mutating func read(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) throws(LineFlaw) {
        var place = start
        var position = 0
        while true {
            while unsafe place < end && base[place] <= 0x20 { place &+= 1 }
            if place == end, position > 0 { return }
            let nameStart = place
            while unsafe place < end && Self.isOfName(base[place]) { place &+= 1 }
            guard place > nameStart else { throw LineFlaw("expected a name", at: place - start) }
            let name = unsafe try names.find(
                base,
                from: nameStart,
                to: place,
                position: position,
                lineStart: start
            )
            position &+= 1
            guard unsafe place < end && base[place] == UInt8(ascii: "=") else {
                names.set(name, start: place, end: place, encoding: .null, in: &batch)
                guard unsafe place == end || base[place] <= 0x20 else {
                    throw LineFlaw("expected '=' or a blank", at: place - start)
                }
                continue
            }
            place &+= 1
            if unsafe place < end && base[place] == UInt8(ascii: "\"") {
                var cursor = unsafe JSONCursor(base, from: start, to: end)
                unsafe cursor.place = place
                let text: JSONCursor.Text
                do throws(JSONFlaw) {
                    text = unsafe try cursor.string()
                } catch {
                    throw LineFlaw("\(error.what)", at: error.offset)
                }
                names.set(
                    name,
                    start: text.start,
                    end: text.end,
                    encoding: text.hasEscapes ? .escaped : .plain,
                    in: &batch
                )
                place = unsafe cursor.place
                guard unsafe place == end || base[place] <= 0x20 else {
                    throw LineFlaw("expected a blank behind the quote", at: place - start)
                }
            } else {
                let valueStart = place
                while unsafe place < end && base[place] > 0x20 { place &+= 1 }
                names.set(name, start: valueStart, end: place, encoding: .plain, in: &batch)
            }
        }
    }

    /// Whether a byte may be part of a name.
    static func isOfName(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != UInt8(ascii: "=") && byte != UInt8(ascii: "\"")
    }
}

/// Writes lines of logfmt.
struct LogfmtWriter: LineWriter {
    private let names: [[UInt8]]

    init(_ schema: OutputSchema) {
        names = schema.fields.map { Array($0.name.utf8) }
    }

    func write(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        let start = line.count
        for (field, name) in names.enumerated() where record.values[field].shape != .absent {
            if line.count > start { line.append(UInt8(ascii: " ")) }
            line += name
            guard record.hasValue(field) else { continue }
            line.append(UInt8(ascii: "="))
            let text = record.values[field].text
            if text.allSatisfy({ LogfmtReader.isOfName($0) && $0 != 0x7F }) {
                line += text
            } else {
                JSONWriter.append(text[...], to: &line)
            }
        }
    }
}
