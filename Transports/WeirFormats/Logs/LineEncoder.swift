internal import WeirCore
internal import WeirRecords

/// Writes the records of a format of which each line is one.
protocol LineWriter {
    /// Appends a record, without the line's end.
    ///
    /// - Parameters:
    ///   - record: The values of the output's fields.
    ///   - line: The line.
    /// - Throws: `FieldError` when a value cannot be written.
    mutating func write(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError)
}

/// The values of a record as they are to be written, one at a time.
struct LineRecord {
    /// A value: the text without quotes and escapes of its input.
    struct Value {
        var shape = FieldShape.absent
        var text: [UInt8] = []
    }

    /// The values, in the order of the output's fields.
    fileprivate(set) var values: [Value]

    /// An error about a value.
    func refuse(_ field: Int, _ words: String) -> FieldError {
        FieldError(field: field, reason: .unacceptable(words))
    }

    /// Whether there is a value at all: neither absent nor null.
    func hasValue(_ field: Int) -> Bool {
        switch values[field].shape {
        case .absent, .null: false
        case .text, .bare, .nested: true
        }
    }
}

/// Has a writer write lines, and refuses those that would be read back as something else.
struct LineEncoder<Writer: LineWriter>: RecordEncoder {
    private var writer: Writer
    private let schema: OutputSchema
    private let converter: FieldConverter
    private var record: LineRecord
    private var hasBegun = false
    private let hasLineBreaks: Bool

    /// Creates an encoder at the start of an output.
    ///
    /// - Parameters:
    ///   - writer: Writes the lines.
    ///   - schema: What to write.
    ///   - hasLineBreaks: Whether something else than their ends keeps the lines apart.
    init(_ writer: Writer, for schema: OutputSchema, hasLineBreaks: Bool = false) {
        self.hasLineBreaks = hasLineBreaks
        self.writer = writer
        self.schema = schema
        converter = FieldConverter(schema)
        record = LineRecord(values: Array(repeating: LineRecord.Value(), count: schema.fields.count))
    }

    mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8]) {
        let start = output.count
        do throws(FieldError) {
            for (field, wanted) in schema.fields.enumerated() {
                record.values[field].text.removeAll(keepingCapacity: true)
                record.values[field].shape = try converter.append(
                    field: field,
                    as: wanted.type,
                    recordAt: index,
                    of: batch,
                    to: &record.values[field].text
                )
            }
            try writer.write(record, to: &output)
            if let flaw = flaw(of: output[start...]) {
                throw FieldError(field: 0, reason: .unacceptable(flaw))
            }
            output.append(UInt8(ascii: "\n"))
            hasBegun = true
        } catch {
            output.removeSubrange(start...)
            batch.reject(recordAt: index, because: error)
        }
    }

    mutating func finish(into output: inout [UInt8]) {}

    /// Why a line would be read back as something else, in words that follow a field's name.
    private func flaw(of line: ArraySlice<UInt8>) -> String? {
        if line.isEmpty { return "and all others are empty, and an empty line is no record" }
        if line.last == UInt8(ascii: "\r") {
            return "begins a line that ends with a carriage return, which would get lost"
        }
        if !hasLineBreaks, line.contains(UInt8(ascii: "\n")) {
            return "begins a line with a line break in it, which cannot be written"
        }
        if line.count > schema.limits.lineLength {
            return "begins a line of more than \(schema.limits.lineLength) bytes; --max-line raises the limit"
        }
        if !hasBegun, line.starts(with: [0xEF, 0xBB, 0xBF]) {
            return "begins the output with a byte order mark, which would get lost"
        }
        return nil
    }
}
