import WeirQueries

extension QueryTerm.Operation {
    /// Whether it computes a number of numbers.
    var isArithmetic: Bool {
        switch self {
        case .sum, .difference, .product, .quotient, .remainder: true
        default: false
        }
    }
}

extension QueryTerm {
    /// The opposite of a condition.
    static func opposite(of term: QueryTerm) -> QueryTerm {
        switch term {
        case .not(let inner): inner
        case .constant(.boolean(let flag)): .constant(.boolean(!flag))
        default: .not(term)
        }
    }

    /// The negative of a number.
    static func negative(of term: QueryTerm) -> QueryTerm {
        switch term {
        case .constant(.integer(let number)) where number != .min: .constant(.integer(-number))
        case .constant(.real(let number)): .constant(.real(-number))
        case .constant(.missing): term
        default: .negative(term)
        }
    }

    /// Conditions with `and` or `or` between them, as a balanced tree, without what makes no difference.
    static func joined(_ parts: [QueryTerm], by operation: Operation) -> QueryTerm {
        var terms: [QueryTerm] = []
        for part in parts { part.append(to: &terms, joinedBy: operation) }
        let decisive = QueryTerm.constant(.boolean(operation == .or))
        if terms.contains(decisive) { return decisive }
        let rest = terms.filter { $0 != .constant(.boolean(operation == .and)) }
        return rest.isEmpty ? .constant(.boolean(operation == .and)) : balanced(rest[...], operation)
    }

    /// Appends the members of a list with one word between them; of other terms, the term.
    private func append(to terms: inout [QueryTerm], joinedBy operation: Operation) {
        guard case .binary(operation, let left, let right) = self else {
            terms.append(self)
            return
        }
        left.append(to: &terms, joinedBy: operation)
        right.append(to: &terms, joinedBy: operation)
    }

    private static func balanced(_ terms: ArraySlice<QueryTerm>, _ operation: Operation) -> QueryTerm {
        guard terms.count > 1 else { return terms[terms.startIndex] }
        let middle = terms.startIndex + (terms.count + 1) / 2
        return .binary(operation, balanced(terms[..<middle], operation), balanced(terms[middle...], operation))
    }

    /// An operation, computed where both sides are constant numbers or texts.
    ///
    /// What overflows is left for each event to tell.
    static func folded(_ operation: Operation, _ left: QueryTerm, _ right: QueryTerm) -> QueryTerm {
        guard case .constant(let one) = left, case .constant(let other) = right, let value = operation.value(one, other)
        else { return .binary(operation, left, right) }
        return .constant(value)
    }
}

extension QueryTerm.Operation {
    /// The value for two constants; `nil` where it is left to the engine.
    fileprivate func value(_ left: QueryValue, _ right: QueryValue) -> QueryValue? {
        switch (left, right) {
        case (.missing, _), (_, .missing): .missing
        case (.integer(let left), .integer(let right)): value(left, right)
        case (.real(let left), .real(let right)): value(left, right)
        case (.integer(let left), .real(let right)): value(Double(left), right)
        case (.real(let left), .integer(let right)): value(left, Double(right))
        default: nil
        }
    }

    private func value(_ left: Int64, _ right: Int64) -> QueryValue? {
        let result: (partialValue: Int64, overflow: Bool)
        switch self {
        case .sum: result = left.addingReportingOverflow(right)
        case .difference: result = left.subtractingReportingOverflow(right)
        case .product: result = left.multipliedReportingOverflow(by: right)
        case .quotient where right == 0, .remainder where right == 0: return .missing
        case .quotient: result = left.dividedReportingOverflow(by: right)
        case .remainder: result = left.remainderReportingOverflow(dividingBy: right)
        default: return compared(left, right)
        }
        return result.overflow ? nil : .integer(result.partialValue)
    }

    private func value(_ left: Double, _ right: Double) -> QueryValue? {
        let result: Double
        switch self {
        case .sum: result = left + right
        case .difference: result = left - right
        case .product: result = left * right
        case .quotient where right == 0, .remainder where right == 0: return .missing
        case .quotient: result = left / right
        case .remainder: result = left.truncatingRemainder(dividingBy: right)
        default: return compared(left, right)
        }
        return result.isFinite ? .real(result) : nil
    }

    private func compared<Number: Comparable>(_ left: Number, _ right: Number) -> QueryValue? {
        switch self {
        case .equal: .boolean(left == right)
        case .notEqual: .boolean(left != right)
        case .less: .boolean(left < right)
        case .lessOrEqual: .boolean(left <= right)
        case .greater: .boolean(left > right)
        case .greaterOrEqual: .boolean(left >= right)
        default: nil
        }
    }
}
