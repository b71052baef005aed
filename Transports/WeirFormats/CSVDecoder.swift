internal import WeirCore
public import WeirRecords

/// Finds the records of comma-separated values; see ``CSVFormat`` for the rules.
///
/// A structural index finds the records, 64 bytes at a time. What it leaves is judged line by line: lines without quotes
/// are read in one pass, eight bytes at a time, and at the first quote of a line a `CSVRecordScanner` takes over.
///
/// - Complexity: O(1) per byte. No allocation in steady state, rejections aside.
public struct CSVDecoder: RecordDecoder, Sendable {
    /// The names in the header, once it was read.
    package internal(set) var header: [String]?

    var schema: RecordSchema
    var lines: LineTracker

    // For each field its column, or a negative number.
    var columns: [Int32] = []

    // For each column the first field of the schema that wants it, and for each field the next one that wants the same
    // column; negative where there is none.
    var firstFields: [Int32] = []
    var nextFields: [Int32] = []

    let dialect: CSVDialect

    // The state of a record whose end was not found yet; the record starts at the next byte.
    var scanner: CSVRecordScanner

    // How many lines of the header are to be skipped still.
    var headerRest: Int

    // Whether the next byte is inside of a line that is skipped.
    var isInSkippedLine = false

    // Made at the first record; `nil` as well where the index is not used.
    private var index: RecordIndex?
    private let kernel: ScanKernel?

    /// Creates a decoder at the start of an input.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - limits: What the decoder may take.
    ///   - dialect: How the table is written.
    public init(
        for schema: RecordSchema,
        limits: FormatLimits = FormatLimits(),
        dialect: CSVDialect = CSVDialect()
    ) {
        self.init(for: schema, limits: limits, dialect: dialect, kernel: .best)
    }

    /// Creates a decoder that finds records with a kernel, or without an index.
    init(for schema: RecordSchema, limits: FormatLimits, dialect: CSVDialect = CSVDialect(), kernel: ScanKernel?) {
        self.schema = schema
        self.dialect = dialect
        scanner = CSVRecordScanner(dialect)
        headerRest = max(0, dialect.headerLineCount - 1)
        self.lines = LineTracker(limits)
        self.kernel = dialect.isIndexed ? kernel : nil
    }

    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            if isFinal { try requireWholeHeader() }
            return 0
        }
        var start = 0
        if header == nil {
            start = unsafe try readHeader(bytes, isFinal: isFinal)
            if header == nil { return start }
            try resolve(schema)
        }
        start = unsafe skipHeaderRest(base, from: start, count: bytes.count, isFinal: isFinal)
        if isFinal { try requireWholeHeader() }
        index?.forget()
        return unsafe decodeRecords(base, bytes, from: start, isFinal: isFinal, into: &batch)
    }

    // MARK: Records

    private mutating func decodeRecords(
        _ base: UnsafePointer<UInt8>,
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Int {
        var start = start
        let count = bytes.count
        if lines.isInsideOverlongLine, start < count {
            start = unsafe lines.rejectOverlongLine(base, from: start, count: count, isFinal: isFinal, into: &batch)
            if lines.isInsideOverlongLine { return start }
        }
        // A record that was begun: its end has to be found before it is worth reading it from its start again.
        if scanner.offset > 0, start < count {
            guard let next = unsafe readScannedRecord(base, from: start, count: count, isFinal: isFinal, into: &batch)
            else { return start }
            start = next
        }
        while start < count, !batch.isFull, !lines.isInsideOverlongLine {
            start = unsafe skipComments(base, from: start, count: count, isFinal: isFinal)
            if start == count { return start }
            start = unsafe readIndexed(bytes, from: start, into: &batch)
            if start == count || batch.isFull { return start }
            let (next, stop) = unsafe readLine(base, from: start, count: count, isFinal: isFinal, into: &batch)
            start = next
            switch stop {
            case .lineRead: break
            case .bytesEnded(let field, let fieldStart):
                guard count - start <= lines.limit else {
                    return unsafe lines.rejectOverlongLine(
                        base,
                        from: start,
                        count: count,
                        isFinal: isFinal,
                        into: &batch
                    )
                }
                scanner = CSVRecordScanner(
                    dialect,
                    passing: count - start,
                    field: field,
                    isFieldStart: fieldStart == count
                )
                return start
            case .overlongLine:
                start = unsafe lines.rejectOverlongLine(
                    base,
                    from: start,
                    count: count,
                    isFinal: isFinal,
                    into: &batch
                )
            case .quote:
                guard
                    let next = unsafe readScannedRecord(
                        base,
                        from: start,
                        count: count,
                        isFinal: isFinal,
                        into: &batch
                    )
                else { return start }
                start = next
            }
        }
        return start
    }

    /// Reads records with the index, up to the first one that has to be judged.
    ///
    /// - Returns: Where that record starts.
    private mutating func readIndexed(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        into batch: inout RecordBatch
    ) -> Int {
        guard let kernel, bytes.count - start >= RecordIndex.leastLength else { return start }
        let index = self.index ?? makeIndex(kernel)
        return unsafe index.takeCSV(
            bytes,
            from: start,
            columns: columns,
            columnCount: firstFields.count,
            delimiter: dialect.delimiter,
            hasQuotes: dialect.hasQuotes,
            lengthLimit: lines.limit,
            line: &lines.line,
            into: &batch
        )
    }

    private mutating func makeIndex(_ kernel: ScanKernel) -> RecordIndex {
        let index = RecordIndex(columnCount: firstFields.count, kernel: kernel)
        self.index = index
        // An array of its own: copies of a decoder are used by several threads, which would change the count of its users
        // again and again.
        columns = columns.map { $0 }
        return index
    }

    /// Why ``readLine(_:from:count:isFinal:into:)`` stopped.
    private enum Stop {
        case lineRead
        case overlongLine
        case quote
        case bytesEnded(field: Int, fieldStart: Int)
    }

    /// Reads a line, unless it has a quote, is too long or is not all there.
    ///
    /// - Returns: Where to go on: behind the line, or at its start; and why.
    private mutating func readLine(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> (next: Int, Stop) {
        let delimiter = dialect.delimiter
        let delimiters = ByteSearch.filled(with: delimiter)
        let lineFeed = ByteSearch.filled(with: UInt8(ascii: "\n"))
        // Without quotes, line feeds are looked for twice.
        let quote = ByteSearch.filled(with: dialect.hasQuotes ? UInt8(ascii: "\"") : UInt8(ascii: "\n"))
        let columns = firstFields
        let columnCount = columns.count
        let limit = lines.limit
        let line = lines.line

        var fieldStart = start
        var column = 0
        var nextWord = start
        var wordStart = start
        var word: UInt64 = 0
        // The high bit of each delimiter, line feed and quote in the word that was not looked at yet.
        var marks: UInt64 = 0
        // All bytes of the row, and perhaps some behind it.
        var seen: UInt64 = 0

        batch.beginRecord(line: line)
        while true {
            var place = count
            if marks == 0 {
                if nextWord < count {
                    let rest = count &- nextWord
                    word =
                        unsafe rest >= 8
                        ? ByteSearch.word(at: base + nextWord)
                        : ByteSearch.partialWord(at: base + nextWord, count: rest)
                    marks =
                        ByteSearch.nonZero(word ^ delimiters) & ByteSearch.nonZero(word ^ lineFeed)
                        & ByteSearch.nonZero(word ^ quote) ^ ByteSearch.highBits
                    seen |= word
                    wordStart = nextWord
                    nextWord &+= 8
                    continue
                }
                guard isFinal, start < count else {
                    return (start, .bytesEnded(field: column &+ 1, fieldStart: fieldStart))
                }
            } else {
                place = wordStart &+ marks.trailingZeroBitCount &>> 3
                marks &= marks &- 1
                let byte = unsafe base[place]
                if byte == delimiter {
                    if column < columnCount {
                        setField(column, columns, start: fieldStart, end: place, in: &batch)
                    }
                    column &+= 1
                    fieldStart = place &+ 1
                    continue
                }
                if byte == UInt8(ascii: "\"") { return (start, .quote) }
            }

            // The end of a row.
            let end = unsafe contentEnd(base, from: start, to: place)
            if place &- start > limit { return (start, .overlongLine) }
            if end > start {
                if column < columnCount { setField(column, columns, start: fieldStart, end: end, in: &batch) }
                column &+= 1
                if column != columnCount {
                    batch.reject(line: line, reason: wrongCount(column), start: start, length: end &- start)
                } else if seen & ByteSearch.highBits != 0, unsafe !UTF8Text.isValid(base, from: start, to: end) {
                    batch.reject(line: line, reason: Self.invalidUTF8, start: start, length: end &- start)
                } else {
                    batch.endRecord(start: start, length: end &- start)
                }
            }
            lines.line &+= 1
            return (min(place &+ 1, count), .lineRead)
        }
    }

    private func setField(_ column: Int, _ columns: [Int32], start: Int, end: Int, in batch: inout RecordBatch) {
        var field = columns[column]
        while field >= 0 {
            batch.setField(Int(field), start: start, length: end &- start, encoding: .plain)
            field = nextFields[Int(field)]
        }
    }

    static let invalidUTF8 = "the line is not valid UTF-8"

    func wrongCount(_ count: Int) -> String {
        "expected \(firstFields.count) field\(firstFields.count == 1 ? "" : "s"), found \(count)"
    }

    /// Where a line that ends at `end` has its last byte that is not part of the line's end.
    func contentEnd(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        unsafe end > start && base[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
    }

    func lineFeeds(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> UInt64 {
        var count: UInt64 = 0
        var index = start
        while index < end {
            index = unsafe ByteSearch.index(of: UInt8(ascii: "\n"), in: base, from: index, to: end) + 1
            if index <= end { count += 1 }
        }
        return count
    }
}
