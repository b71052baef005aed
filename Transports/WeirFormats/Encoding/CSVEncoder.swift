internal import WeirCore
public import WeirRecords

/// Writes records as comma-separated values, with the names in the first line.
///
/// A field is quoted only where it has to be. What a record does not have and what is null is empty: CSV knows neither,
/// nor types. Arrays and objects are written as JSON.
public struct CSVEncoder: RecordEncoder {
    private let schema: OutputSchema
    private let converter: FieldConverter
    private var hasHeader = false
    private var text: [UInt8] = []

    /// Creates an encoder at the start of an output.
    ///
    /// - Parameter schema: What to write.
    public init(for schema: OutputSchema) {
        self.schema = schema
        converter = FieldConverter(timeUnit: schema.timeUnit, tellsTextFromNumbers: schema.tellsTextFromNumbers)
    }

    public mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8]) {
        appendHeader(to: &output)
        let start = output.count
        for (field, wanted) in schema.fields.enumerated() {
            text.removeAll(keepingCapacity: true)
            do throws(FieldError) {
                _ = try converter.append(field: field, as: wanted.type, recordAt: index, of: batch, to: &text)
            } catch {
                output.removeSubrange(start...)
                batch.reject(recordAt: index, because: error)
                return
            }
            if field > 0 { output.append(UInt8(ascii: ",")) }
            append(isHeader: false, to: &output)
        }
        output.append(UInt8(ascii: "\n"))
    }

    public mutating func finish(into output: inout [UInt8]) {
        appendHeader(to: &output)
    }

    private mutating func appendHeader(to output: inout [UInt8]) {
        guard !hasHeader, !schema.fields.isEmpty else { return }
        hasHeader = true
        for (index, field) in schema.fields.enumerated() {
            text.removeAll(keepingCapacity: true)
            text.append(contentsOf: field.name.utf8)
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(isHeader: true, to: &output)
        }
        output.append(UInt8(ascii: "\n"))
    }

    /// Appends the text as a field.
    private func append(isHeader: Bool, to output: inout [UInt8]) {
        var isQuoted = false
        if let first = text.first, let last = text.last {
            // A byte order mark would be no part of the first name.
            isQuoted = isHeader && ([0x20, 0x09, 0xEF].contains(first) || [0x20, 0x09].contains(last))
        } else {
            // A line with nothing in it would be no record.
            isQuoted = schema.fields.count == 1
        }
        Self.append(text, isQuoted: isQuoted, to: &output)
    }

    /// Appends a text as a field, in quotes where it has to be.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isQuoted: Whether it has to be for reasons of its own.
    ///   - output: The bytes are appended to it.
    package static func append(_ text: [UInt8], isQuoted: Bool = false, to output: inout [UInt8]) {
        guard isQuoted || text.contains(where: isSpecial) else {
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

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }
}
