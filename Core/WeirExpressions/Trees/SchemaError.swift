/// Why an expression cannot be described, or be built, over an `EventSchema`.
public enum SchemaError: Error, Sendable, Hashable {
    /// There is no field of that name; the names that are nearest to it.
    case unknownField(String, schema: String, suggestions: [String])
    /// A key path that no field of the schema has.
    case unnamedProperty(String, schema: String)
    /// Two fields have the same name.
    case duplicateField(String, schema: String)
    /// An operand, or the whole, has another type than it must have.
    case typeMismatch(String, expected: String, found: String)
    /// There is no such operator here; the names that are nearest to it.
    case unsupportedOperator(String, suggestions: [String])
    /// An operator has too few or too many operands.
    case operandCount(String, expected: String, found: Int)
    /// An expression on neighbours, or on captured elements, where there is only one element.
    case unavailable(String, reason: String)
    /// A constant of a type that no field can have.
    case unsupportedValue(String)
    /// The decoded value is no tree.
    case invalidDocument(String)
}

extension SchemaError: CustomStringConvertible {
    /// The problem, its place and a suggestion, in one line.
    public var description: String {
        // Names come from outside: none of them may end the line.
        String(words.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "\u{FFFD}" : $0 })
    }

    private var words: String {
        switch self {
        case .unknownField(let name, let schema, let suggestions):
            "'\(schema)' has no field '\(name)'\(Self.hint(suggestions))"
        case .unnamedProperty(let property, let schema):
            "'\(property)' is not a field of '\(schema)'; add it to the schema"
        case .duplicateField(let name, let schema):
            "'\(schema)' has two fields '\(name)'; rename one"
        case .typeMismatch(let expression, let expected, let found):
            "'\(expression)' is \(found) where \(expected) is needed"
        case .unsupportedOperator(let name, let suggestions):
            "there is no operator '\(name)' for expressions over a schema\(Self.hint(suggestions))"
        case .operandCount(let name, let expected, let found):
            "'\(name)' takes \(expected), not \(found)"
        case .unavailable(let expression, let reason):
            "'\(expression)' has no meaning here: \(reason)"
        case .unsupportedValue(let type):
            "a constant of type '\(type)' cannot be described; conform the type to SchemaValue"
        case .invalidDocument(let reason):
            reason
        }
    }

    private static func hint(_ suggestions: [String]) -> String {
        suggestions.isEmpty ? "" : "; did you mean \(suggestions.map { "'\($0)'" }.joined(separator: " or "))?"
    }
}
