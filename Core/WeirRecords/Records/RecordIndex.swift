internal import CWeir

/// Which instructions a text is scanned with.
package enum ScanKernel: UInt32, CaseIterable, Sendable {
    /// 64-bit words only.
    case portable
    /// SSE2 or NEON.
    case vector
    /// AVX2.
    case avx2

    /// The fastest one that the processor runs.
    package static var best: ScanKernel { ScanKernel(rawValue: cweir_kernel_best().rawValue) ?? .portable }

    /// Those that the processor runs.
    package static var available: [ScanKernel] {
        allCases.filter { cweir_kernel_is_available(cweir_kernel_t($0.rawValue)) }
    }
}

/// Finds the rows of a text with a structural index, and fills batches from it.
///
/// It finds most rows, far faster than a decoder that goes from byte to byte; the decoder judges the rest: rows with a
/// flaw, and what is left of the text behind the last line feed.
///
/// Safety of `@unchecked Sendable`: a decoder makes its own at its first record. One that has read no record can be copied for
/// several threads; one that has is handed on as a whole, through queues with locks.
@safe
package final class RecordIndex: @unchecked Sendable {
    /// The greatest number of rows of a scan.
    private static let rowLimit = 1024

    /// The greatest number of separators of a scan, unless a few rows have more.
    private static let markLimit = 1 << 14

    /// In less than this many bytes an index is no help.
    package static let leastLength = 128

    // Safety: created in `init`, freed in `deinit`, and used by this object only.
    private let index: UnsafeMutablePointer<cweir_index_t>

    // The shapes of lines of JSON; made where there are such lines. Safety: as for the index.
    private var shapes: OpaquePointer?

    // Where the text that was scanned last starts, counted from the start of the decoder's bytes; `nil` when it was not,
    // or when the decoder has read on elsewhere.
    private var textStart: Int?

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - columnCount: How many separators a row has, about.
    ///   - kernel: Which instructions to scan with; the processor must have them.
    package init(columnCount: Int = 1, kernel: ScanKernel = .best) {
        let markLimit = min(max(Self.markLimit, 8 * columnCount), 1 << 28)
        guard let index = unsafe cweir_index_create(Self.rowLimit, markLimit, cweir_kernel_t(kernel.rawValue)) else {
            fatalError("no memory for an index of \(markLimit) separators")
        }
        unsafe self.index = index
    }

    deinit {
        unsafe cweir_index_destroy(index)
        unsafe cweir_shapes_destroy(shapes)
    }

    /// Forgets the text: it may change.
    package func forget() {
        textStart = nil
    }

    /// Takes rows of CSV into a batch, up to the first one that the decoder has to judge.
    ///
    /// - Parameters:
    ///   - bytes: The decoder's bytes, those that the batch counts in.
    ///   - start: Where the next row starts.
    ///   - columns: For each field its column, or a negative number.
    ///   - columnCount: How many columns there are.
    ///   - delimiter: What separates fields.
    ///   - hasQuotes: Whether a field may stand in quotes.
    ///   - lengthLimit: The longest row, in bytes.
    ///   - line: The number of the line at `start`; counted on.
    ///   - batch: Takes the records.
    /// - Returns: Where the first row starts that was not taken.
    package func takeCSV(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        columns: [Int32],
        columnCount: Int,
        delimiter: UInt8,
        hasQuotes: Bool,
        lengthLimit: Int,
        line: inout UInt64,
        into batch: inout RecordBatch
    ) -> Int {
        unsafe take(
            bytes,
            from: start,
            lengthLimit: lengthLimit,
            line: &line,
            into: &batch,
            scan: { unsafe cweir_index_csv($0, $1, $2, $3, delimiter, hasQuotes) },
            marks: (columns, columnCount),
            take: { text, _, records in
                unsafe cweir_take_csv(index, text, columns, UInt32(columnCount), &records)
            }
        )
    }

    /// Takes lines of JSON into a batch, up to the first one that the decoder has to judge.
    ///
    /// - Parameters:
    ///   - bytes: The decoder's bytes, those that the batch counts in.
    ///   - start: Where the next line starts.
    ///   - lengthLimit: The longest line, in bytes.
    ///   - line: The number of the line at `start`; counted on.
    ///   - batch: Takes the records.
    /// - Returns: Where the first line starts that was not taken.
    package func takeJSONLines(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        lengthLimit: Int,
        line: inout UInt64,
        into batch: inout RecordBatch
    ) -> Int {
        if unsafe shapes == nil { unsafe shapes = cweir_shapes_create(batch.fieldCount) }
        guard let shapes = unsafe shapes else { return start }
        return unsafe take(
            bytes,
            from: start,
            lengthLimit: lengthLimit,
            line: &line,
            into: &batch,
            scan: { unsafe cweir_index_json_lines($0, $1, $2, $3) },
            take: { text, length, records in
                unsafe cweir_take_json_lines(index, text, length, shapes, &records)
            }
        )
    }

    /// Learns what the last record of a batch looks like, so that lines like it are taken at once.
    ///
    /// - Parameter batch: A batch whose last record is a line of JSON that the decoder has read.
    package func learnLastLine(of batch: borrowing RecordBatch) {
        guard let shapes = unsafe shapes else { return }
        unsafe batch.withLastSlots { line, slots, start in
            unsafe cweir_shapes_learn(shapes, line.baseAddress ?? batch.base, line.count, slots, start)
        }
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        lengthLimit: Int,
        line: inout UInt64,
        into batch: inout RecordBatch,
        scan: (UnsafeMutablePointer<cweir_index_t>, UnsafePointer<UInt8>, Int, Int) -> Void,
        marks: (columns: [Int32], columnCount: Int)? = nil,
        take: (UnsafePointer<UInt8>, Int, inout cweir_records_t) -> Int
    ) -> Int {
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return start }
        var start = start
        // Goes on with the index of the last call where the decoder has read exactly one row in between.
        if let textStart, unsafe !cweir_index_skip(index, start - textStart) { self.textStart = nil }
        while !batch.isFull, start < bytes.count {
            let from = textStart ?? start
            if textStart == nil {
                unsafe scan(index, base + start, bytes.count - start, batch.capacity - batch.count)
                textStart = start
            }
            var count = 0
            if let marks, batch.count == 0 {
                count = unsafe takeMarks(base + from, from, marks, lengthLimit, line: &line, into: &batch)
            }
            if count == 0 {
                count = unsafe batch.append(from: from, lengthLimit: lengthLimit, line: &line) { records in
                    unsafe take(base + from, bytes.count - from, &records)
                }
            }
            start = from + Int(unsafe cweir_index_next_start(index))
            // A row is left that the decoder has to judge, or there is none.
            if unsafe index.pointee.next_row < index.pointee.row_count || count == 0 { return start }
            let isFlawed = unsafe index.pointee.is_flawed
            textStart = nil
            if isFlawed { return start }
        }
        return start
    }
}

extension RecordIndex {
    /// Takes rows as their separators, into a batch without records.
    private func takeMarks(
        _ text: UnsafePointer<UInt8>,
        _ start: Int,
        _ table: (columns: [Int32], columnCount: Int),
        _ lengthLimit: Int,
        line: inout UInt64,
        into batch: inout RecordBatch
    ) -> Int {
        guard let room = unsafe batch.roomForMarks(columnCount: table.columnCount) else { return 0 }
        let count = unsafe cweir_take_csv_marks(
            index,
            text,
            UInt32(table.columnCount),
            UInt32(clamping: lengthLimit),
            batch.capacity,
            room
        )
        guard count > 0 else { return 0 }
        let origin = UInt32(truncatingIfNeeded: start &+ batch.origin)
        batch.beginMarks(
            count,
            columns: table.columns,
            columnCount: table.columnCount,
            line: line,
            origin: origin
        )
        line &+= UInt64(count)
        return count
    }
}

extension RecordBatch {
    /// Adds records with a function of CWeir.
    fileprivate mutating func append(
        from start: Int,
        lengthLimit: Int,
        line: inout UInt64,
        _ take: (inout cweir_records_t) -> Int
    ) -> Int {
        // `Slot` and `Row` are laid out as CWeir's, which a test checks; the first free ones are within the allocation.
        var records = unsafe cweir_records_t(
            slots: UnsafeMutableRawPointer(slots + recordCount * fieldCount)
                .assumingMemoryBound(to: cweir_slot_t.self),
            rows: UnsafeMutableRawPointer(rows + recordCount).assumingMemoryBound(to: cweir_row_t.self),
            field_count: fieldCount,
            room: capacity - recordCount,
            origin: UInt32(truncatingIfNeeded: start &+ origin),
            length_limit: UInt32(clamping: lengthLimit),
            line: line
        )
        let count = unsafe take(&records)
        line = unsafe records.line
        recordCount += count
        return count
    }

    /// Lends the bytes of the last record, the slots of its fields, and where it starts.
    fileprivate func withLastSlots(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafePointer<cweir_slot_t>, UInt32) -> Void
    ) {
        guard recordCount > 0 else { return }
        let row = unsafe rows[recordCount - 1]
        let line = unsafe UnsafeBufferPointer(start: base + Int(row.start), count: Int(row.length))
        let first = unsafe UnsafeRawPointer(slots + (recordCount - 1) * fieldCount)
        unsafe body(line, first.assumingMemoryBound(to: cweir_slot_t.self), row.start)
    }
}
