internal import WeirCore
public import WeirRecords

/// JSON Lines: one JSON object per line, in UTF-8.
///
/// - Lines end with a line feed, with or without a carriage return before it; the last one may lack it.
/// - A byte order mark at the start and blank lines are skipped.
/// - Everything is checked, also unused fields: numbers, escapes, surrogates, UTF-8. Arrays and objects may be
///   nested 512 deep, the line's own object included.
/// - A wanted field `user.name` is the member `name` of the member `user`, or a member whose own name has the dot. `acc.0`
///   is the first element of the member `acc`, where that is an array.
/// - When an object has a name twice, the last one counts.
/// - Everything else is rejected, with the place in the line, counted in bytes from 1.
public struct JSONLinesFormat: Format {
    public var name: String { "jsonl" }

    public var summary: String { "JSON Lines: one JSON object per line" }

    private let otherFields: JSONLinesDecoder.OtherFields

    /// Creates the format.
    public init() {
        self.init(otherFields: .pass)
    }

    private init(otherFields: JSONLinesDecoder.OtherFields) {
        self.otherFields = otherFields
    }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        JSONLinesDecoder(for: schema, limits: limits, otherFields: otherFields)
    }

    public func rejectingOtherFields() -> any Format {
        JSONLinesFormat(otherFields: .reject)
    }
    public var tellsTextFromNumbers: Bool { true }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        JSONLinesEncoder(for: schema)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        CollectingFieldFinder(JSONLinesDecoder(for: RecordSchema(fields: []), limits: limits, otherFields: .collect))
    }
}
