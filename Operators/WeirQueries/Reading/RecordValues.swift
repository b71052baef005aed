internal import WeirRecords

/// The values of the fields of single records.
struct RecordValues {
    let fields: QueryFields

    /// Whether the format of the records tells texts from numbers.
    var hasTypes = false

    init(_ fields: QueryFields) { self.fields = fields }

    /// How a field is meant; `nil` where there is none.
    func kind(ofPlace place: Int, at row: Int, in batch: borrowing RecordBatch) -> FieldKind? {
        Self.kind(of: batch.place(ofField: place, inRecordAt: row).encoding, hasTypes: hasTypes)
    }

    /// How a field of an encoding is meant; `nil` where there is none.
    static func kind(of encoding: FieldEncoding, hasTypes: Bool) -> FieldKind? {
        switch encoding {
        case .absent, .null: nil
        case .plain: hasTypes ? .text : .untyped
        case .escaped, .time: .text
        case .nested: .nested
        case .doubledQuotes, .hexEscaped, .signEscaped: .untyped
        case .bare, .integer, .decimal, .float, .boolean: .bare
        }
    }

    /// The value of a field of a record.
    func value(of field: Int, at row: Int, in batch: borrowing RecordBatch) -> QueryValue {
        value(ofPlace: fields.places[field], as: fields.fields[field].type, at: row, in: batch)
    }

    /// The value of a field of a record, by the place of the field in the schema.
    func value(ofPlace place: Int, as type: QueryType?, at row: Int, in batch: borrowing RecordBatch) -> QueryValue {
        guard let kind = kind(ofPlace: place, at: row, in: batch) else { return .missing }
        var text: [UInt8] = []
        _ = batch.appendText(ofField: place, recordAt: row, to: &text)
        return QueryValue(text, kind: kind, as: type)
    }
}
