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
