internal import WeirFormats
internal import WeirRecords

/// The formats that ``DecodableReader`` and ``EventReader`` read.
public enum DecodableFormat: String, Sendable, CaseIterable {
    /// Comma-separated values; the header's names are the coding keys.
    case csv
    /// JSON Lines, one object per line.
    case jsonLines = "jsonl"
    /// JSON: an array of objects, or objects one after the other, laid out in any way.
    case json
}

extension DecodableFormat {
    /// The format that the ending of a file's name tells.
    init?(ofFile path: String) {
        switch path.split(separator: ".").dropFirst().last?.lowercased() {
        case "csv": self = .csv
        case "jsonl", "ndjson": self = .jsonLines
        case "json": self = .json
        default: return nil
        }
    }

    /// The format of records, for what reads itself from their fields.
    var records: any Format {
        switch self {
        case .csv: CSVFormat()
        case .jsonLines: JSONLinesFormat()
        case .json: JSONFormat()
        }
    }

    /// Makes what finds records and makes values of them; the schema has no fields, because the values say what they need.
    func makeValueDecoder(for schema: RecordSchema, limits: FormatLimits) -> any ValueDecoder {
        switch self {
        case .csv: CSVValueDecoder(timeUnit: schema.timeUnit, limits: limits)
        case .jsonLines, .json: JSONValueDecoder(records, timeUnit: schema.timeUnit, limits: limits)
        }
    }
}

/// The format as a reader of records takes it, for values that say what they need.
struct ValueFormat: Format {
    let format: DecodableFormat

    var name: String { format.rawValue }
    var summary: String { "Values that are only Decodable." }

    func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        format.makeValueDecoder(for: schema, limits: limits)
    }
}

/// Finds records and makes values of them, in one format.
///
/// Values can be made by another decoder than the one that found the records: what they need stands in the batch.
protocol ValueDecoder: RecordDecoder {
    /// Makes a value of a record.
    mutating func value<Value: Decodable>(
        _ type: Value.Type,
        ofRecordAt index: Int,
        in batch: borrowing RecordBatch
    ) throws -> Value
}
