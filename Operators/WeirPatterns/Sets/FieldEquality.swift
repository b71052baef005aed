internal import WeirExpressions

/// An expression that says that a field has a certain value.
protocol FieldEquality<Root>: Sendable {
    associatedtype Root

    /// Equal for the same field.
    var field: AnyIdentity { get }

    /// The hash of the constant.
    var hashOfConstant: Int { get }

    /// Computes the hash of the field.
    var hashOfField: @Sendable (borrowing Root) -> Int { get }
}

/// A field of an expression.
protocol FieldExpression: ElementExpression {
    var field: Field<Root, Value> { get }
}

extension Field: FieldExpression {
    var field: Field<Root, Value> { self }
}

/// A constant of an expression.
protocol LiteralExpression: ElementExpression where Value: Hashable & Sendable {
    var constant: Value { get }
    var constantHash: Int { get }
}

extension Literal: LiteralExpression {
    var constant: Value { value }
    var constantHash: Int { value.hashValue }
}

/// An operation that compares for equality.
protocol EqualityOperation {}

extension BinaryOperations.Equal: EqualityOperation {}

extension Binary: FieldEquality
where Operation: EqualityOperation, Left: FieldExpression, Right: LiteralExpression, Left.Value: Hashable {
    var field: AnyIdentity { AnyIdentity(left) }

    var hashOfConstant: Int { right.constantHash }

    var hashOfField: @Sendable (borrowing Left.Root) -> Int {
        let field = left
        return { element in field.value(of: element).hashValue }
    }
}

/// An expression that only holds where both its sides do.
protocol Conjunction {
    associatedtype First
    associatedtype Second

    var first: First { get }
    var second: Second { get }
}

extension And: Conjunction {
    var first: Left { left }
    var second: Right { right }
}
