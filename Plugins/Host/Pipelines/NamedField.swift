internal import WeirCore
internal import WeirRecords

/// A field of the input that an option names.
struct NamedField: Sendable {
    /// The field's index in the schema.
    let index: Int

    /// The name in the input.
    let name: String

    /// How another field is named instead, such as `--columns x=NAME`.
    let naming: String

    /// Whether the user named it; otherwise it is a default.
    let isGiven: Bool

    /// The fields of a schema that the options of plugins name.
    static func all(of instances: [RunRequest.Instance], in schema: RecordSchema) -> [NamedField] {
        var fields: [NamedField] = []
        func add(_ name: String, _ naming: String, isGiven: Bool) {
            guard let index = schema.fields.firstIndex(where: { $0.name == name }),
                !fields.contains(where: { $0.index == index && $0.isGiven })
            else { return }
            fields.removeAll { $0.index == index }
            fields.append(NamedField(index: index, name: name, naming: naming, isGiven: isGiven))
        }
        for instance in instances {
            if let time = (instance.plugin as? LabelledPlugin)?.timeFieldOfQueries {
                add(time, "--\(OptionDeclaration.time.name) NAME", isGiven: false)
            }
            for option in instance.plugin.options {
                let given = instance.values.given[option.name]
                switch option.kind {
                case .mapping(let keys):
                    let pairs = (given ?? "").split(separator: ",").map { $0.prefix { $0 != "=" } }
                    let names = instance.values.mapping(option.name)
                    for key in keys {
                        guard let name = names[key] else { continue }
                        let isGiven = pairs.contains { $0 == key }
                        add(name, "--\(option.name) \(key)=NAME", isGiven: isGiven)
                    }
                // A field that an option names alone, such as the one that tells groups apart.
                case .text: if let given { add(given, "--\(option.name) NAME", isGiven: true) }
                default: break
                }
            }
        }
        return fields
    }
}

extension RecordSchema {
    /// The same schema, in which fields that the user named are required: a header that lacks one is refused.
    func requiring(_ fields: [NamedField]) -> RecordSchema {
        var schema = self
        for field in fields where field.isGiven { schema.fields[field.index].isRequired = true }
        return schema
    }
}

/// Which of some fields no record has had yet.
struct FieldPresence: Sendable {
    /// The indexes of the fields.
    private(set) var unseen: [Int]

    init(of fields: [NamedField]) {
        unseen = fields.map(\.index)
    }

    /// Looks at the records of a batch.
    ///
    /// - Complexity: O(1) once all fields were seen, otherwise O(*n*) for each that was not.
    mutating func look(at batch: borrowing RecordBatch) {
        guard !unseen.isEmpty else { return }
        var rest: [Int] = []
        for field in unseen where !batch.hasValue(inField: field) { rest.append(field) }
        unseen = rest
    }
}
