internal import WeirRecords

/// Writes records as one JSON array, with an object per line; their values are those of ``JSONLinesEncoder``.
struct JSONArrayEncoder: RecordEncoder {
    private var lines: JSONLinesEncoder
    private var isEmpty = true

    /// Creates an encoder at the start of an output.
    init(for schema: OutputSchema) {
        lines = JSONLinesEncoder(for: schema)
    }

    mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8]) {
        let start = output.count
        output += (isEmpty ? "[\n" : ",\n").utf8
        let objectStart = output.count
        lines.encode(recordAt: index, of: &batch, into: &output)
        guard output.count > objectStart else {
            output.removeSubrange(start...)
            return
        }
        // The end of the line follows with what comes next.
        output.removeLast()
        isEmpty = false
    }

    mutating func finish(into output: inout [UInt8]) {
        output += (isEmpty ? "[]\n" : "\n]\n").utf8
    }
}
