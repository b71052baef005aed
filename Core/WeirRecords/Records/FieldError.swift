/// Why a field of a record could not be read.
public struct FieldError: Error, Sendable, Hashable {
    /// What is wrong with the field.
    public enum Reason: Sendable, Hashable {
        /// The record has no such field, or it is empty or null.
        case missing
        /// The field is not a number; an excerpt of what it is.
        case notANumber(String)
        /// The field is a number, but NaN or infinite.
        case notFinite
        /// The field is not a whole number; an excerpt of what it is.
        case notAnInteger(String)
        /// The number does not fit the type.
        case outOfRange(String)
        /// The field is neither a number nor a time in a form that is known; an excerpt of what it is.
        case notATime(String)
        /// The field is neither true nor false; an excerpt of what it is.
        case notABoolean(String)
        /// The field is not valid UTF-8.
        case invalidUTF8
        /// The time is before that of an earlier record that it must not be before.
        case goesBack
        /// Something else, in words that follow the field's name, such as `is before the last one`.
        case unacceptable(String)
    }

    /// The index of the field in the schema: the key's raw value.
    public let field: Int

    /// What is wrong with it.
    public let reason: Reason

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - key: The key of the field.
    ///   - reason: What is wrong with it.
    public init(_ key: some FieldKey, _ reason: Reason) {
        self.init(field: key.rawValue, reason: reason)
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema.
    ///   - reason: What is wrong with it.
    public init(field: Int, reason: Reason) {
        self.field = field
        self.reason = reason
    }

    /// Describes the error, with the field's name in the input.
    ///
    /// - Parameter schema: The schema that the record was read with.
    /// - Returns: The error in words.
    public func description(in schema: RecordSchema) -> String {
        let name = schema.fields.indices.contains(field) ? schema.fields[field].name : "\(field)"
        return "field '\(name)' \(reason)"
    }
}

extension FieldError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing: "is missing"
        case .notANumber(let text): "is not a number: '\(text)'"
        case .notFinite: "is not a finite number"
        case .notAnInteger(let text): "is not a whole number: '\(text)'"
        case .outOfRange(let text): "is out of range: '\(text)'"
        case .notATime(let text): "is neither a number nor a time: '\(text)'"
        case .notABoolean(let text): "is neither true nor false: '\(text)'"
        case .invalidUTF8: "is not valid UTF-8"
        case .goesBack: "goes back: it is before the last record's"
        case .unacceptable(let words): words
        }
    }
}
