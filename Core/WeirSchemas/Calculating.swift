internal import WeirExpressions

/// The calculations with operands of one type.
enum Calculating {
    /// Integer arithmetic that reports overflow and division by zero.
    @inline(__always)
    static func integers<Value: FixedWidthInteger & Sendable>(
        _ symbol: ExpressionOperator,
        _ left: Operand<Value>,
        _ right: Operand<Value>
    ) -> Operand<Value>? {
        switch symbol {
        case .sum: checked(left, right) { $0.addingReportingOverflow($1) }
        case .difference: checked(left, right) { $0.subtractingReportingOverflow($1) }
        case .product: checked(left, right) { $0.multipliedReportingOverflow(by: $1) }
        case .quotient: checked(left, right) { $0.dividedReportingOverflow(by: $1) }
        case .remainder:
            checked(left, right) { left, right in
                // The remainder of the least number and -1 is 0; only its quotient overflows.
                right == 0 ? (0, true) : (left.remainderReportingOverflow(dividingBy: right).partialValue, false)
            }
        default: extremes(symbol, left, right)
        }
    }

    @inline(__always)
    private static func checked<Value: FixedWidthInteger & Sendable>(
        _ left: Operand<Value>,
        _ right: Operand<Value>,
        _ function: @escaping @Sendable (Value, Value) -> (partialValue: Value, overflow: Bool)
    ) -> Operand<Value> {
        if case .constant(let left) = left, case .constant(let right) = right {
            let (value, overflow) = function(left, right)
            if !overflow { return .constant(value) }
        }
        return combine(left, right) { frame, left, right in
            let (value, overflow) = function(left, right)
            if overflow { frame.fail() }
            return value
        }
    }

    /// Calculates with floating-point numbers.
    @inline(__always)
    static func floats<Value: FloatingPoint & Sendable>(
        _ symbol: ExpressionOperator,
        _ left: Operand<Value>,
        _ right: Operand<Value>
    ) -> Operand<Value>? {
        switch symbol {
        case .sum: combine(left, right) { _, left, right in left + right }
        case .difference: combine(left, right) { _, left, right in left - right }
        case .product: combine(left, right) { _, left, right in left * right }
        case .quotient: combine(left, right) { _, left, right in left / right }
        default: extremes(symbol, left, right)
        }
    }

    @inline(__always)
    private static func extremes<Value: Comparable & Sendable>(
        _ symbol: ExpressionOperator,
        _ left: Operand<Value>,
        _ right: Operand<Value>
    ) -> Operand<Value>? {
        switch symbol {
        case .minimum: combine(left, right) { _, left, right in Swift.min(left, right) }
        case .maximum: combine(left, right) { _, left, right in Swift.max(left, right) }
        default: nil
        }
    }

    /// Calculates with operands of any one type; `nil` where the type has no such operation.
    static func calculate(
        _ symbol: ExpressionOperator,
        _ left: TypedOperand,
        _ right: TypedOperand
    ) -> TypedOperand? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): integers(symbol, left, right).map(TypedOperand.integer)
        case (.unsigned(let left), .unsigned(let right)): integers(symbol, left, right).map(TypedOperand.unsigned)
        case (.real(let left), .real(let right)): floats(symbol, left, right).map(TypedOperand.real)
        case (.single(let left), .single(let right)): floats(symbol, left, right).map(TypedOperand.single)
        case (.text(let left), .text(let right)): extremes(symbol, left, right).map(TypedOperand.text)
        default: nil
        }
    }

    /// The number with the opposite sign, or without one; `nil` where the type has no sign.
    static func changeSign(_ symbol: ExpressionOperator, _ operand: TypedOperand) -> TypedOperand? {
        switch (operand, symbol) {
        case (.integer(let operand), .negation): integers(.difference, .constant(0), operand).map(TypedOperand.integer)
        case (.integer(let operand), _):
            .integer(
                combine(operand, .constant(0)) { frame, value, _ in
                    if value == .min { frame.fail() }
                    return Int64(truncatingIfNeeded: value.magnitude)
                }
            )
        case (.real(let operand), .negation): .real(operand.map { -$0 })
        case (.real(let operand), _): .real(operand.map(\.magnitude))
        case (.single(let operand), .negation): .single(operand.map { -$0 })
        case (.single(let operand), _): .single(operand.map(\.magnitude))
        default: nil
        }
    }

    /// A number as a `Double`.
    static func real(_ operand: TypedOperand) -> Operand<Double>? {
        switch operand {
        case .integer(let operand): operand.map { Double($0) }
        case .unsigned(let operand): operand.map { Double($0) }
        case .single(let operand): operand.map { Double($0) }
        case .real(let operand): operand
        case .bool, .text: nil
        }
    }
}
