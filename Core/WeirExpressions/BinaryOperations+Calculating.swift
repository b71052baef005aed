extension BinaryOperations {
    /// The operation `+`; overflow traps, as with numbers.
    @frozen
    public enum Sum<Operand: AdditiveArithmetic>: BinaryOperation {
        @inlinable public static var symbol: String { "+" }
        @inlinable public static var precedence: Int? { 4 }
        public static var treeOperator: ExpressionOperator? { .sum }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Operand { left + right }
    }

    /// The operation `-`; overflow traps, as with numbers.
    @frozen
    public enum Difference<Operand: AdditiveArithmetic>: BinaryOperation {
        @inlinable public static var symbol: String { "-" }
        @inlinable public static var precedence: Int? { 4 }
        public static var treeOperator: ExpressionOperator? { .difference }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Operand { left - right }
    }

    /// The operation `*`; overflow traps, as with numbers.
    @frozen
    public enum Product<Operand: Numeric>: BinaryOperation {
        @inlinable public static var symbol: String { "*" }
        @inlinable public static var precedence: Int? { 5 }
        public static var treeOperator: ExpressionOperator? { .product }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Operand { left * right }
    }

    /// The operation `/`; division by an integer zero traps, as with numbers.
    @frozen
    public enum Quotient<Operand: Divisible>: BinaryOperation {
        @inlinable public static var symbol: String { "/" }
        @inlinable public static var precedence: Int? { 5 }
        public static var treeOperator: ExpressionOperator? { .quotient }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Operand { left / right }
    }

    /// The operation `%`; division by an integer zero traps, as with numbers.
    @frozen
    public enum Remainder<Operand: BinaryInteger>: BinaryOperation {
        @inlinable public static var symbol: String { "%" }
        @inlinable public static var precedence: Int? { 5 }
        public static var treeOperator: ExpressionOperator? { .remainder }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Operand { left % right }
    }

    /// The operation `min`.
    @frozen
    public enum Minimum<Operand: Comparable>: BinaryOperation {
        @inlinable public static var symbol: String { "min" }
        @inlinable public static var precedence: Int? { nil }
        public static var treeOperator: ExpressionOperator? { .minimum }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Operand {
            Swift.min(left, right)
        }
    }

    /// The operation `max`.
    @frozen
    public enum Maximum<Operand: Comparable>: BinaryOperation {
        @inlinable public static var symbol: String { "max" }
        @inlinable public static var precedence: Int? { nil }
        public static var treeOperator: ExpressionOperator? { .maximum }

        @inlinable
        public static func apply(_ left: Operand, _ right: Operand) -> Operand {
            Swift.max(left, right)
        }
    }
}

/// Numbers with a division.
public protocol Divisible: Numeric {
    /// The quotient.
    static func / (left: Self, right: Self) -> Self
}

extension Int: Divisible {}
extension Int8: Divisible {}
extension Int16: Divisible {}
extension Int32: Divisible {}
extension Int64: Divisible {}
extension UInt: Divisible {}
extension UInt8: Divisible {}
extension UInt16: Divisible {}
extension UInt32: Divisible {}
extension UInt64: Divisible {}
extension Float: Divisible {}
extension Double: Divisible {}
