/// The operations of ``Unary``.
public enum UnaryOperations {
    /// The operation `!`.
    @frozen
    public enum Not: UnaryOperation {
        @inlinable
        public static func apply(_ operand: Bool) -> Bool { !operand }

        public static func description(of operand: String, bare: String) -> String { "!\(operand)" }

        public static var treeOperator: ExpressionOperator? { .not }
    }

    /// The operation `-`; overflow traps, as with numbers.
    @frozen
    public enum Negation<Operand: SignedNumeric>: UnaryOperation {
        @inlinable
        public static func apply(_ operand: Operand) -> Operand { -operand }

        public static func description(of operand: String, bare: String) -> String { "-\(operand)" }

        public static var treeOperator: ExpressionOperator? { .negation }
    }

    /// The operation `abs`; overflow traps, as with numbers.
    @frozen
    public enum AbsoluteValue<Operand: SignedNumeric & Comparable>: UnaryOperation {
        @inlinable
        public static func apply(_ operand: Operand) -> Operand { Swift.abs(operand) }

        public static func description(of operand: String, bare: String) -> String { "abs(\(bare))" }

        public static var treeOperator: ExpressionOperator? { .absoluteValue }
    }

    /// The operation `isPresent`.
    @frozen
    public enum Presence<Wrapped>: UnaryOperation {
        @inlinable
        public static func apply(_ operand: Wrapped?) -> Bool { operand != nil }

        public static func description(of operand: String, bare: String) -> String { "isPresent(\(bare))" }

        public static var treeOperator: ExpressionOperator? { .isPresent }
    }
}

extension UnaryOperations {
    /// The operation `real`.
    @frozen
    public enum Real<Operand: BinaryInteger>: UnaryOperation {
        @inlinable
        public static func apply(_ operand: Operand) -> Double { Double(operand) }

        public static func description(of operand: String, bare: String) -> String { "real(\(bare))" }

        public static var treeOperator: ExpressionOperator? { .real }
    }
}

/// The integer of an expression as a `Double`, to compare it with one or to calculate with both.
@inlinable
public func real<Operand: TypedExpression>(
    _ operand: Operand
) -> Unary<UnaryOperations.Real<Operand.Value>, Operand> where Operand.Value: BinaryInteger {
    Unary(operand)
}

/// The integer of a property as a `Double`, to compare it with one or to calculate with both.
@inlinable
public func real<Root, Value: BinaryInteger>(
    _ operand: SendableKeyPath<Root, Value>
) -> Unary<UnaryOperations.Real<Value>, Field<Root, Value>> {
    Unary(Field(operand))
}

/// The value of an expression with the opposite sign.
@inlinable
public prefix func - <Operand: TypedExpression>(
    operand: Operand
) -> Unary<UnaryOperations.Negation<Operand.Value>, Operand> where Operand.Value: SignedNumeric {
    Unary(operand)
}

/// The value of a property with the opposite sign.
@inlinable
public prefix func - <Root, Value: SignedNumeric>(
    operand: SendableKeyPath<Root, Value>
) -> Unary<UnaryOperations.Negation<Value>, Field<Root, Value>> {
    Unary(Field(operand))
}

/// The value of an expression without its sign.
@inlinable
public func abs<Operand: TypedExpression>(
    _ operand: Operand
) -> Unary<UnaryOperations.AbsoluteValue<Operand.Value>, Operand> where Operand.Value: SignedNumeric & Comparable {
    Unary(operand)
}

/// The value of a property without its sign.
@inlinable
public func abs<Root, Value: SignedNumeric & Comparable>(
    _ operand: SendableKeyPath<Root, Value>
) -> Unary<UnaryOperations.AbsoluteValue<Value>, Field<Root, Value>> {
    Unary(Field(operand))
}

/// Whether an expression has a value.
@inlinable
public func isPresent<Operand: TypedExpression, Wrapped>(
    _ operand: Operand
) -> Unary<UnaryOperations.Presence<Wrapped>, Operand> where Operand.Value == Wrapped? {
    Unary(operand)
}

/// Whether a property has a value.
@inlinable
public func isPresent<Root, Wrapped>(
    _ operand: SendableKeyPath<Root, Wrapped?>
) -> Unary<UnaryOperations.Presence<Wrapped>, Field<Root, Wrapped?>> {
    Unary(Field(operand))
}

/// Whether a condition does not hold.
@inlinable
public prefix func ! <Operand: TypedExpression>(operand: Operand) -> Unary<UnaryOperations.Not, Operand>
where Operand.Value == Bool {
    Unary(operand)
}

/// Whether a property is false.
@inlinable
public prefix func ! <Root>(operand: SendableKeyPath<Root, Bool>) -> Unary<UnaryOperations.Not, Field<Root, Bool>> {
    Unary(Field(operand))
}
