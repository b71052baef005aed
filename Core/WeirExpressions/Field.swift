/// A key path that can be handed from thread to thread, as those are that are written in the source code.
public typealias SendableKeyPath<Root, Value> = any KeyPath<Root, Value> & Sendable

/// A property of an element; made by the members of a ``Row``.
///
/// A stored property is found by its offset, which is looked up once; for a computed property the key path is followed
/// each time, which is slower by an order of magnitude.
///
///     let fahrenheit = Field(\Reading.fahrenheit, named: "fahrenheit")  // computed properties have no name of their own
///     readings.where { fahrenheit($0) > 86 }
///
/// Two fields are equal when their key paths are.
@frozen
public struct Field<Root, Value>: ElementExpression {
    /// The property.
    public let keyPath: SendableKeyPath<Root, Value>

    // -1 where there is nothing to load directly.
    @usableFromInline let offset: Int
    @usableFromInline let name: String?

    /// Makes an expression of a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - name: What to call it in descriptions; the name of the property if there is none.
    @inlinable
    public init(_ keyPath: SendableKeyPath<Root, Value>, named name: String? = nil) {
        self.keyPath = keyPath
        self.name = name
        offset = MemoryLayout<Root>.offset(of: keyPath) ?? -1
    }

    /// The field of a property of the value.
    @usableFromInline
    func field<Property>(_ keyPath: SendableKeyPath<Value, Property>) -> Field<Root, Property> {
        // Safety: a key path never changes, and refers to nothing but the arguments of subscripts; those of both parts can
        // be handed from thread to thread, and the whole has no others. The two types have the same layout, one reference,
        // as a marker protocol adds nothing to it.
        let outer: KeyPath<Root, Value> = self.keyPath
        let path = unsafe unsafeBitCast(outer.appending(path: keyPath), to: SendableKeyPath<Root, Property>.self)
        return Field<Root, Property>(path, named: name.map { "\($0).\(Field<Value, Property>(keyPath))" })
    }

    /// Whether the value is loaded directly, and not by following the key path.
    @inlinable
    public var isStored: Bool { offset >= 0 }

    @inlinable
    public func value(of element: borrowing Root) -> Value {
        // With a constant offset the compiler takes the value out of the register that it is in; with a variable one it
        // must write the whole element to memory first: W1 takes twice as long. The choice is the same for each element,
        // so it is predicted.
        switch offset {
        case 0: Self.load(0, from: element)
        case 8: Self.load(8, from: element)
        case 16: Self.load(16, from: element)
        case 24: Self.load(24, from: element)
        case 32: Self.load(32, from: element)
        case 40: Self.load(40, from: element)
        case 1...: Self.load(offset, from: element)
        default: followed(from: element)
        }
    }

    @inlinable
    static func load(_ offset: Int, from element: borrowing Root) -> Value {
        // Safety: the offset of a key path is known only if it leads to a value of type `Value` that is stored inside
        // a `Root`, without getters, observers or references on the way. So an initialised value lies there, aligned
        // for its type, as long as the element is borrowed; the load copies it like an assignment does.
        unsafe withUnsafePointer(to: element) { pointer in
            unsafe UnsafeRawPointer(pointer).load(fromByteOffset: offset, as: Value.self)
        }
    }

    // Apart, so that the fast way does not have to keep a copy of the element for it.
    @usableFromInline
    @inline(never)
    func followed(from element: borrowing Root) -> Value {
        (copy element)[keyPath: keyPath]
    }

    /// The name of the property, as in `celsius`.
    public var description: String {
        if let name { return name }
        // `\Module.Root.name`, or `\Root.name`, depending on how much the runtime knows.
        let path = "\(keyPath)"
        guard let dot = path.firstIndex(of: ".") else { return path }
        return String(path[path.index(after: dot)...])
    }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        .field(try schema.name(of: keyPath))
    }

    public static func == (left: Field, right: Field) -> Bool {
        left.keyPath == right.keyPath
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(keyPath)
    }
}
