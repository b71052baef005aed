/// The operations of ``Binary``.
public enum BinaryOperations {
    /// The operation `==`.
    @frozen
    public enum Equal<Operand: Equatable>: BinaryOperation {
        @inlinable public static var symbol: String { "==" }
        @inlinable public static var precedence: Int? { 3 }
        public static var treeOperator: ExpressionOperator? { .equal }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Bool { left == right }
    }

    /// The operation `!=`.
    @frozen
    public enum Unequal<Operand: Equatable>: BinaryOperation {
        @inlinable public static var symbol: String { "!=" }
        @inlinable public static var precedence: Int? { 3 }
        public static var treeOperator: ExpressionOperator? { .unequal }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Bool { left != right }
    }

    /// The operation `<`.
    @frozen
    public enum Less<Operand: Comparable>: BinaryOperation {
        @inlinable public static var symbol: String { "<" }
        @inlinable public static var precedence: Int? { 3 }
        public static var treeOperator: ExpressionOperator? { .less }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Bool { left < right }
    }

    /// The operation `<=`.
    @frozen
    public enum AtMost<Operand: Comparable>: BinaryOperation {
        @inlinable public static var symbol: String { "<=" }
        @inlinable public static var precedence: Int? { 3 }
        public static var treeOperator: ExpressionOperator? { .atMost }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Bool { left <= right }
    }

    /// The operation `>`.
    @frozen
    public enum Greater<Operand: Comparable>: BinaryOperation {
        @inlinable public static var symbol: String { ">" }
        @inlinable public static var precedence: Int? { 3 }
        public static var treeOperator: ExpressionOperator? { .greater }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Bool { left > right }
    }

    /// The operation `>=`.
    @frozen
    public enum AtLeast<Operand: Comparable>: BinaryOperation {
        @inlinable public static var symbol: String { ">=" }
        @inlinable public static var precedence: Int? { 3 }
        public static var treeOperator: ExpressionOperator? { .atLeast }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Bool { left >= right }
    }
}
