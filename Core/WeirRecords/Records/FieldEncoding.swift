/// How the bytes of a field are to be read.
@frozen
public enum FieldEncoding: UInt8, Sendable {
    /// The record has no such field.
    case absent
    /// The field is JSON's `null`.
    case null
    /// The bytes are the text itself, or a number.
    case plain
    /// The bytes are a number or a word without quotes, where the format tells numbers from text.
    case bare
    /// Text in which every quote is doubled (CSV).
    case doubledQuotes
    /// Text with JSON's backslash escapes.
    case escaped
    /// A JSON array or object.
    case nested
    /// A whole number in two's complement of 1, 2, 4 or 8 bytes, the lowest first.
    case integer
    /// A whole number like ``integer``, to be divided by a power of ten: a decimal with all of its digits.
    case decimal
    /// A double: 8 bytes, the lowest first.
    case float
    /// One byte: 0 is false, everything else is true.
    case boolean
    /// Nanoseconds since the epoch: 8 bytes in two's complement, the lowest first.
    case time
    // Behind the others: the numbers of those are known to CWeir and to libraries of plugins.
    /// Text with the backslash escapes of access logs, such as `\"`, `\n` and `\xHH`.
    case hexEscaped
    /// Text with a backslash before each backslash, `=` or `|`, and with `\n` and `\r` (CEF).
    case signEscaped

    /// Whether the bytes are a value and not its text.
    @inlinable
    public var isBinary: Bool { rawValue >= Self.integer.rawValue && rawValue <= Self.time.rawValue }
}
