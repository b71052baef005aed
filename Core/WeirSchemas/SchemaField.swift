public import WeirExpressions

/// A named field of the elements of an ``EventSchema``.
public struct SchemaField<Root>: Sendable {
    /// What expressions call it.
    public let name: String

    /// The type of the field.
    public var type: FieldType { storage.type }

    /// Whether the value may be missing.
    public var isOptional: Bool { presence != nil }

    /// Whether the value is loaded directly, and not computed or converted.
    public var isStored: Bool {
        switch storage {
        case .bool(let access): access.isStored
        case .integer(let access): access.isStored
        case .unsigned(let access): access.isStored
        case .real(let access): access.isStored
        case .single(let access): access.isStored
        case .text(let access): access.isStored
        }
    }

    // Nil for the fields of dynamic records.
    let path: PropertyPath?
    let storage: FieldStorage
    // Nil for a field that always has a value.
    let presence: FieldAccess<Bool>?

    @usableFromInline
    init(
        _ name: String,
        _ path: PropertyPath?,
        _ storage: FieldStorage,
        presence: FieldAccess<Bool>? = nil
    ) {
        self.name = name
        self.path = path
        self.storage = storage
        self.presence = presence
    }

    /// Names a property.
    ///
    ///     let celsius = SchemaField<Reading>.field("celsius", \.celsius)
    ///
    /// - Parameters:
    ///   - name: What expressions call it.
    ///   - keyPath: The property; a stored one is read at its offset, a computed one through its key path, which is slower.
    /// - Returns: The field.
    @inlinable
    public static func field<Value: SchemaValue>(_ name: String, _ keyPath: SendableKeyPath<Root, Value>) -> SchemaField
    {
        if Value.isScalar, let offset = MemoryLayout<Root>.offset(of: keyPath) {
            return SchemaField(name, PropertyPath(keyPath), Value.Scalar.storage(FieldAccess(offset: offset)))
        }
        let field = Field(keyPath)
        // Safety: the frame that this is called with was made for elements of type `Root`, and borrows one.
        let access = unsafe FieldAccess { pointer in
            unsafe field.value(of: pointer.assumingMemoryBound(to: Root.self).pointee).scalar
        }
        return SchemaField(name, PropertyPath(keyPath), Value.Scalar.storage(access))
    }

    /// Names a property that may have no value.
    ///
    /// - Parameters:
    ///   - name: What expressions call it.
    ///   - keyPath: The property.
    /// - Returns: The field.
    @inlinable
    public static func field<Value: SchemaValue>(_ name: String, _ keyPath: SendableKeyPath<Root, Value?>)
        -> SchemaField
    {
        let field = Field(keyPath)
        // Safety: as above.
        let access = unsafe FieldAccess { pointer in
            unsafe field.value(of: pointer.assumingMemoryBound(to: Root.self).pointee)?.scalar
                ?? Value.Scalar.placeholder
        }
        let presence = unsafe FieldAccess { pointer in
            unsafe field.value(of: pointer.assumingMemoryBound(to: Root.self).pointee) != nil
        }
        return SchemaField(name, PropertyPath(keyPath), Value.Scalar.storage(access), presence: presence)
    }
}

extension FieldAccess {
    var isStored: Bool {
        if case .stored = way { true } else { false }
    }
}
