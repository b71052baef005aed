internal import WeirRecords

/// Which fields of an output go to which columns of a format that has certain ones.
struct OutputColumns {
    // For each column the field, or -1.
    private let fields: [Int]

    /// Finds the columns' fields by their names.
    init(_ names: [String], of schema: OutputSchema) {
        fields = names.map { name in schema.fields.firstIndex { $0.name == name } ?? -1 }
    }

    /// The field of a column, or -1.
    subscript(column: Int) -> Int { fields[column] }

    /// Why fields cannot be written, because a format has only certain ones.
    ///
    /// - Parameters:
    ///   - schema: The fields.
    ///   - names: The fields that there are.
    ///   - format: The format, as the object of a sentence.
    /// - Returns: A line; `nil` where all can be written.
    static func refusal(of schema: OutputSchema, besides names: [String], in format: String) -> String? {
        guard let field = schema.fields.first(where: { !names.contains($0.name) }) else { return nil }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return "there is no place for the field '\(field.name)' in \(format), which has \(list); "
            + "--columns says what to write"
    }
}
