internal import WeirCore

/// The operators and functions of an ``ExpressionTree``; the raw value is the name in text.
public enum ExpressionOperator: String, Sendable, Hashable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
    case sum = "+"
    case difference = "-"
    case product = "*"
    case quotient = "/"
    case remainder = "%"
    case minimum = "min"
    case maximum = "max"
    /// Two conditions or more.
    case and = "&&"
    /// Two conditions or more.
    case or = "||"
    case not = "!"
    case negation = "negate"
    case absoluteValue = "abs"
    /// A number as a `Double`.
    case real = "real"
    case isPresent = "isPresent"
    /// A value and the two ends of a range, which are included.
    case between = "between"
    /// A value and the constants that it may be.
    case isIn = "isIn"
    case hasPrefix = "hasPrefix"
    case contains = "contains"

    /// The operator of a name.
    ///
    /// - Parameter name: The name in text.
    /// - Throws: ``SchemaError/unsupportedOperator(_:suggestions:)`` where there is none.
    public init(named name: String) throws(SchemaError) {
        guard let known = ExpressionOperator(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            throw .unsupportedOperator(name, suggestions: Suggestion.nearestNames(to: name, among: names))
        }
        self = known
    }

    /// How many operands it takes.
    var operandCount: ClosedRange<Int> {
        switch self {
        case .not, .negation, .absoluteValue, .real, .isPresent: 1...1
        case .between: 3...3
        case .and, .or: 2...Int.max
        case .isIn: 1...Int.max
        default: 2...2
        }
    }

    /// The precedence of an infix operator; `nil` for functions and prefix operators.
    var precedence: Int? {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .unequal, .less, .atMost, .greater, .atLeast: 3
        case .sum, .difference: 4
        case .product, .quotient, .remainder: 5
        default: nil
        }
    }

    package func check(count: Int) throws(SchemaError) {
        let allowed = operandCount
        guard !allowed.contains(count) else { return }
        let expected =
            allowed.upperBound == .max
            ? "\(allowed.lowerBound) operands or more"
            : allowed.upperBound == 1 ? "1 operand" : "\(allowed.upperBound) operands"
        throw .operandCount(rawValue, expected: expected, found: count)
    }
}
