/// A condition of a query, or a part of one, as a tree.
///
/// Logic has three values: what is computed of a missing value is missing, but for ``isMissing(_:)``, and for `and` and
/// `or` where the other side decides. A condition holds where it is true.
/// A field with several values satisfies a comparison, a pattern or a function of texts when one of them does; it is not
/// equal to a value when none of them is. Values of different kinds are not equal, and have no order.
///
/// Thread safety: a value.
public indirect enum QueryTerm: Sendable, Hashable {
    /// An operation of two operands.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        case and, or
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case sum = "+"
        case difference = "-"
        case product = "*"
        /// Of two whole numbers a whole number, rounded towards zero; missing where the divisor is zero.
        case quotient = "/"
        /// With the sign of the dividend; missing where the divisor is zero.
        case remainder = "%"
    }

    /// A constant.
    case constant(QueryValue)
    /// A field: an index of ``QueryPlan/fields``.
    case field(Int)
    /// The opposite of a condition.
    case not(QueryTerm)
    /// The negative of a number.
    case negative(QueryTerm)
    /// Whether there is no value: true or false, never missing.
    case isMissing(QueryTerm)
    /// An operation of two operands.
    case binary(Operation, QueryTerm, QueryTerm)
    /// Whether a value equals one of several constants.
    case isAny(QueryTerm, [QueryValue], ignoringCase: Bool)
    /// Whether a text matches one of several patterns.
    case matches(QueryTerm, [TextPattern])
    /// What a function computes.
    case call(QueryFunction, [QueryTerm], ignoringCase: Bool)
}

/// A function of queries.
public enum QueryFunction: String, Sendable, Hashable, CaseIterable {
    case between, cidrMatch, concat, endsWith, indexOf, length, number, startsWith
    case string, stringContains, substring
}
