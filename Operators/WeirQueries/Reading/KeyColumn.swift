internal import WeirRecords

/// The keys of one field for all records of a batch.
///
/// Whole numbers are read as such. Of the others each different text becomes a key once, as long as there are not too many.
struct KeyColumn {
    private let field: Int
    private let place: Int
    // Whether what is written as a whole number is one.
    private let mayBeWhole: Bool

    private var numbers: RecordColumn<Int64>
    // By record: where it is a whole number.
    private var isWhole: [UInt64] = []
    private var encodings: [UInt8] = []

    // By record: the number of the text, times 4, and its kind; negative where there is none.
    private var codes: [Int32] = []
    // By these.
    private var known: [EventKey?] = []

    /// Creates the column of a field.
    ///
    /// - Parameters:
    ///   - field: Its index.
    ///   - fields: The fields that are read.
    init(_ field: Int, of fields: QueryFields) {
        self.field = field
        place = fields.places[field]
        let type = fields.fields[field].type
        mayBeWhole = type == nil || type == .integer
        numbers = RecordColumn(field: place)
    }

    /// Reads the field of all records of a batch.
    mutating func read(_ batch: borrowing RecordBatch, _ columns: inout RecordColumns) {
        codes.removeAll(keepingCapacity: true)
        isWhole.removeAll(keepingCapacity: true)
        guard batch.count > 0 else { return }
        if mayBeWhole, readNumbers(batch, hasTypes: columns.values.hasTypes) * 2 >= batch.count { return }
        columns.withTexts(ofPlace: place, in: batch) { codes, _ in self.codes.append(contentsOf: codes) }
    }

    /// Reads whole numbers, where the first record has one.
    ///
    /// - Returns: How many there are.
    private mutating func readNumbers(_ batch: borrowing RecordBatch, hasTypes: Bool) -> Int {
        guard Self.mayBeWhole(batch.place(ofField: place, inRecordAt: 0).encoding, hasTypes) else { return 0 }
        numbers.readQuickly(batch)
        guard numbers.validCount > 0 else { return 0 }
        for word in numbers.valid { isWhole.append(word) }
        guard !batch.readEncodings(ofField: place, into: &encodings) else { return numbers.validCount }
        for row in encodings.indices {
            if let encoding = FieldEncoding(rawValue: encodings[row]), Self.mayBeWhole(encoding, hasTypes) { continue }
            isWhole[row >> 6] &= ~(1 << UInt64(row & 63))
        }
        return isWhole.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// Whether digits in an encoding are a number.
    private static func mayBeWhole(_ encoding: FieldEncoding, _ hasTypes: Bool) -> Bool {
        switch RecordValues.kind(of: encoding, hasTypes: hasTypes) {
        case .bare, .untyped: true
        default: false
        }
    }

    /// The key of a record; `nil` where it is not known yet, or there is none or several.
    @inline(__always)
    func key(at row: Int) -> EventKey? {
        if !isWhole.isEmpty, isWhole[row >> 6] >> UInt64(row & 63) & 1 != 0 { return EventKey(numbers.values[row]) }
        guard row < codes.count else { return nil }
        let code = Int(codes[row])
        return code >= 0 && code < known.count ? known[code] : nil
    }

    /// Learns the only key of a record, which is no missing value: that may be a key for one step and none for another one.
    mutating func learn(_ key: EventKey, at row: Int) {
        guard row < codes.count, codes[row] >= 0 else { return }
        let code = Int(codes[row])
        while known.count <= code { known.append(nil) }
        known[code] = key
    }
}
