internal import WeirCore
public import WeirRecords

/// Finds the records of comma-separated values; see ``CSVFormat`` for the rules.
///
/// Lines without quotes, the usual case, are read in one pass, eight bytes at a time. At the first quote of a line a
/// `CSVRecordScanner` takes over.
///
/// - Complexity: O(1) per byte. No allocation in steady state, rejections aside.
public struct CSVDecoder: RecordDecoder, Sendable {
    /// The names in the header, once it was read.
    package internal(set) var header: [String]?

    var schema: RecordSchema
    var lines: LineTracker

    // For each column the first field of the schema that wants it, and for each field the next one that wants the same
    // column; negative where there is none.
    var firstFields: [Int32] = []
    var nextFields: [Int32] = []

    // The state of a record whose end was not found yet; the record starts at the next byte.
    var scanner = CSVRecordScanner()

    /// Creates a decoder at the start of an input.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - limits: What the decoder may take.
    public init(for schema: RecordSchema, limits: FormatLimits = FormatLimits()) {
        self.schema = schema
        self.lines = LineTracker(limits)
    }

    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        var start = 0
        if header == nil {
            start = unsafe try readHeader(bytes, isFinal: isFinal)
            if header == nil { return start }
            try resolve(schema)
        }
        return unsafe decodeRecords(base, from: start, count: bytes.count, isFinal: isFinal, into: &batch)
    }

    // MARK: Records

    private mutating func decodeRecords(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Int {
        var start = start
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
            let (next, stop) = unsafe readLines(base, from: start, count: count, isFinal: isFinal, into: &batch)
            start = next
            switch stop {
            case .batchIsFull: return start
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

    /// Why ``readLines(_:from:count:isFinal:into:)`` stopped before a line.
    private enum Stop {
        case batchIsFull
        case overlongLine
        case quote
        case bytesEnded(field: Int, fieldStart: Int)
    }

    /// Reads lines up to the first one that has a quote, is too long or is not all there.
    ///
    /// - Returns: Where that line starts, and what is with it.
    private mutating func readLines(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> (next: Int, Stop) {
        let comma = ByteSearch.filled(with: UInt8(ascii: ","))
        let lineFeed = ByteSearch.filled(with: UInt8(ascii: "\n"))
        let quote = ByteSearch.filled(with: UInt8(ascii: "\""))
        let columns = firstFields
        let columnCount = columns.count
        let limit = lines.limit
        var line = lines.line
        defer { lines.line = line }

        var rowStart = start
        var fieldStart = start
        var column = 0
        var nextWord = start
        var wordStart = start
        var word: UInt64 = 0
        // The high bit of each comma, line feed and quote in the word that was not looked at yet.
        var marks: UInt64 = 0
        // All bytes of the row, and perhaps some around it.
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
                        ByteSearch.nonZero(word ^ comma) & ByteSearch.nonZero(word ^ lineFeed)
                        & ByteSearch.nonZero(word ^ quote) ^ ByteSearch.highBits
                    seen |= word
                    wordStart = nextWord
                    nextWord &+= 8
                    continue
                }
                guard isFinal, rowStart < count else {
                    return (rowStart, .bytesEnded(field: column &+ 1, fieldStart: fieldStart))
                }
            } else {
                place = wordStart &+ marks.trailingZeroBitCount &>> 3
                marks &= marks &- 1
                let byte = unsafe base[place]
                if byte == UInt8(ascii: ",") {
                    if column < columnCount {
                        setField(column, columns, start: fieldStart, end: place, in: &batch)
                    }
                    column &+= 1
                    fieldStart = place &+ 1
                    continue
                }
                if byte == UInt8(ascii: "\"") { return (rowStart, .quote) }
            }

            // The end of a row.
            let end = unsafe contentEnd(base, from: rowStart, to: place)
            if place &- rowStart > limit { return (rowStart, .overlongLine) }
            if end > rowStart {
                if column < columnCount { setField(column, columns, start: fieldStart, end: end, in: &batch) }
                column &+= 1
                if column != columnCount {
                    batch.reject(line: line, reason: wrongCount(column), start: rowStart, length: end &- rowStart)
                } else if seen & ByteSearch.highBits != 0, unsafe !UTF8Text.isValid(base, from: rowStart, to: end) {
                    batch.reject(line: line, reason: Self.invalidUTF8, start: rowStart, length: end &- rowStart)
                } else {
                    batch.endRecord(start: rowStart, length: end &- rowStart)
                }
            }
            line &+= 1
            rowStart = min(place &+ 1, count)
            if batch.isFull { return (rowStart, .batchIsFull) }
            batch.beginRecord(line: line)
            fieldStart = rowStart
            column = 0
            seen = word
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
