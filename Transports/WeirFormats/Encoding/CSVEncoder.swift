internal import WeirCore
public import WeirRecords

/// Writes records as comma-separated values, with the names in the first line.
///
/// A field is quoted only where it has to be. What a record does not have and what is null is empty: CSV knows neither,
/// nor types. Arrays and objects are written as JSON. A record that cannot be written without quotes is refused where the
/// dialect has none.
public struct CSVEncoder: RecordEncoder {
    private let schema: OutputSchema
    private let converter: FieldConverter
    private let dialect: CSVDialect
    private var hasHeader = false
    private var text: [UInt8] = []

    /// Creates an encoder at the start of an output.
    ///
    /// - Parameters:
    ///   - schema: What to write.
    ///   - dialect: How to write it.
    public init(for schema: OutputSchema, dialect: CSVDialect = CSVDialect()) {
        self.schema = schema
        self.dialect = dialect
        converter = FieldConverter(schema)
    }

    public mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8]) {
        appendHeader(to: &output)
        let start = output.count
        func refuse(_ error: FieldError) {
            output.removeSubrange(start...)
            batch.reject(recordAt: index, because: error)
        }
        for (field, wanted) in schema.fields.enumerated() {
            text.removeAll(keepingCapacity: true)
            do throws(FieldError) {
                _ = try converter.append(field: field, as: wanted.type, recordAt: index, of: batch, to: &text)
            } catch {
                return refuse(error)
            }
            if field > 0 { output.append(dialect.delimiter) }
            guard append(isHeader: false, isFirst: field == 0, to: &output) else {
                let reason = "cannot be written without quotes: '\(Excerpt.of(text, limit: 40))'"
                return refuse(FieldError(field: field, reason: .unacceptable(reason)))
            }
        }
        output.append(UInt8(ascii: "\n"))
    }

    public mutating func finish(into output: inout [UInt8]) {
        appendHeader(to: &output)
    }

    private mutating func appendHeader(to output: inout [UInt8]) {
        guard !hasHeader, !schema.fields.isEmpty, dialect.headerLineCount > 0 else { return }
        hasHeader = true
        for (index, field) in schema.fields.enumerated() {
            text.removeAll(keepingCapacity: true)
            text.append(contentsOf: field.name.utf8)
            if index > 0 { output.append(dialect.delimiter) }
            _ = append(isHeader: true, isFirst: index == 0, to: &output)
        }
        output.append(UInt8(ascii: "\n"))
    }

    /// Appends the text as a field.
    ///
    /// - Returns: False where it needs quotes, and the dialect has none.
    private func append(isHeader: Bool, isFirst: Bool, to output: inout [UInt8]) -> Bool {
        var isQuoted = isFirst && dialect.comment != nil && text.first == dialect.comment
        if let first = text.first, let last = text.last {
            // A byte order mark would be no part of the first name.
            isQuoted = isQuoted || isHeader && ([0x20, 0x09, 0xEF].contains(first) || [0x20, 0x09].contains(last))
        } else {
            // A line with nothing in it would be no record.
            isQuoted = schema.fields.count == 1
        }
        // A byte order mark would be no part of the first record.
        if isFirst, dialect.headerLineCount == 0, text.starts(with: [0xEF, 0xBB, 0xBF]) { isQuoted = true }
        guard dialect.hasQuotes else {
            output += text
            return !isQuoted && !text.contains { $0 != UInt8(ascii: "\"") && isSpecial($0) }
        }
        Self.append(text, isQuoted: isQuoted, delimiter: dialect.delimiter, to: &output)
        return true
    }

    /// The first name that cannot be written without quotes, where the dialect has none.
    func firstNameInQuotes() -> String? {
        guard !dialect.hasQuotes, dialect.headerLineCount > 0 else { return nil }
        for (index, field) in schema.fields.enumerated() {
            var encoder = self
            var output: [UInt8] = []
            encoder.text = Array(field.name.utf8)
            if !encoder.append(isHeader: true, isFirst: index == 0, to: &output) { return field.name }
        }
        return nil
    }

    private func isSpecial(_ byte: UInt8) -> Bool { Self.isSpecial(byte, dialect.delimiter) }

    /// Appends a text as a field, in quotes where it has to be.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isQuoted: Whether it has to be for reasons of its own.
    ///   - delimiter: What separates fields.
    ///   - output: The bytes are appended to it.
    package static func append(
        _ text: [UInt8],
        isQuoted: Bool = false,
        delimiter: UInt8 = UInt8(ascii: ","),
        to output: inout [UInt8]
    ) {
        guard isQuoted || text.contains(where: { isSpecial($0, delimiter) }) else {
            output += text
            return
        }
        output.append(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { output.append(byte) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isSpecial(_ byte: UInt8, _ delimiter: UInt8) -> Bool {
        switch byte {
        case delimiter, UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }
}
