public import WeirExpressions

/// An element without a Swift type of its own: a value for each field of a schema that is known only at run time.
///
/// Made by `EventSchema/record(_:)`, which checks the values; conditions and projections are those of the schema that
/// made it.
///
///     let schema = try EventSchema(records: "Quote", [.field("price", .real), .optionalField("venue", .text)])
///     let quote = try schema.record(["price": 3.5])
///     try schema.condition(tree).value(of: quote)
public struct DynamicRecord: Sendable, Hashable {
    fileprivate let values: ContiguousArray<FieldValue>

    /// The value of a field.
    ///
    /// - Parameter index: The field's index in the schema.
    /// - Returns: The value.
    public subscript(index: Int) -> FieldValue { values[index] }
}

/// A field of dynamic records.
public struct DynamicField: Sendable, Hashable, Codable {
    /// What expressions call it.
    public var name: String

    /// The type of the field.
    public var type: FieldType

    /// Whether the value may be missing.
    public var isOptional: Bool

    /// Describes a field.
    ///
    /// - Parameters:
    ///   - name: What expressions call it.
    ///   - type: The type of the field.
    ///   - isOptional: Whether the value may be missing.
    public init(name: String, type: FieldType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }

    /// A field that always has a value.
    ///
    /// - Parameters:
    ///   - name: What expressions call it.
    ///   - type: The type of the field.
    /// - Returns: The field.
    public static func field(_ name: String, _ type: FieldType) -> DynamicField {
        DynamicField(name: name, type: type)
    }

    /// A field whose value may be missing.
    ///
    /// - Parameters:
    ///   - name: What expressions call it.
    ///   - type: The type of the field.
    /// - Returns: The field.
    public static func optionalField(_ name: String, _ type: FieldType) -> DynamicField {
        DynamicField(name: name, type: type, isOptional: true)
    }

    fileprivate func storage(at index: Int) -> FieldStorage {
        switch type {
        case .bool: .bool(Self.access(index))
        case .integer: .integer(Self.access(index))
        case .unsigned: .unsigned(Self.access(index))
        case .real: .real(Self.access(index))
        case .single: .single(Self.access(index))
        case .text: .text(Self.access(index))
        }
    }

    private static func access<Scalar: SchemaScalar>(_ index: Int) -> FieldAccess<Scalar> {
        // Safety: the frame that this is called with was made for a record, and borrows it.
        unsafe FieldAccess { pointer in
            let value = unsafe pointer.assumingMemoryBound(to: DynamicRecord.self).pointee.values[index]
            return Scalar(value) ?? .placeholder
        }
    }

    fileprivate static func presence(_ index: Int) -> FieldAccess<Bool> {
        // Safety: as above.
        unsafe FieldAccess { pointer in
            let value = unsafe pointer.assumingMemoryBound(to: DynamicRecord.self).pointee.values[index]
            if case .missing = value { return false }
            return true
        }
    }
}

extension EventSchema where Root == DynamicRecord {
    /// Creates the schema of records.
    ///
    /// - Parameters:
    ///   - name: The name of the records in messages.
    ///   - fields: The fields, each with a name of its own.
    /// - Throws: `SchemaError.duplicateField`.
    public init(records name: String, _ fields: [DynamicField]) throws(SchemaError) {
        let fields = fields.enumerated().map { index, field in
            SchemaField<DynamicRecord>(
                field.name,
                nil,
                field.storage(at: index),
                presence: field.isOptional ? DynamicField.presence(index) : nil
            )
        }
        try self.init(name, fields: fields)
    }

    /// Makes a record.
    ///
    /// - Parameter values: The values by the names of the fields; optional ones may be omitted.
    /// - Returns: The record.
    /// - Throws: `SchemaError` where a name is unknown, or a value is missing or of another type than its field.
    public func record(_ values: [String: FieldValue]) throws(SchemaError) -> DynamicRecord {
        var row = ContiguousArray(repeating: FieldValue.missing, count: fields.count)
        for (name, value) in values { row[try index(of: name)] = value }
        return try record(Array(row))
    }

    /// Makes a record.
    ///
    /// - Parameter values: The values in the order of the fields.
    /// - Returns: The record.
    /// - Throws: `SchemaError` where a value is missing or of another type than its field.
    public func record(_ values: [FieldValue]) throws(SchemaError) -> DynamicRecord {
        guard values.count == fields.count else {
            throw .operandCount(name, expected: "\(fields.count) values", found: values.count)
        }
        var row: ContiguousArray<FieldValue> = []
        row.reserveCapacity(fields.count)
        for (field, value) in zip(fields, values) {
            guard let value = field.converted(value) else {
                throw .typeMismatch("\(field.name)", expected: "a value of type \(field.type)", found: "\(value)")
            }
            row.append(value)
        }
        return DynamicRecord(values: row)
    }
}

extension SchemaField {
    /// A value in the form in which the field keeps it; `nil` where it is not one of the field's.
    fileprivate func converted(_ value: FieldValue) -> FieldValue? {
        if case .missing = value { return isOptional ? .missing : nil }
        return switch type {
        case .bool: Bool(value)?.fieldValue
        case .integer: Int64(value)?.fieldValue
        case .unsigned: UInt64(value)?.fieldValue
        case .real: Double(value)?.fieldValue
        case .single: Float(value)?.fieldValue
        case .text: String(value)?.fieldValue
        }
    }
}
