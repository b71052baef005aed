internal import WeirFormats
internal import WeirRecords

/// Makes values of the rows of a CSV file.
struct CSVValueDecoder: ValueDecoder {
    /// A column as a key, so that its field can be read by index.
    private struct Column: FieldKey {
        static var allCases: [Column] { [] }

        let rawValue: Int

        var fieldName: String { String(rawValue) }
    }

    private var lines: CSVDecoder
    private let timeUnit: TimeUnit

    // The header, once the first record has come.
    private var columns: CSVColumns?

    init(timeUnit: TimeUnit, limits: FormatLimits) {
        lines = CSVDecoder(for: RecordSchema(fields: [], timeUnit: timeUnit), limits: limits)
        self.timeUnit = timeUnit
    }

    /// Finds records; after the header, the batch becomes one with a field for each column that has a name.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        if lines.header != nil { return unsafe try lines.decode(bytes, isFinal: isFinal, into: &batch) }
        let consumed = unsafe try lines.readHeader(bytes, isFinal: isFinal)
        if let header = lines.header {
            let names = header.filter { !$0.isEmpty }
            let schema = RecordSchema(fields: names.map { RecordSchema.Field($0) }, timeUnit: timeUnit)
            try lines.resolve(schema)
            batch = RecordBatch(schema: schema, capacity: batch.capacity)
        }
        return consumed
    }

    mutating func value<Value: Decodable>(
        _ type: Value.Type,
        ofRecordAt index: Int,
        in batch: borrowing RecordBatch
    ) throws -> Value {
        let columns = self.columns ?? CSVColumns(names: batch.schema.fields.map(\.name), timeUnit: timeUnit)
        self.columns = columns
        let cells = try batch.withRecord(at: index, keyedBy: Column.self) { record in
            var cells: [String] = []
            for column in columns.names.indices {
                cells.append(try record.string(Column(rawValue: column)))
            }
            return cells
        }
        return try Value(from: CSVRowDecoder(columns: columns, cells: cells))
    }
}
