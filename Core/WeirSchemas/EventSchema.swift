internal import WeirCore
public import WeirExpressions

/// The named fields of a type of elements: what turns expressions into values that can be kept, and back.
///
///     import Foundation
///
///     let schema = EventSchema<Reading>("Reading", .field("celsius", \.celsius), .field("station", \.station))
///
///     let tree = try schema.tree(of: { $0.celsius > 30 && $0.station == "north" })
///     let data = try JSONEncoder().encode(tree)
///
///     let hot = try schema.condition(JSONDecoder().decode(ExpressionTree.self, from: data))
///     readings.where { hot($0) }
///
/// What is built computes what the typed expression computes, field by field in the type's own arithmetic; only integers of
/// fewer than 64 bits are calculated with in 64, so they do not overflow as early. An optional field without a value
/// equals `nil` and nothing else; other comparisons with it do not hold, and a calculation with it has no value.
///
/// Thread safety: a value; conditions and projections may be used on any thread.
public struct EventSchema<Root>: Sendable, PropertyNames {
    /// The name of the elements in messages.
    public let name: String

    /// The fields, in the order in which they were given.
    public let fields: [SchemaField<Root>]

    private let indexes: [String: Int]

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - name: The name of the elements in messages.
    ///   - fields: The fields, each with a name of its own.
    public init(_ name: String, _ fields: SchemaField<Root>...) {
        do {
            try self.init(name, fields: fields)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Creates a schema of fields that are known only at run time.
    ///
    /// - Parameters:
    ///   - name: The name of the elements in messages.
    ///   - fields: The fields.
    /// - Throws: `SchemaError.duplicateField`.
    public init(_ name: String, fields: [SchemaField<Root>]) throws(SchemaError) {
        var indexes: [String: Int] = [:]
        for (index, field) in fields.enumerated() {
            guard indexes.updateValue(index, forKey: field.name) == nil else {
                throw .duplicateField(field.name, schema: name)
            }
        }
        self.name = name
        self.fields = fields
        self.indexes = indexes
    }

    /// The schema of elements that hold those of another schema.
    ///
    ///     struct Quote: Event { let timestamp: Timestamp; let record: DynamicRecord }
    ///     let quotes = EventSchema<Quote>(records, in: \.record)
    ///
    /// - Parameters:
    ///   - inner: The schema of the nested type.
    ///   - keyPath: Where it is held: a stored property.
    public init<Inner>(_ inner: EventSchema<Inner>, in keyPath: SendableKeyPath<Root, Inner>) {
        guard let offset = MemoryLayout<Root>.offset(of: keyPath) else {
            preconditionFailure("a schema can be moved into a stored property, not into a computed one")
        }
        name = inner.name
        indexes = inner.indexes
        fields = inner.fields.map { field in
            SchemaField(
                field.name,
                field.path?.appended(to: keyPath),
                field.storage.moved(by: offset),
                presence: field.presence?.moved(by: offset)
            )
        }
    }

    /// The index of a field of ``fields``.
    ///
    /// - Parameter name: The field's name.
    /// - Returns: Its index.
    /// - Throws: `SchemaError.unknownField`.
    public func index(of name: String) throws(SchemaError) -> Int {
        guard let index = indexes[name] else {
            let suggestions = Suggestion.nearestNames(to: name, among: fields.map(\.name))
            throw .unknownField(name, schema: self.name, suggestions: suggestions)
        }
        return index
    }

    /// A field.
    ///
    /// - Parameter name: The field's name.
    /// - Returns: The field.
    /// - Throws: `SchemaError.unknownField`.
    public func field(_ name: String) throws(SchemaError) -> SchemaField<Root> {
        fields[try index(of: name)]
    }

    /// The name of a property.
    ///
    /// - Parameter keyPath: The property.
    /// - Returns: The name of its first field.
    /// - Throws: `SchemaError.unnamedProperty`.
    public func name(of keyPath: PartialKeyPath<Root>) throws(SchemaError) -> String {
        guard let field = fields.first(where: { $0.path?.keyPath == keyPath }) else {
            throw .unnamedProperty("\(keyPath)", schema: name)
        }
        return field.name
    }

    /// The type of an expression; `nil` for what takes on any, such as a constant.
    func type(of tree: ExpressionTree) throws(SchemaError) -> FieldType? {
        switch tree {
        case .field(let name): return try field(name).type
        case .literal: return nil
        case .previous(let tree): return try type(of: tree)
        case .captured(let captured): return try type(of: captured.value)
        case .summary(let summary): return summary.function == .count ? .integer : .real
        case .operation(let symbol, let operands):
            switch symbol {
            case .sum, .difference, .product, .quotient, .remainder, .minimum, .maximum, .negation, .absoluteValue:
                for operand in operands {
                    if let type = try type(of: operand) { return type }
                }
                return nil
            case .real: return .real
            default: return .bool
            }
        }
    }
}
