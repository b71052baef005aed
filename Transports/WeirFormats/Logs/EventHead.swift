internal import WeirCore
internal import WeirRecords

/// What CEF and LEEF have in common: a mark that begins the event, what a relay has put before it, and a head of certain
/// fields.
struct EventHead {
    /// The field with what stands before the mark.
    static let prefixName = "prefix"

    private let mark: [UInt8]
    private let columns: WantedColumns
    private let others: WantedNames.Others
    private let names: [String]

    /// Which fields are in some lines only.
    private let rareNames: Set<String>

    /// The names of ``rareNames`` that were found.
    private var foundNames: Set<String> = []

    /// Resolves the names of a head.
    ///
    /// - Parameters:
    ///   - mark: What begins an event, such as `CEF:`.
    ///   - names: The names of the columns, beginning with ``prefixName``.
    ///   - rareNames: Those that are in some lines only.
    ///   - schema: What is wanted.
    ///   - others: What becomes of fields that nobody wants.
    init(
        _ mark: String,
        names: [String],
        rareNames: Set<String>,
        for schema: RecordSchema,
        others: WantedNames.Others
    ) {
        self.mark = Array(mark.utf8)
        self.names = names
        self.rareNames = rareNames
        self.others = others
        columns = WantedColumns(names, for: schema)
    }

    /// The names that are known to be in the input.
    var foundFields: [String] { names.filter { !rareNames.contains($0) || foundNames.contains($0) } }

    /// Notes where a column is.
    ///
    /// - Throws: ``LineFlaw`` when nobody wants a column that is in few lines, and that is not accepted.
    mutating func set(
        _ column: Int,
        _ text: Range<Int>,
        encoding: FieldEncoding,
        lineStart: Int,
        in batch: inout RecordBatch
    ) throws(LineFlaw) {
        columns.set(column, start: text.lowerBound, end: text.upperBound, encoding: encoding, in: &batch)
        guard others != .pass, !text.isEmpty, rareNames.contains(names[column]) else { return }
        if others == .collect { foundNames.insert(names[column]) }
        if others == .reject, !columns.wants(column) {
            throw LineFlaw("a field that the output lacks (see --columns) starts", at: text.lowerBound - lineStart)
        }
    }

    /// Passes the mark and what stands before it.
    mutating func readPrefix(_ cursor: inout LineCursor, into batch: inout RecordBatch) throws(LineFlaw) {
        guard let place = unsafe Self.place(of: mark, cursor.base, from: cursor.start, to: cursor.end) else {
            throw unsafe cursor.flaw("expected '\(String(decoding: mark, as: UTF8.self))'")
        }
        if unsafe place > cursor.start {
            let prefix = unsafe cursor.start..<place - 1
            try set(0, prefix, encoding: .plain, lineStart: unsafe cursor.start, in: &batch)
        }
        unsafe cursor.place = place + mark.count
    }

    /// The place of the first mark that begins the text or stands behind a blank.
    static func place(of mark: [UInt8], _ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
        var place = start
        while true {
            place = unsafe ByteSearch.index(ofText: mark, in: base, from: place, to: end)
            if place == end { return nil }
            if unsafe place == start || base[place - 1] == UInt8(ascii: " ") { return place }
            place += 1
        }
    }

    /// Appends the prefix of a record, a blank and the mark.
    ///
    /// - Throws: `FieldError` where it would be read back as something else.
    static func append(
        _ mark: String,
        prefix field: Int,
        of record: borrowing LineRecord,
        to line: inout [UInt8]
    ) throws(FieldError) {
        let mark = Array(mark.utf8)
        if field >= 0, record.hasValue(field), !record.values[field].text.isEmpty {
            let text = record.values[field].text + [UInt8(ascii: " ")]
            let hasMark = unsafe text.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return false }
                return unsafe place(of: mark, base, from: 0, to: bytes.count) != nil
            }
            guard !hasMark else {
                throw record.refuse(
                    field,
                    "has '\(String(decoding: mark, as: UTF8.self))' in it, which begins an event"
                )
            }
            line += text
        }
        line += mark
    }
}
