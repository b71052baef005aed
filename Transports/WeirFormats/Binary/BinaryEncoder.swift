internal import WeirCore
public import WeirRecords

/// Writes records in Weir's binary format; see ``BinaryFormat`` for the layout.
///
/// Records are kept until they fill a block, or the output ends. What is kept takes a few times the memory of a block:
/// 64 KiB, or the longest record where that is more. A record that is longer than the line limit is refused: no reader
/// with the same limit could take it.
///
/// Every value comes out as it was: numbers with all of their digits, text that looks like a number as text. Where the
/// input does not tell text from numbers and no type is declared, what can be stored as a number without losing a digit
/// is one.
public struct BinaryEncoder: RecordEncoder {
    private let schema: OutputSchema
    private let converter: FieldConverter
    private let blockLimit: Int
    private var columns: [ColumnWriter]
    private var hasHeader = false
    private var recordCount: UInt64 = 0

    // Of the block: how many records there are, and how long they are at most.
    private var rowCount = 0
    private var length = 0

    // Of the record: the texts of its fields, where they end, and what they are.
    private var text: [UInt8] = []
    private var ends: [Int] = []
    private var shapes: [FieldShape] = []

    private var block: [UInt8] = []

    private static let preferredLength = 64 << 10
    private static let preferredRowCount = 4096

    /// Creates an encoder at the start of an output.
    ///
    /// - Parameter schema: What to write; at most 65,535 fields, with names of at most 65,535 bytes.
    public init(for schema: OutputSchema) {
        precondition(
            schema.fields.count <= BinaryLayout.maximumFieldCount,
            "the format has at most 65535 fields, not \(schema.fields.count)"
        )
        precondition(
            schema.fields.allSatisfy { $0.name.utf8.count <= UInt16.max },
            "the name of a field has at most 65535 bytes"
        )
        self.schema = schema
        converter = FieldConverter(schema)
        blockLimit = min(Self.preferredLength, schema.limits.lineLength)
        columns = schema.fields.map { ColumnWriter($0.type, tellsTextFromNumbers: schema.tellsTextFromNumbers) }
        length = emptyLength
    }

    /// The most that a block without records takes, and the rounding in its columns.
    private var emptyLength: Int {
        BinaryLayout.blockHeaderLength + schema.fields.count * (BinaryLayout.columnHeaderLength + 12)
    }

    public mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8]) {
        do throws(FieldError) {
            let recordLength = try read(index, batch)
            if length + recordLength > blockLimit || rowCount == Self.preferredRowCount { writeBlock(to: &output) }
            var start = 0
            for field in columns.indices {
                columns[field].append(shapes[field], text[start..<ends[field]])
                start = ends[field]
            }
            rowCount += 1
            length += recordLength
        } catch {
            batch.reject(recordAt: index, because: error)
        }
    }

    public mutating func finish(into output: inout [UInt8]) {
        writeBlock(to: &output)
        if !hasHeader { writeHeader(types: schema.fields.map { $0.type.map { ColumnEncoding($0) } }, to: &output) }
        let start = output.count
        BinaryLayout.append(BinaryLayout.endMark, to: &output)
        BinaryLayout.append(recordCount, to: &output)
        BinaryLayout.append(Checksum.of(output, start..<output.count), to: &output)
    }

    /// Takes the values of a record.
    ///
    /// - Returns: The most bytes that it takes in a block.
    private mutating func read(_ index: Int, _ batch: borrowing RecordBatch) throws(FieldError) -> Int {
        text.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        shapes.removeAll(keepingCapacity: true)
        var length = 0
        var longest = (field: 0, length: 0)
        for (field, wanted) in schema.fields.enumerated() {
            let start = text.count
            let shape = try converter.append(field: field, as: wanted.type, recordAt: index, of: batch, to: &text)
            shapes.append(shape)
            ends.append(text.count)
            let fieldLength = text.count - start + ColumnWriter.greatestOverhead
            if fieldLength > longest.length { longest = (field, fieldLength) }
            length += fieldLength
        }
        guard emptyLength + length <= schema.limits.lineLength else {
            throw FieldError(
                field: longest.field,
                reason: .unacceptable(
                    "makes the record longer than \(schema.limits.lineLength) bytes; --max-line raises the limit"
                )
            )
        }
        return length
    }

    private mutating func writeBlock(to output: inout [UInt8]) {
        guard rowCount > 0 else { return }
        block.removeAll(keepingCapacity: true)
        var types: [ColumnEncoding?] = []
        for field in columns.indices {
            let type = columns[field].write(to: &block)
            if !hasHeader { types.append(schema.fields[field].type.map { ColumnEncoding($0) } ?? type) }
            columns[field].removeAll()
        }
        if !hasHeader { writeHeader(types: types, to: &output) }
        let start = output.count
        BinaryLayout.append(BinaryLayout.blockMark, to: &output)
        BinaryLayout.append(UInt32(block.count), to: &output)
        BinaryLayout.append(UInt32(rowCount), to: &output)
        BinaryLayout.append(Checksum.of(block, 0..<block.count), to: &output)
        BinaryLayout.append(Checksum.of(output, start..<output.count), to: &output)
        output.append(contentsOf: block)
        recordCount += UInt64(rowCount)
        rowCount = 0
        length = emptyLength
    }

    private mutating func writeHeader(types: [ColumnEncoding?], to output: inout [UInt8]) {
        hasHeader = true
        BinaryHeader.append(Array(zip(schema.fields.map(\.name), types)), to: &output)
    }
}
