/// A value or a condition in a typed expression: what rows have, and what operators take and give.
///
///     readings.where { $0.celsius > 30 && $0.station == "north" }
///
/// The type is one for all expressions, so that the compiler checks long ones quickly and reports a mistake where it is.
/// The term of a property has the properties of its value: `row.position.x`; those named `expression` and `description` are
/// hidden by the term's own.
@frozen
@dynamicMemberLookup
public struct Term<Expression: TypedExpression>: Sendable {
    /// The expression.
    public let expression: Expression

    /// Makes a term of an expression, so that operators take it.
    ///
    /// - Parameter expression: The expression.
    @inlinable
    public init(_ expression: Expression) {
        self.expression = expression
    }
}

/// A ``Term``, as the closures of `where` and `select` return it.
///
/// Such a closure returns a type of its own, and not `Term` of one: so a mistake in the closure is the only error that the
/// compiler reports, without a second one for the type that it could not infer.
public protocol TermProtocol<Root, Value> {
    /// What the expression reads.
    associatedtype Root

    /// The type of its result.
    associatedtype Value

    /// The type of the expression.
    associatedtype Expression: TypedExpression where Expression.Root == Root, Expression.Value == Value

    /// The expression.
    var expression: Expression { get }
}

extension Term: TermProtocol {
    public typealias Root = Expression.Root
    public typealias Value = Expression.Value
}

extension Term {
    /// The field of a property of the value, as in `row.position.x`.
    ///
    ///     struct Place: Sendable { var x: Double; var y: Double }
    ///     struct Sighting: Event { var timestamp: Timestamp; var place: Place }
    ///     let sightings = EventChannel<Sighting>()
    ///     sightings.where { $0.place.x > 3 }.subscribe { print($0) }
    ///
    /// - Parameter keyPath: The property of the value.
    /// - Complexity: O(1); the offset of the property in the element is looked up once.
    @inlinable
    public subscript<Element, Inner, Property>(
        dynamicMember keyPath: SendableKeyPath<Inner, Property>
    ) -> Term<Field<Element, Property>> where Expression == Field<Element, Inner> {
        Term<Field<Element, Property>>(expression.field(keyPath))
    }

    /// The field of a property of the value of the element before, as in `previous.position.x`.
    ///
    /// - Parameter keyPath: The property of the value.
    /// - Complexity: O(1); the offset of the property in the element is looked up once.
    @inlinable
    public subscript<Element, Inner, Property>(
        dynamicMember keyPath: SendableKeyPath<Inner, Property>
    ) -> Term<Previous<Field<Element, Property>>> where Expression == Previous<Field<Element, Inner>> {
        Term<Previous<Field<Element, Property>>>(Previous(expression.operand.field(keyPath)))
    }
}

extension Term: CustomStringConvertible {
    /// The expression as in the source code.
    public var description: String { expression.description }
}

extension ElementExpression {
    /// The expression as a part of another one.
    ///
    ///     let hot = try schema.condition(tree)
    ///     readings.where { hot($0) && $0.station == "north" }
    ///
    /// - Parameter row: Stands for the element that the expression reads.
    /// - Returns: The term.
    @inlinable
    public func callAsFunction(_ row: Row<Root>) -> Term<Self> {
        Term(self)
    }
}

extension TypedExpression {
    /// The expression on two neighbours as a part of another one.
    ///
    ///     let jump = try schema.pairCondition(tree)
    ///     readings.followedByWhere { jump($0, $1) }
    ///
    /// - Parameters:
    ///   - previous: Stands for the earlier element.
    ///   - current: Stands for the later element.
    /// - Returns: The term.
    @inlinable
    public func callAsFunction(_ previous: PreviousRow<Root>, _ current: Row<Root>) -> Term<Self> {
        Term(self)
    }
}
