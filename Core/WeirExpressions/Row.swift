/// Stands for an element where an expression is written: its properties are the fields of the element.
///
/// A closure that takes a row is called once, when the pipeline is built; what it returns is the expression.
///
///     readings.where { $0.celsius > 30 && $0.station == "north" }
///     readings.select { $0.celsius * 1.8 + 32 }
///
/// The row of elements that can be compared and hashed, such as numbers, stands for the whole element where it is compared
/// or calculated with: `numbers.where { $0 > 3 }`.
@frozen
@dynamicMemberLookup
public struct Row<Root>: Sendable {
    /// Makes the row that stands for any element.
    @inlinable
    public init() {}

    /// The field of a property, as in `row.celsius`.
    ///
    /// - Parameter keyPath: The property.
    /// - Complexity: O(1); the offset of the property is looked up once.
    @inlinable
    public subscript<Value>(dynamicMember keyPath: SendableKeyPath<Root, Value>) -> Term<Field<Root, Value>> {
        Term(Field(keyPath))
    }
}

extension Row: Equatable, Hashable, CustomStringConvertible, TypedExpression, ElementExpression
where Root: Comparable & Hashable {
    public typealias Value = Root

    @inlinable
    public func value(of element: borrowing Root) -> Root {
        copy element
    }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        .field(try schema.name(of: \.self))
    }

    /// The name of the whole element.
    public var description: String { "self" }
}
