/// What knows the names of properties, so that expressions can be described: the schemas of `WeirSchemas`.
public protocol PropertyNames<Root>: Sendable {
    /// The elements.
    associatedtype Root

    /// The name of a property.
    ///
    /// - Parameter keyPath: The property.
    /// - Returns: Its name.
    /// - Throws: ``SchemaError/unnamedProperty(_:schema:)``.
    func name(of keyPath: PartialKeyPath<Root>) throws(SchemaError) -> String
}
