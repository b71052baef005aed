/// Writes records as bytes; holds the state of one output.
///
/// A record that cannot be written joins the rejections of its batch; the others go on.
public protocol RecordEncoder {
    /// Writes a record, or keeps it to write it with later ones.
    ///
    /// - Parameters:
    ///   - index: The record's index in the batch.
    ///   - batch: Records that were read with the output's fields; a record that does not fit is refused.
    ///   - output: The bytes are appended to it.
    mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8])

    /// Writes what is left, and what ends the output.
    ///
    /// - Parameter output: The bytes are appended to it.
    mutating func finish(into output: inout [UInt8])
}

/// What a format is to write: the fields, and how to understand what is read.
public struct OutputSchema: Sendable, Hashable {
    /// A field of the output.
    public struct Field: Sendable, Hashable {
        /// The name in the output.
        public var name: String

        /// What the values are made to be; `nil` leaves them as they are.
        public var type: FieldType?

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - name: The name in the output.
        ///   - type: What the values are made to be; `nil` leaves them as they are.
        public init(_ name: String, type: FieldType? = nil) {
            self.name = name
            self.type = type
        }
    }

    /// The fields, in the order of those of the schema that the records are read with.
    public var fields: [Field]

    /// What a bare number counts where a time is wanted.
    public var timeUnit: TimeUnit

    /// How the input writes its times, where more is known of that than ``timeUnit``.
    public package(set) var times: InputTimes?

    /// Whether the input tells text from numbers, as JSON does and CSV does not.
    public var tellsTextFromNumbers: Bool

    /// How long a record or a block may be, in bytes.
    public var limits: FormatLimits

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - fields: The fields, in the order of those of the schema that the records are read with.
    ///   - timeUnit: What a bare number counts where a time is wanted.
    ///   - tellsTextFromNumbers: Whether the input tells text from numbers.
    ///   - limits: How long a record or a block may be.
    public init(
        fields: [Field],
        timeUnit: TimeUnit = .milliseconds,
        tellsTextFromNumbers: Bool,
        limits: FormatLimits = FormatLimits()
    ) {
        self.fields = fields
        self.timeUnit = timeUnit
        self.tellsTextFromNumbers = tellsTextFromNumbers
        self.limits = limits
    }
}

/// The type of a field in an output.
public enum FieldType: String, Sendable, Hashable, CaseIterable {
    /// A whole number of 64 bits.
    case integer
    /// A decimal number of up to 18 digits, all of which are kept: `1.50` is not `1.5`.
    case decimal
    /// A double.
    case float
    /// True or false.
    case boolean
    /// A point in time, to the nanosecond.
    case time
    /// Text.
    case text
    /// Any JSON value.
    case json
}

/// Finds out which fields an input has.
public protocol FieldFinder {
    /// The names that were found, in the order of their first appearance.
    var names: [String] { get }

    /// Whether nothing can be added any more, because all names stand at the beginning.
    var isComplete: Bool { get }

    /// Looks for names in the next bytes.
    ///
    /// Bytes that are not understood are passed over.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that follow what was consumed so far.
    ///   - isFinal: Whether the input ends with these bytes.
    /// - Returns: How many bytes were consumed; the others have to come again, with what follows them.
    /// - Throws: ``FormatError`` when the input as a whole cannot be read.
    mutating func find(in bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int
}
