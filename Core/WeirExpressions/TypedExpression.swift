/// A computation on the properties of elements that the compiler checks, and that the program can read.
///
/// Expressions are built from the properties of a ``Row``, literals and Swift's own operators. An expression is a nest of
/// structs with a concrete type, so it runs like the loop that you would write by hand; unlike a closure it can be
/// printed, compared and hashed.
///
///     readings.where { $0.celsius > 30 && $0.station == "north" }
///     readings.select { $0.celsius * 1.8 + 32 }
///     readings.followedByWhere { previous, current in abs(current.celsius - previous.celsius) > 5 }
///
/// An expression of this protocol may read an element and the one before it, see ``PreviousRow``; most need only the
/// element, see ``ElementExpression``.
public protocol TypedExpression<Root, Value>: Sendable, Hashable, CustomStringConvertible {
    /// The elements that the expression reads.
    associatedtype Root

    /// The type of the result.
    associatedtype Value

    /// How tightly the outermost operator binds: where a description needs parentheses.
    static var precedence: Int { get }

    /// Computes the value for a pair of neighbours.
    ///
    /// - Parameters:
    ///   - current: The later element.
    ///   - previous: The element before it.
    /// - Returns: The value.
    func value(of current: borrowing Root, after previous: borrowing Root) -> Value

    /// Describes the expression as a value.
    ///
    /// - Parameter schema: The names of the properties, such as an `EventSchema`.
    /// - Returns: The tree.
    /// - Throws: ``SchemaError``; always for an expression of your own that does not implement this.
    func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree
}

/// An expression that needs only one element.
public protocol ElementExpression<Root, Value>: TypedExpression {
    /// Computes the value for an element.
    ///
    /// - Parameter element: The element.
    /// - Returns: The value.
    func value(of element: borrowing Root) -> Value
}

extension TypedExpression {
    /// Atoms bind tightest.
    @inlinable
    public static var precedence: Int { .max }

    public func tree(in schema: some PropertyNames<Root>) throws(SchemaError) -> ExpressionTree {
        throw .unsupportedOperator("\(self)", suggestions: [])
    }

    /// The description, in parentheses where an operator binds more tightly than this expression.
    func description(within precedence: Int) -> String {
        Self.precedence < precedence ? "(\(self))" : "\(self)"
    }
}

extension ElementExpression {
    /// Computes the value for the later one of two neighbours.
    @inlinable
    public func value(of current: borrowing Root, after previous: borrowing Root) -> Value {
        value(of: current)
    }
}

extension ElementExpression {
    /// The expression as a function, for what takes one.
    ///
    /// - Complexity: The call of a closure, in which the expression is inlined.
    @inlinable
    public var function: @Sendable (Root) -> Value {
        { element in value(of: element) }
    }
}
