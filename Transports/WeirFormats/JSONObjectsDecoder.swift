internal import WeirCore
internal import WeirRecords

/// Finds the records of JSON; see ``JSONFormat`` for the rules.
///
/// An element that is all there is read at once. Where that fails, a ``JSONElementScanner`` looks for its end, across as many
/// calls as it takes, and the element is read, or rejected, as a whole. So a byte is read a few times at most. Objects that
/// fill a line are found with the index of JSON Lines.
///
/// - Complexity: O(1) per byte, besides what ``JSONLinesDecoder`` takes for names. No allocation in steady state, rejections
///   and names with escapes aside.
struct JSONObjectsDecoder: CollectingDecoder {
    enum Phase {
        /// Nothing but blanks was read.
        case start
        /// Between objects that follow each other.
        case objects
        /// In an array.
        case array
        /// Behind the bracket that seems to end the array.
        case closed
    }

    /// What follows in an array.
    enum Expected {
        case elementOrEnd
        case element
        case commaOrEnd
        /// Any of them: behind something with a flaw.
        case anything
    }

    var records: JSONLinesDecoder
    var phase = Phase.start
    var expected = Expected.elementOrEnd

    /// How many bytes stand before the next one in its line.
    var column = 0

    // Of the element that the next byte is in: its first line, its scanner, and whether its first bytes were rejected.
    var line: UInt64 = 1
    var scanner: JSONElementScanner?
    var isOverlong = false

    /// Creates a decoder at the start of an input.
    init(for schema: RecordSchema, limits: FormatLimits, otherFields: JSONLinesDecoder.OtherFields) {
        records = JSONLinesDecoder(for: schema, limits: limits, otherFields: otherFields)
    }

    var collectedNames: [String] { records.collectedNames }

    var limit: Int { records.lines.limit }

    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        let count = bytes.count
        var start = 0
        if let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
            guard let first = unsafe records.lines.passByteOrderMark(base, count: count, isFinal: isFinal) else {
                return 0
            }
            start = first
            records.forgetIndex()
            while start < count, !batch.isFull {
                if scanner == nil {
                    unsafe passSeparators(base, from: &start, count: count, into: &batch)
                    if start == count || batch.isFull { continue }
                    if unsafe takeLines(bytes, from: &start, into: &batch) { continue }
                    if unsafe rejectMissingComma(before: base[start], at: start, into: &batch) { continue }
                }
                guard unsafe readElement(base, from: &start, count: count, isFinal: isFinal, into: &batch) else {
                    break
                }
            }
        }
        if isFinal, start == count, !batch.isFull { end(at: start, into: &batch) }
        return start
    }

    /// Ends an input or a frame: what follows begins anew.
    private mutating func end(at place: Int, into batch: inout RecordBatch) {
        // Of an element that is cut off, that was said already.
        if phase == .array, scanner == nil {
            reject("the array is not closed", start: place, length: 0, into: &batch)
        }
        scanner = nil
        isOverlong = false
        phase = .start
        expected = .elementOrEnd
        column = 0
    }

    // MARK: Between elements

    /// Passes what stands between elements: blanks, ends of lines, and in an array commas and the brackets.
    private mutating func passSeparators(
        _ base: UnsafePointer<UInt8>,
        from start: inout Int,
        count: Int,
        into batch: inout RecordBatch
    ) {
        while start < count, !batch.isFull {
            switch unsafe (base[start], phase) {
            case (UInt8(ascii: " "), _), (UInt8(ascii: "\t"), _), (UInt8(ascii: "\r"), _): break
            case (UInt8(ascii: "\n"), _):
                records.lines.line &+= 1
                // So that the next line is at zero.
                column = -1
            case (UInt8(ascii: ","), .array):
                if expected == .element || expected == .elementOrEnd {
                    reject("an element is missing before ','", start: start, length: 1, into: &batch)
                }
                expected = .element
            case (UInt8(ascii: "]"), .array):
                if expected == .element {
                    reject("an element is missing before ']'", start: start, length: 0, into: &batch)
                }
                phase = .closed
            case (UInt8(ascii: ","), .closed):
                reject(Self.goesOn, start: start, length: 1, into: &batch)
                phase = .array
                expected = .element
            case (UInt8(ascii: "]"), .closed):
                reject("the array is closed already", start: start, length: 1, into: &batch)
            case (UInt8(ascii: "["), .start): phase = .array
            default:
                if phase == .start { phase = .objects }
                return
            }
            start += 1
            column += 1
        }
    }

    private static let goesOn = "the array goes on behind its ']'"

    /// Says that a comma is missing, or that the array goes on, when it is so; the element counts.
    private mutating func rejectMissingComma(
        before byte: UInt8,
        at start: Int,
        into batch: inout RecordBatch
    ) -> Bool {
        guard byte == UInt8(ascii: "{"), phase == .closed || phase == .array && expected == .commaOrEnd else {
            return false
        }
        let reason = phase == .closed ? Self.goesOn : "a ',' is missing before the element"
        reject(reason, start: start, length: 0, into: &batch)
        phase = .array
        expected = .element
        return true
    }

    private func reject(_ reason: String, start: Int, length: Int, into batch: inout RecordBatch) {
        batch.reject(line: records.lines.line, reason: reason, start: start, length: length)
    }

    /// Takes lines that are an object each with the index.
    ///
    /// - Returns: Whether there were some.
    private mutating func takeLines(
        _ bytes: UnsafeRawBufferPointer,
        from start: inout Int,
        into batch: inout RecordBatch
    ) -> Bool {
        guard column == 0, phase == .objects else { return false }
        let next = unsafe records.takeIndexed(bytes, from: start, into: &batch)
        defer { start = next }
        return next > start
    }
}
