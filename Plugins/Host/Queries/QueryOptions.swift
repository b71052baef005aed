internal import WeirCore
internal import WeirRecords

/// The options that say what to look for where that is a text in a query language.
extension OptionDeclaration {
    static let rules = OptionDeclaration(
        "rules",
        .list(placeholder: "PATH"),
        help: "take rules from this file or folder, and no QUERY"
    )
    static let language = OptionDeclaration(
        "language",
        .text(placeholder: "LANGUAGE"),
        help: "of the rules (default: by the ending of a file, or eql)"
    )
    static let time = OptionDeclaration(
        "time",
        .text(placeholder: "FIELD"),
        help: "the event time (default: time, @timestamp or timestamp)"
    )
    static let category = OptionDeclaration(
        "category",
        .list(placeholder: "FIELD"),
        default: QuerySchema().categoryFields.joined(separator: "\n"),
        help: "the category; of several the first that a record has"
    )
    static let types = OptionDeclaration(
        "types",
        .text(placeholder: "FIELD=TYPE,..."),
        help: "boolean, integer, real, text or version"
    )

    /// The member of a configuration that is a query.
    static let match = OptionDeclaration("match", .text(placeholder: "QUERY"), help: "what to look for")
}

enum QueryOptions {
    static let all: [OptionDeclaration] = [.rules, .language, .time, .category, .types]

    /// The language where nothing says which.
    static let usualLanguage = "eql"

    /// The names of the field with the time where nothing says which it is; of those that an input has the first.
    static let usualTimes = ["time", "@timestamp", "timestamp"]

    /// What is known of the records.
    ///
    /// - Parameters:
    ///   - options: The options, as they were given.
    ///   - sample: What the inputs show of their fields.
    /// - Returns: The schema.
    /// - Throws: ``HostError`` for types that there are not.
    static func schema(_ options: [String: String], _ sample: FieldSample) throws(HostError) -> QuerySchema {
        var fields: [String: QuerySchema.FieldType?] = [:]
        for name in sample.names { fields[name] = .some(nil) }
        let types = try types(options)
        for (name, type) in types { fields[name] = type }
        let time = options[.time] ?? usualTimes.first { sample.names.contains($0) } ?? usualTimes[0]
        if sample.isComplete { fields[time] = fields[time] ?? .some(nil) }
        let given = options.values(.category)
        let usual = QuerySchema().categoryFields
        var schema = QuerySchema(
            fields: fields,
            isOpen: !sample.isComplete,
            categoryFields: given.isEmpty
                ? usual.filter { !sample.isComplete || sample.names.contains($0) } : given,
            timeField: time
        )
        // Of a record that is no object, a match shows all fields.
        schema.shownFields = sample.ordered
        if sample.isOpen {
            schema.shownFields += types.keys.sorted().filter { !sample.ordered.contains($0) }
        }
        return schema
    }

    /// The types that `--types` names.
    private static func types(_ options: [String: String]) throws(HostError) -> [String: QuerySchema.FieldType] {
        var types: [String: QuerySchema.FieldType] = [:]
        let names = QuerySchema.FieldType.allCases.map(\.rawValue)
        for pair in options[.types]?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard let equals = pair.lastIndex(of: "="), equals > pair.startIndex else {
                throw .usage("--types: '\(pair)' is not of the form FIELD=TYPE")
            }
            let word = String(pair[pair.index(after: equals)...])
            guard let type = QuerySchema.FieldType(rawValue: word) else {
                throw .usage(
                    "--types: '\(word)' is not one of \(names.joined(separator: ", "))"
                        + Suggestion.text(for: word, among: names)
                )
            }
            let name = String(pair[..<equals])
            guard types.updateValue(type, forKey: name) == nil else {
                throw .usage("--types: '\(name)' is named twice")
            }
        }
        return types
    }
}
