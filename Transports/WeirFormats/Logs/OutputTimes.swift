internal import WeirCore
internal import WeirRecords

/// Reads the times that a format with a form of its own writes: as the input's options say, or as a declared type has
/// made them.
struct OutputTimes {
    private let times: InputTimes

    /// Reads RFC 3339, whatever the options say of the input.
    private let plain: InputTimes

    /// For each field whether its values were made times before they are written.
    private let isDeclared: [Bool]

    init(_ schema: OutputSchema) {
        times = schema.times ?? InputTimes(unit: schema.timeUnit)
        plain = InputTimes(unit: schema.timeUnit)
        isDeclared = schema.fields.map { $0.type == .time }
    }

    /// The time that a value of a record is.
    ///
    /// - Throws: `FieldError` when it is none.
    func time(_ field: Int, of record: borrowing LineRecord) throws(FieldError) -> Timestamp {
        let text = record.values[field].text
        return try unsafe text.withUnsafeBufferPointer { bytes throws(FieldError) in
            var result = unsafe (isDeclared[field] ? plain : times).nanoseconds(bytes, isCounted: true)
            // A time of the binary format, or of an old message of syslog, has not the form of the input.
            if case .otherFormat = result, case .value(let value) = unsafe plain.nanoseconds(bytes, isCounted: false) {
                result = .value(value)
            }
            guard case .value(let value) = result else {
                throw FieldError(field: field, reason: result.reason(excerpt: Excerpt.of(text, limit: 40)))
            }
            return Timestamp(nanosecondsSinceEpoch: value)
        }
    }

    /// Whether a value says by itself, as RFC 3339 has it, that it is a certain time.
    func says(_ text: [UInt8], _ time: Timestamp) -> Bool {
        let result = unsafe text.withUnsafeBufferPointer { unsafe plain.nanoseconds($0, isCounted: false) }
        return if case .value(time.nanosecondsSinceEpoch) = result { true } else { false }
    }
}
