internal import WeirExpressions

/// The comparisons of operands of one type.
enum Comparing {
    /// Compares for equality.
    @inline(__always)
    static func equality<Value: Equatable & Sendable>(
        _ symbol: ExpressionOperator,
        _ left: Operand<Value>,
        _ right: Operand<Value>
    ) -> Operand<Bool>? {
        switch symbol {
        case .equal: combine(left, right) { _, left, right in left == right }
        case .unequal: combine(left, right) { _, left, right in left != right }
        default: nil
        }
    }

    /// Compares for equality or order.
    @inline(__always)
    static func order<Value: Comparable & Sendable>(
        _ symbol: ExpressionOperator,
        _ left: Operand<Value>,
        _ right: Operand<Value>
    ) -> Operand<Bool>? {
        switch symbol {
        case .less: combine(left, right) { _, left, right in left < right }
        case .atMost: combine(left, right) { _, left, right in left <= right }
        case .greater: combine(left, right) { _, left, right in left > right }
        case .atLeast: combine(left, right) { _, left, right in left >= right }
        default: equality(symbol, left, right)
        }
    }

    /// Compares operands of any one type; `nil` where the type has no such comparison.
    static func compare(_ symbol: ExpressionOperator, _ left: TypedOperand, _ right: TypedOperand) -> Operand<Bool>? {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): equality(symbol, left, right)
        case (.integer(let left), .integer(let right)): order(symbol, left, right)
        case (.unsigned(let left), .unsigned(let right)): order(symbol, left, right)
        case (.real(let left), .real(let right)): order(symbol, left, right)
        case (.single(let left), .single(let right)): order(symbol, left, right)
        case (.text(let left), .text(let right)): order(symbol, left, right)
        default: nil
        }
    }

    /// Whether a value lies between two constants, which are included.
    @inline(__always)
    private static func range<Value: Comparable & Sendable>(
        _ operand: Operand<Value>,
        _ lower: Operand<Value>,
        _ upper: Operand<Value>
    ) -> Operand<Bool> {
        guard case .constant(let lower) = lower, case .constant(let upper) = upper else {
            let (lower, upper) = (lower.code, upper.code)
            let code = operand.code
            return .code { frame in
                let value = code(frame)
                return value >= lower(frame) && value <= upper(frame)
            }
        }
        return operand.map { $0 >= lower && $0 <= upper }
    }

    /// Whether a value lies between two others, which are included; `nil` where the type has no order.
    static func between(_ value: TypedOperand, _ lower: TypedOperand, _ upper: TypedOperand) -> Operand<Bool>? {
        switch (value, lower, upper) {
        case (.integer(let value), .integer(let lower), .integer(let upper)): range(value, lower, upper)
        case (.unsigned(let value), .unsigned(let lower), .unsigned(let upper)): range(value, lower, upper)
        case (.real(let value), .real(let lower), .real(let upper)): range(value, lower, upper)
        case (.single(let value), .single(let lower), .single(let upper)): range(value, lower, upper)
        case (.text(let value), .text(let lower), .text(let upper)): range(value, lower, upper)
        default: nil
        }
    }

    /// Whether a value is one of some constants.
    static func membership(_ value: TypedOperand, _ members: [TypedOperand]) -> Operand<Bool> {
        switch value {
        case .bool(let value):
            value.map(isIn(members) { if case .bool(.constant(let value)) = $0 { value } else { nil } })
        case .integer(let value):
            value.map(isIn(members) { if case .integer(.constant(let value)) = $0 { value } else { nil } })
        case .unsigned(let value):
            value.map(isIn(members) { if case .unsigned(.constant(let value)) = $0 { value } else { nil } })
        case .real(let value):
            value.map(isIn(members) { if case .real(.constant(let value)) = $0 { value } else { nil } })
        case .single(let value):
            value.map(isIn(members) { if case .single(.constant(let value)) = $0 { value } else { nil } })
        case .text(let value):
            value.map(isIn(members) { if case .text(.constant(let value)) = $0 { value } else { nil } })
        }
    }

    private static func isIn<Value: Hashable & Sendable>(
        _ members: [TypedOperand],
        _ constant: (TypedOperand) -> Value?
    ) -> @Sendable (Value) -> Bool {
        let set = Set(members.compactMap(constant))
        return { set.contains($0) }
    }
}
