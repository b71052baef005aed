public import WeirCore

/// Finds the records of JSON Lines; see ``JSONLinesFormat`` for the rules.
///
/// Lines of one program have their names in one order. The decoder remembers which wanted name came at which place of
/// the last line and looks there first, so that most names are compared once and never searched for.
///
/// - Complexity: O(1) per byte, and O(*w*) per name that comes in another place than in the line before, for *w* wanted
///   fields. No allocation in steady state, rejections and names with escapes aside.
public struct JSONLinesDecoder: RecordDecoder {
    private var lines: LineTracker

    // The wanted names one after the other, each with the quote that closes it, so that comparing finds the end as well.
    private let names: [UInt8]
    private let places: [(start: Int, length: Int)]

    // The field that came at each place of the last line, or -1.
    private var order: [Int32] = []

    // For each field the next one with the same name, or -1.
    private let nextFields: [Int32]

    // How many of the next bytes are known to hold no line feed.
    private var scannedCount = 0

    /// Creates a decoder at the start of an input.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - limits: What the decoder may take.
    public init(for schema: RecordSchema, limits: FormatLimits = FormatLimits()) {
        lines = LineTracker(limits)
        var names: [UInt8] = []
        var places: [(start: Int, length: Int)] = []
        var nextFields: [Int32] = []
        for (index, field) in schema.fields.enumerated() {
            places.append((names.count, field.name.utf8.count))
            names.append(contentsOf: field.name.utf8)
            names.append(UInt8(ascii: "\""))
            let next = schema.fields[(index + 1)...].firstIndex { $0.name == field.name }
            nextFields.append(next.map { Int32($0) } ?? -1)
        }
        self.names = names
        self.places = places
        self.nextFields = nextFields
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
        while start < count, !batch.isFull {
            if lines.isInsideOverlongLine {
                start = unsafe lines.rejectOverlongLine(base, from: start, count: count, isFinal: isFinal, into: &batch)
                if lines.isInsideOverlongLine { return start }
                continue
            }
            let end = unsafe ByteSearch.index(
                of: UInt8(ascii: "\n"),
                in: base,
                from: start + scannedCount,
                to: count
            )
            if end - start > lines.limit {
                scannedCount = 0
                start = unsafe lines.rejectOverlongLine(base, from: start, count: count, isFinal: isFinal, into: &batch)
                if lines.isInsideOverlongLine { return start }
                continue
            }
            if end == count, !isFinal {
                scannedCount = count - start
                return start
            }
            scannedCount = 0
            unsafe readLine(base, from: start, to: end, into: &batch)
            lines.line &+= 1
            start = min(end + 1, count)
        }
        return start
    }

    private mutating func readLine(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to lineEnd: Int,
        into batch: inout RecordBatch
    ) {
        let end = unsafe lineEnd > start && base[lineEnd - 1] == UInt8(ascii: "\r") ? lineEnd - 1 : lineEnd
        var cursor = unsafe JSONCursor(base, from: start, to: end)
        unsafe cursor.skipBlanks()
        guard unsafe cursor.place < end else { return }
        batch.beginRecord(line: lines.line)
        do throws(JSONFlaw) {
            unsafe try readObject(&cursor, into: &batch)
            batch.endRecord(start: start, length: end - start)
        } catch {
            batch.reject(line: lines.line, reason: error.description, start: start, length: end - start)
        }
    }

    private mutating func readObject(_ cursor: inout JSONCursor, into batch: inout RecordBatch) throws(JSONFlaw) {
        guard unsafe cursor.take("{") else { throw unsafe cursor.flaw("a line must be an object; expected '{'") }
        unsafe cursor.skipBlanks()
        var position = 0
        if unsafe !cursor.take("}") {
            while true {
                guard unsafe cursor.byte == UInt8(ascii: "\"") else {
                    throw unsafe cursor.flaw("expected a name in quotes")
                }
                let field = unsafe try readName(&cursor, position: position)
                unsafe try cursor.colon()
                unsafe try readValue(&cursor, of: field, into: &batch)
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
        unsafe cursor.skipBlanks()
        if unsafe cursor.place < cursor.end { throw unsafe cursor.flaw("there is text after the object") }
    }

    /// Passes a name.
    ///
    /// - Returns: The first field that wants it, or -1.
    private mutating func readName(_ cursor: inout JSONCursor, position: Int) throws(JSONFlaw) -> Int {
        if position < order.count {
            let expected = Int(order[position])
            if expected >= 0 {
                let (nameStart, length) = places[expected]
                if unsafe cursor.end &- cursor.place > length &+ 1,
                    unsafe isEqual(cursor.base + cursor.place + 1, nameStart, length &+ 1)
                {
                    unsafe cursor.place &+= length &+ 2
                    return expected
                }
            }
        }
        let name = unsafe try cursor.string()
        let field = unsafe search(cursor.base, name)
        // Lines with very many names are not worth remembering.
        if position == order.count, position < 1024 { order.append(-1) }
        if position < order.count { order[position] = Int32(field) }
        return field
    }

    private func search(_ base: UnsafePointer<UInt8>, _ name: JSONCursor.Text) -> Int {
        let length = name.end - name.start
        if name.hasEscapes {
            guard
                let text = unsafe QuotedText.resolvingEscapes(
                    UnsafeBufferPointer(start: base + name.start, count: length)
                )
            else { return -1 }
            return places.firstIndex { names[$0.start..<$0.start + $0.length].elementsEqual(text.utf8) } ?? -1
        }
        return places.firstIndex {
            unsafe $0.length == length && isEqual(base + name.start, $0.start, length)
        } ?? -1
    }

    private func isEqual(_ text: UnsafePointer<UInt8>, _ nameStart: Int, _ length: Int) -> Bool {
        for index in 0..<length where unsafe text[index] != names[nameStart &+ index] { return false }
        return true
    }

    /// Passes a value and notes it for the fields that want it.
    private func readValue(
        _ cursor: inout JSONCursor,
        of field: Int,
        into batch: inout RecordBatch
    ) throws(JSONFlaw) {
        var start = unsafe cursor.place
        var encoding = FieldEncoding.bare
        var end: Int?
        switch unsafe cursor.byte {
        case UInt8(ascii: "\""):
            let text = unsafe try cursor.string()
            encoding = text.hasEscapes ? .escaped : .plain
            start = text.start
            end = text.end
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            unsafe try cursor.nested(depth: 1)
            encoding = .nested
        case UInt8(ascii: "n"):
            unsafe try cursor.word("null")
            encoding = .null
        default: unsafe try cursor.scalar()
        }
        let valueEnd = unsafe end ?? cursor.place
        var field = field
        while field >= 0 {
            batch.setField(field, start: start, length: valueEnd &- start, encoding: encoding)
            field = Int(nextFields[field])
        }
    }
}
