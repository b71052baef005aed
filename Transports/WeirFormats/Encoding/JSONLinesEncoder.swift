public import WeirRecords

/// Writes records as JSON Lines.
///
/// A field that the record does not have is left out, a null one is `null`. Where the input does not tell text from
/// numbers and no type is declared, each value that is written as JSON writes its numbers and words is one, and
/// everything else is text: `1.50` stays a number with all of its digits, `007` and an empty field are text.
public struct JSONLinesEncoder: RecordEncoder {
    private let schema: OutputSchema
    private let converter: FieldConverter

    // Each name in quotes and with its colon.
    private let names: [[UInt8]]
    private var text: [UInt8] = []

    /// Creates an encoder at the start of an output.
    ///
    /// - Parameter schema: What to write.
    public init(for schema: OutputSchema) {
        self.schema = schema
        converter = FieldConverter(schema)
        names = schema.fields.map { field in
            Array("\(JSONWriter.quoted(field.name)):".utf8)
        }
    }

    public mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8]) {
        let start = output.count
        do throws(FieldError) {
            try append(index, batch, to: &output)
        } catch {
            output.removeSubrange(start...)
            batch.reject(recordAt: index, because: error)
        }
    }

    public mutating func finish(into output: inout [UInt8]) {}

    private mutating func append(
        _ index: Int,
        _ batch: borrowing RecordBatch,
        to output: inout [UInt8]
    ) throws(FieldError) {
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        for (field, wanted) in schema.fields.enumerated() {
            text.removeAll(keepingCapacity: true)
            let shape = try converter.append(field: field, as: wanted.type, recordAt: index, of: batch, to: &text)
            guard shape != .absent else { continue }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            output.append(contentsOf: names[field])
            switch shape {
            case .null, .absent: output.append(contentsOf: "null".utf8)
            case .bare: output.append(contentsOf: text)
            case .nested: appendInOneLine(to: &output)
            case .text:
                if wanted.type == nil, !schema.tellsTextFromNumbers, isNumberOrFlag {
                    output.append(contentsOf: text)
                } else {
                    unsafe text.withUnsafeBufferPointer { unsafe JSONWriter.append($0, to: &output) }
                }
            }
        }
        output.append(UInt8(ascii: "}"))
        output.append(UInt8(ascii: "\n"))
    }

    /// Appends an array or an object, which may stand on several lines in its input.
    private func appendInOneLine(to output: inout [UInt8]) {
        // No string has an end of a line in it.
        output.append(contentsOf: text.lazy.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }

    /// Whether the text is a JSON number, `true` or `false`.
    private var isNumberOrFlag: Bool {
        unsafe text.withUnsafeBufferPointer { unsafe JSONValueText.isNumberOrFlag($0) }
    }
}
