internal import WeirCore
public import WeirRecords

/// Finds the records of JSON Lines; see ``JSONLinesFormat`` for the rules.
///
/// Lines of one program look alike. A structural index finds the values of lines that look like one of the last ones, as
/// long as all else in them is the same. The decoder reads the others from left to right; it remembers which wanted name
/// came at which place of the last line and looks there first, so that most names are compared once and never searched
/// for.
///
/// - Complexity: O(1) per byte, and O(*w*) per name that comes in another place than in the line before, for *w* wanted
///   fields. No allocation in steady state, rejections and names with escapes aside.
public struct JSONLinesDecoder: CollectingDecoder, Sendable {
    /// What becomes of unused fields of the line's own object.
    package enum OtherFields {
        /// They are passed over.
        case pass
        /// Their line is rejected.
        case reject
        /// Their names are collected, as long as there are few.
        case collect
    }

    /// The names that were collected.
    package internal(set) var collectedNames: [String] = []

    package var lines: LineTracker
    private let otherFields: OtherFields

    // The collected names as bytes, and which came at each place of the last line, or -1.
    var collected: [[UInt8]] = []
    var collectedOrder: [Int] = []
    static let collectedLimit = 1024

    let tree: JSONFieldTree

    // The entry that came at each place of the last object of each level, or -1.
    private var order: [Int32]

    // The record in which each entry came last, counted from 1.
    private var lastRecords: [UInt64]
    private var recordNumber: UInt64 = 0

    // Names beyond this place of an object are not worth remembering.
    private static let rememberedCount = 256

    // Made at the first lines; `nil` as well where the index is not used.
    private var index: RecordIndex?
    private let kernel: ScanKernel?

    /// Creates a decoder at the start of an input.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - limits: What the decoder may take.
    public init(for schema: RecordSchema, limits: FormatLimits = FormatLimits()) {
        self.init(for: schema, limits: limits, otherFields: .pass)
    }

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - limits: What the decoder may take.
    ///   - otherFields: What becomes of unused fields.
    ///   - kernel: What to find records with; `nil` for no index.
    package init(
        for schema: RecordSchema,
        limits: FormatLimits,
        otherFields: OtherFields,
        kernel: ScanKernel? = .best
    ) {
        self.kernel = otherFields == .collect ? nil : kernel
        self.otherFields = otherFields
        lines = LineTracker(limits)
        // Where others are rejected, the names are those of the records themselves.
        tree = JSONFieldTree(schema, hasPaths: otherFields != .reject)
        order = Array(repeating: -1, count: tree.levelCount * Self.rememberedCount)
        lastRecords = Array(repeating: 0, count: tree.entries.count)
    }

    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        let count = bytes.count
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            var start = unsafe lines.passByteOrderMark(base, count: count, isFinal: isFinal)
        else { return 0 }
        forgetIndex()
        while start < count, !batch.isFull {
            if lines.isAtLineStart {
                start = unsafe takeIndexed(bytes, from: start, into: &batch)
                if start == count || batch.isFull { return start }
            }
            guard let line = unsafe lines.nextLine(base, from: &start, count: count, isFinal: isFinal, into: &batch)
            else { return start }
            unsafe readLine(base, from: line.lowerBound, to: line.upperBound, into: &batch)
            lines.line &+= 1
        }
        return start
    }

    // MARK: The index

    /// Has the index forget its text, which may change.
    func forgetIndex() { index?.forget() }

    /// Takes lines with the index, up to the first one that has to be judged.
    ///
    /// - Returns: Where that line starts.
    mutating func takeIndexed(_ bytes: UnsafeRawBufferPointer, from start: Int, into batch: inout RecordBatch) -> Int {
        guard let kernel, bytes.count - start >= RecordIndex.leastLength else { return start }
        let index = self.index ?? RecordIndex(kernel: kernel)
        self.index = index
        return unsafe index.takeJSONLines(
            bytes,
            from: start,
            lengthLimit: lines.limit,
            line: &lines.line,
            into: &batch
        )
    }

    /// Has the index take lines like that of the last record, which fills its line.
    func learnLastLine(of batch: borrowing RecordBatch) { index?.learnLastLine(of: batch) }

    // MARK: Objects

    private mutating func readLine(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) {
        var cursor = unsafe JSONCursor(base, from: start, to: end)
        unsafe cursor.skipBlanks()
        guard unsafe cursor.place < end else { return }
        batch.beginRecord(line: lines.line)
        do throws(JSONFlaw) {
            guard unsafe cursor.take("{") else {
                throw unsafe cursor.byte == UInt8(ascii: "[")
                    ? cursor.flaw("a line must be an object (--format json reads arrays of them); expected '{'")
                    : cursor.flaw("a line must be an object; expected '{'")
            }
            unsafe try readObject(&cursor, into: &batch)
            unsafe cursor.skipBlanks()
            if unsafe cursor.place < cursor.end { throw unsafe cursor.flaw("there is text after the object") }
            batch.endRecord(start: start, length: end - start)
            learnLastLine(of: batch)
        } catch {
            batch.reject(line: lines.line, reason: error.description, start: start, length: end - start)
        }
    }

    /// Passes the rest of a record's object, behind its brace, and notes the values that are wanted.
    mutating func readObject(_ cursor: inout JSONCursor, into batch: inout RecordBatch) throws(JSONFlaw) {
        recordNumber &+= 1
        unsafe try readObject(&cursor, level: 0, depth: 1, into: &batch)
    }

    /// Passes the rest of an object, behind its brace, and notes the values that are wanted.
    private mutating func readObject(
        _ cursor: inout JSONCursor,
        level: Int,
        depth: Int,
        into batch: inout RecordBatch
    ) throws(JSONFlaw) {
        unsafe cursor.skipBlanks()
        var position = 0
        if unsafe !cursor.take("}") {
            while true {
                guard unsafe cursor.byte == UInt8(ascii: "\"") else {
                    throw unsafe cursor.flaw("expected a name in quotes")
                }
                let entry = unsafe try readName(&cursor, level: level, position: position)
                unsafe try cursor.colon()
                unsafe try readValue(&cursor, of: entry, depth: depth, into: &batch)
                unsafe cursor.skipBlanks()
                position &+= 1
                if unsafe cursor.take(",") {
                    unsafe cursor.skipBlanks()
                } else if unsafe cursor.take("}") {
                    break
                } else {
                    throw unsafe cursor.flaw("expected ',' or '}'")
                }
            }
        }
    }

    /// Passes a name.
    ///
    /// - Returns: The entry that wants it, or -1.
    private mutating func readName(
        _ cursor: inout JSONCursor,
        level: Int,
        position: Int
    ) throws(JSONFlaw) -> Int {
        let isRemembered = position < Self.rememberedCount
        let place = level &* Self.rememberedCount &+ position
        if isRemembered {
            let expected = Int(order[place])
            if expected >= 0 {
                let length = tree.entries[expected].length
                if unsafe cursor.end &- cursor.place > length &+ 1,
                    unsafe tree.isEqual(cursor.base + cursor.place + 1, expected, length &+ 1)
                {
                    unsafe cursor.place &+= length &+ 2
                    return expected
                }
            }
        }
        let nameStart = unsafe cursor.place
        let name = unsafe try cursor.string()
        let entry = unsafe search(cursor.base, name, level: level)
        if entry < 0, level == 0, otherFields != .pass {
            guard otherFields == .collect else {
                unsafe cursor.place = nameStart
                throw unsafe cursor.flaw(
                    tree.entries.count < Self.collectedLimit
                        ? "a field that the output lacks (see --columns) starts"
                        : "a field beyond the first 1,024 names of the input (see --columns) starts"
                )
            }
            unsafe collect(cursor.base, name, position: position)
        }
        // What was written with escapes is not expected: its bytes without them are no JSON, or another name.
        if isRemembered { order[place] = name.hasEscapes ? -1 : Int32(entry) }
        return entry
    }

    private func search(_ base: UnsafePointer<UInt8>, _ name: JSONCursor.Text, level: Int) -> Int {
        let length = name.end - name.start
        if name.hasEscapes {
            guard
                var text = unsafe QuotedText.resolvingEscapes(
                    UnsafeBufferPointer(start: base + name.start, count: length)
                )
            else { return -1 }
            return text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else { return -1 }
                return unsafe tree.entry(named: start, length: bytes.count, level: level)
            }
        }
        return unsafe tree.entry(named: base + name.start, length: length, level: level)
    }

    /// Passes a value and notes it for the fields that want it, or that want something in it.
    mutating func readValue(
        _ cursor: inout JSONCursor,
        of entry: Int,
        depth: Int,
        into batch: inout RecordBatch
    ) throws(JSONFlaw) {
        if entry >= 0, tree.entries[entry].level >= 0 {
            // When the name comes again, what the value before had in it counts no more.
            if lastRecords[entry] == recordNumber { forget(level: tree.entries[entry].level, in: &batch) }
            lastRecords[entry] = recordNumber
        }
        var start = unsafe cursor.place
        var encoding = FieldEncoding.bare
        var end: Int?
        switch unsafe cursor.byte {
        case UInt8(ascii: "\""):
            let text = unsafe try cursor.string()
            encoding = text.hasEscapes ? .escaped : .plain
            start = text.start
            end = text.end
        case UInt8(ascii: "{") where entry >= 0 && tree.entries[entry].level >= 0:
            unsafe cursor.place &+= 1
            unsafe try readObject(&cursor, level: tree.entries[entry].level, depth: depth + 1, into: &batch)
            encoding = .nested
        case UInt8(ascii: "[") where entry >= 0 && tree.entries[entry].level >= 0:
            unsafe cursor.place &+= 1
            unsafe try readArray(&cursor, level: tree.entries[entry].level, depth: depth + 1, into: &batch)
            encoding = .nested
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            unsafe try cursor.nested(depth: depth)
            encoding = .nested
        case UInt8(ascii: "n"):
            unsafe try cursor.word("null")
            encoding = .null
        default: unsafe try cursor.scalar()
        }
        let valueEnd = unsafe end ?? cursor.place
        guard entry >= 0 else { return }
        var field = tree.entries[entry].field
        while field >= 0 {
            batch.setField(field, start: start, length: valueEnd &- start, encoding: encoding)
            field = tree.nextFields[field]
        }
    }
}
