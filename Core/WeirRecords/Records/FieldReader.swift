public import WeirCore

/// A view of one record: typed access to its fields by key.
///
/// The keys were resolved to places once, so reading a field costs an array access and the conversion; nothing is
/// allocated but the strings you ask for. A view cannot be kept: it is valid only while the decoder runs.
///
///     let time = try record.timestamp(.time)
///     let celsius = try record.double(.celsius)
@frozen
public struct FieldReader<Key: FieldKey>: ~Copyable {
    @usableFromInline
    let record: RecordFields

    @inlinable
    init(_ record: RecordFields) {
        self.record = record
    }

    /// Whether the record has the field, and it is neither empty nor null.
    @inlinable
    @inline(__always)
    public borrowing func isPresent(_ key: Key) -> Bool {
        record.isPresent(key.rawValue)
    }

    /// The field as a finite number.
    ///
    /// - Throws: ``FieldError`` when the field is missing, not a number, NaN or infinite.
    @inlinable
    @inline(__always)
    public borrowing func double(_ key: Key) throws(FieldError) -> Double {
        try record.double(key.rawValue)
    }

    /// The field as a whole number.
    ///
    /// - Throws: ``FieldError`` when the field is missing, not a whole number, or does not fit.
    @inlinable
    @inline(__always)
    public borrowing func integer(_ key: Key) throws(FieldError) -> Int64 {
        try record.integer(key.rawValue)
    }

    /// The field as `true` or `false`.
    ///
    /// - Throws: ``FieldError`` when the field is missing or anything else.
    @inlinable
    public borrowing func boolean(_ key: Key) throws(FieldError) -> Bool {
        try record.boolean(key.rawValue)
    }

    /// The field as a point in time: a bare number counts the schema's unit, text is read as RFC 3339, or as the schema's
    /// ``InputTimes`` say.
    ///
    /// - Throws: ``FieldError`` when the field is missing, neither of the two, or out of range.
    @inlinable
    @inline(__always)
    public borrowing func timestamp(_ key: Key) throws(FieldError) -> Timestamp {
        try record.timestamp(key.rawValue)
    }

    /// The field as text, with quotes and escapes resolved; an empty text is a text.
    ///
    /// - Throws: ``FieldError`` when the record has no such field, it is null, or it is not valid UTF-8.
    @inlinable
    public borrowing func string(_ key: Key) throws(FieldError) -> String {
        try record.string(key.rawValue)
    }

    /// The field's bytes as they stand in the input, between the quotes where there are any, unless it is missing.
    ///
    /// Two records whose fields are written the same way have the same bytes; text that can be written in two ways
    /// (with escapes or without) may differ in its bytes and yet be equal as a string.
    ///
    /// - Parameters:
    ///   - key: The field.
    ///   - body: Called with the bytes, which are valid only during the call.
    /// - Returns: What `body` returns.
    /// - Throws: ``FieldError`` when the field is missing.
    @inlinable
    public borrowing func withBytes<Result>(_ key: Key, _ body: (Span<UInt8>) -> Result) throws(FieldError) -> Result {
        try record.withBytes(key.rawValue, body)
    }
}
