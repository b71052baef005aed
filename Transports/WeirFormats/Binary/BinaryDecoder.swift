internal import WeirCore
public import WeirRecords

/// Finds the records of Weir's binary format; see ``BinaryFormat`` for the layout and for what becomes of damage.
///
/// A block is checked once, when all of it is there, and then its records are handed out in place.
///
/// - Complexity: O(1) per byte for the checksum, O(*w*) per record for *w* wanted fields. No allocation in steady state,
///   rejections aside.
public struct BinaryDecoder: RecordDecoder {
    enum Phase {
        /// Before the first header.
        case start
        /// In a section.
        case section
        /// After the end of a section.
        case ended
    }

    /// A wanted field that the section has.
    private struct Wanted {
        let field: Int
        let column: Int
    }

    private let schema: RecordSchema
    let limit: Int
    private let rejectsOtherFields: Bool
    var phase = Phase.start

    // Of the section: how many columns it has, which are wanted in the order of the columns, how many records came.
    private var columnCount = 0
    private var wanted: [Wanted] = []
    private var sectionRecords: UInt64 = 0

    // The block that starts at the next byte, when it was checked; the columns stand beside `wanted`.
    private var columns: [BinaryColumn] = []
    private var rowCount = 0
    private var nextRow = 0
    private var blockLength = 0

    var nextRecord: UInt64 = 1

    // How much of a block that is too long has still to be passed over.
    private var skipCount = 0
    private var skippedRecords: UInt64 = 0

    // Whether the next block is searched for.
    var isLost = false
    var hasRejectedPiece = false

    /// Creates a decoder at the start of an input.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - limits: What the decoder may take.
    public init(for schema: RecordSchema, limits: FormatLimits = FormatLimits()) {
        self.init(for: schema, limits: limits, rejectsOtherFields: false)
    }

    init(for schema: RecordSchema, limits: FormatLimits, rejectsOtherFields: Bool) {
        self.schema = schema
        self.rejectsOtherFields = rejectsOtherFields
        limit = limits.lineLength
    }

    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        var start = 0
        while !batch.isFull {
            if rowCount > 0 {
                unsafe readRows(bytes, at: start, into: &batch)
                guard nextRow == rowCount else { return start }
                start += blockLength
                // The records of a batch that are all of one block keep its columns, see `RecordBatch.appendRecords`; those
                // of small blocks share a batch.
                let isLarge = rowCount >= batch.capacity / 4
                rowCount = 0
                if isLarge, !isFinal { return start }
            } else if skipCount > 0 {
                let count = min(skipCount, bytes.count - start)
                if count > 0 { reject(Self.overlong(limit), start: start, length: count, in: &batch) }
                skipCount = isFinal && start + count == bytes.count ? 0 : skipCount - count
                start += count
                guard skipCount == 0 else { return start }
                nextRecord &+= skippedRecords
            } else if isLost {
                let next = unsafe nextMark(bytes, from: start + (hasRejectedPiece ? 0 : 1), isFinal: isFinal)
                if next.place > start { reject(Self.lost, start: start, length: next.place - start, in: &batch) }
                start = next.place
                isLost = !next.isFound
                if isLost {
                    guard isFinal else { return start }
                    isLost = false
                }
            } else {
                guard let next = unsafe try readMark(bytes, at: start, isFinal: isFinal, into: &batch) else {
                    return start
                }
                start = next
                if isFinal, start == bytes.count, phase != .section { return start }
            }
        }
        return start
    }

    // MARK: Records

    private mutating func readRows(_ bytes: UnsafeRawBufferPointer, at start: Int, into batch: inout RecordBatch) {
        let block = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + blockLength])
        let end = min(rowCount, nextRow + batch.capacity - batch.count)
        let first = batch.appendRecords(end - nextRow, line: nextRecord, start: start)
        for index in columns.indices {
            unsafe columns[index].setField(
                wanted[index].field,
                ofRecordsFrom: first,
                rows: nextRow..<end,
                block,
                at: start,
                in: &batch
            )
        }
        nextRecord &+= UInt64(end - nextRow)
        nextRow = end
    }

    // MARK: Headers, blocks and ends

    /// Reads what starts at `start`.
    ///
    /// - Returns: Where to go on; `nil` when more bytes are needed.
    private mutating func readMark(
        _ bytes: UnsafeRawBufferPointer,
        at start: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int? {
        let available = bytes.count - start
        guard available > 0 else {
            guard isFinal else { return nil }
            endInput(start, 0, into: &batch)
            return start
        }
        let isHeader = unsafe bytes[start] == BinaryLayout.magic[0]
        if isHeader || phase == .start {
            switch unsafe BinaryHeader.read(bytes, at: start, limit: limit) {
            case .header(let header):
                if phase == .section { endInput(start, 0, into: &batch) }
                try begin(header)
                return start + header.length
            case .incomplete:
                guard isFinal else { return nil }
                guard phase != .start else { throw .badHeader("the input ends inside of it") }
                endInput(start, available, into: &batch)
                return bytes.count
            case .flaw(let flaw):
                guard phase != .start else { throw .badHeader(flaw) }
                lose()
                return start
            }
        }
        let mark: UInt32? = unsafe available >= 4 ? BinaryLayout.number(bytes, at: start) : nil
        switch mark {
        case nil where unsafe Self.mayBeMark(bytes, at: start): break
        case BinaryLayout.blockMark? where phase == .section:
            guard available >= BinaryLayout.blockHeaderLength else { break }
            guard unsafe Self.isBlock(bytes, at: start) else {
                lose()
                return start
            }
            return unsafe readBlock(bytes, at: start, isFinal: isFinal, into: &batch)
        case BinaryLayout.endMark? where phase == .section:
            guard available >= BinaryLayout.endLength else { break }
            guard unsafe Self.isEnd(bytes, at: start) else {
                lose()
                return start
            }
            let count: UInt64 = unsafe BinaryLayout.number(bytes, at: start + 4)
            if count != sectionRecords {
                hasRejectedPiece = false
                reject(
                    "the end counts \(count) records, and \(sectionRecords) came: blocks are missing or came twice",
                    start: start,
                    length: BinaryLayout.endLength,
                    in: &batch
                )
            }
            phase = .ended
            return start + BinaryLayout.endLength
        default:
            lose()
            return start
        }
        guard isFinal else { return nil }
        endInput(start, available, into: &batch)
        return bytes.count
    }

    private mutating func begin(_ header: BinaryHeader) throws(FormatError) {
        var wanted: [Wanted] = []
        var missing: [String] = []
        // There may be as many columns as 16 bits can count.
        var columns: [String: Int] = [:]
        var repeated: Set<String> = []
        for (column, name) in header.names.enumerated() where columns.updateValue(column, forKey: name) != nil {
            repeated.insert(name)
        }
        for (index, field) in schema.fields.enumerated() {
            guard let column = columns[field.name] else {
                if field.isRequired { missing.append(field.name) }
                continue
            }
            guard !repeated.contains(field.name) else { throw .duplicateField(field.name) }
            wanted.append(Wanted(field: index, column: column))
        }
        if !missing.isEmpty { throw .missingFields(missing, available: header.names) }
        if rejectsOtherFields {
            let known = Set(schema.fields.map(\.name))
            if let other = header.names.first(where: { !known.contains($0) }) {
                throw .badHeader(
                    "it has a field '\(other)' that the first section has not; --columns says which to read"
                )
            }
        }
        self.wanted = wanted.sorted { $0.column < $1.column }
        columnCount = header.names.count
        sectionRecords = 0
        phase = .section
    }

    private mutating func readBlock(
        _ bytes: UnsafeRawBufferPointer,
        at start: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Int? {
        let columnsLength = unsafe Int(BinaryLayout.number(bytes, at: start + 4) as UInt32)
        let records: UInt32 = unsafe BinaryLayout.number(bytes, at: start + 8)
        let length = BinaryLayout.blockHeaderLength + columnsLength
        guard length <= limit else {
            skipCount = length
            skippedRecords = UInt64(records)
            hasRejectedPiece = false
            sectionRecords += UInt64(records)
            return start
        }
        guard bytes.count - start >= length else {
            guard isFinal else { return nil }
            endInput(start, bytes.count - start, into: &batch)
            return bytes.count
        }
        sectionRecords += UInt64(records)
        let checksum: UInt32 = unsafe BinaryLayout.number(bytes, at: start + 12)
        guard
            unsafe BinaryLayout.checksum(bytes, at: start + BinaryLayout.blockHeaderLength, count: columnsLength)
                == checksum
        else {
            return rejectBlock("its checksum is wrong", records, start: start, length: length, in: &batch)
        }
        let block = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
        guard (1...BinaryLayout.maximumRecordCount).contains(Int(records)),
            unsafe takeColumns(block, rowCount: Int(records))
        else {
            return rejectBlock("it is not laid out as it should be", records, start: start, length: length, in: &batch)
        }
        rowCount = Int(records)
        nextRow = 0
        blockLength = length
        return start
    }

    /// Checks the columns of a block.
    ///
    /// - Returns: Whether they are as they should be.
    private mutating func takeColumns(_ block: UnsafeRawBufferPointer, rowCount: Int) -> Bool {
        columns.removeAll(keepingCapacity: true)
        var place = BinaryLayout.blockHeaderLength
        for column in 0..<columnCount {
            guard columns.count < wanted.count, wanted[columns.count].column == column else {
                guard let length = unsafe BinaryColumn.length(block, at: place, end: block.count) else { return false }
                place += BinaryLayout.columnHeaderLength + length
                continue
            }
            guard let checked = unsafe BinaryColumn(block, at: &place, end: block.count, rowCount: rowCount) else {
                return false
            }
            // Several fields may want the same column.
            repeat {
                columns.append(checked)
            } while columns.count < wanted.count && wanted[columns.count].column == column
        }
        return place == block.count
    }
}
