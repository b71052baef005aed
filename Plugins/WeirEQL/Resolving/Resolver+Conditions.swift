import WeirQueries
import WeirRecords

extension Resolver {
    /// A part of a condition whose fields are found.
    struct Value {
        var term: QueryTerm
        var kind: ValueKind
        var range: Range<Int>
    }

    /// A condition that is true or false.
    mutating func condition(_ condition: Condition, of word: String) throws(QueryError) -> QueryTerm {
        let value = try value(condition)
        return try require(.condition, value) { found in "\(word) takes a condition, found \(found)" }.term
    }

    /// A part of a condition.
    mutating func value(_ condition: Condition) throws(QueryError) -> Value {
        let range = condition.range
        func value(_ term: QueryTerm, _ kind: ValueKind) -> Value { Value(term: term, kind: kind, range: range) }
        switch condition.kind {
        case .constant(let constant):
            return value(.constant(constant), ValueKind(constant))
        case .field(let name):
            let field = try field(name)
            return value(.field(field), fields[field].type.map { ValueKind($0) } ?? .unknown)
        case .not(let inner):
            return value(.opposite(of: try self.condition(inner, of: "'not'")), .condition)
        case .negative(let inner):
            let number = try require(.number, try self.value(inner)) { found in "'-' takes a number, found \(found)" }
            return value(.negative(of: number.term), .number)
        case .all(let members):
            return value(.joined(try conditions(members, of: "'and'"), by: .and), .condition)
        case .any(let members):
            return value(.joined(try conditions(members, of: "'or'"), by: .or), .condition)
        case .binary(let operation, let left, let right):
            let (left, right) = (try self.value(left), try self.value(right))
            return operation.isArithmetic
                ? value(try arithmetic(operation, left, right), .number)
                : value(try comparison(operation, left, right), .condition)
        case .lookup(let inner, let members, let ignoringCase):
            return value(try lookup(try self.value(inner), members, ignoringCase), .condition)
        case .pattern(let inner, let patterns, let syntax, let ignoringCase):
            let text = try require(.text, try self.value(inner)) { found in
                "a pattern is compared with a text, found \(found)"
            }
            return value(.matches(text.term, try self.patterns(patterns, syntax, ignoringCase)), .condition)
        case .call(let name, let place, let arguments, let ignoringCase):
            let (term, kind) = try call(name, at: place, arguments, ignoringCase: ignoringCase, in: range)
            return value(term, kind)
        }
    }

    private mutating func conditions(_ members: [Condition], of word: String) throws(QueryError) -> [QueryTerm] {
        var terms: [QueryTerm] = []
        for member in members { terms.append(try condition(member, of: word)) }
        return terms
    }

    /// Checks that a value is of a kind.
    @discardableResult
    mutating func require(
        _ kind: ValueKind,
        _ value: Value,
        _ message: (_ found: String) -> String
    ) throws(QueryError) -> Value {
        guard accepts(value, as: kind) else {
            throw error(message("\(shown(value.range)), \(value.kind)"), at: value.range)
        }
        return value
    }

    /// Whether a value can be of a kind; what a field is taken for is noted.
    private mutating func accepts(_ value: Value, as kind: ValueKind) -> Bool {
        if value.kind == .unknown, case .field(let field) = value.term, kind != .missing, kind != .unknown {
            uses[field].insert(kind)
        }
        return [kind, .missing, .unknown].contains(value.kind) || [.missing, .unknown].contains(kind)
    }

    // MARK: Operations

    private mutating func arithmetic(
        _ operation: QueryTerm.Operation,
        _ left: Value,
        _ right: Value
    ) throws(QueryError) -> QueryTerm {
        for side in [left, right] {
            try require(.number, side) { found in "'\(operation.rawValue)' takes numbers, found \(found)" }
        }
        return .folded(operation, left.term, right.term)
    }

    private mutating func comparison(
        _ operation: QueryTerm.Operation,
        _ left: Value,
        _ right: Value
    ) throws(QueryError) -> QueryTerm {
        if operation == .equal || operation == .notEqual, left.kind == .missing || right.kind == .missing {
            let other = left.kind == .missing ? right : left
            let isMissing = other.kind == .missing ? .constant(.boolean(true)) : QueryTerm.isMissing(other.term)
            return operation == .equal ? isMissing : .opposite(of: isMissing)
        }
        try compare(left, right)
        if operation != .equal, operation != .notEqual, left.kind == .condition || right.kind == .condition {
            throw error(
                "'\(operation.rawValue)' compares numbers or texts; true and false have no order",
                at: (left.kind == .condition ? left : right).range
            )
        }
        let term = QueryTerm.folded(operation, left.term, right.term)
        guard isUnknown(left.term), isUnknown(right.term), operation == .equal || operation == .notEqual else {
            return term
        }
        // Elasticsearch knows no such fields, so that both are null.
        let areMissing = QueryTerm.binary(.and, .isMissing(left.term), .isMissing(right.term))
        return operation == .equal ? .binary(.or, areMissing, term) : .binary(.and, .opposite(of: areMissing), term)
    }

    /// Whether a term is an optional field that the schema does not know.
    private func isUnknown(_ term: QueryTerm) -> Bool {
        guard case .field(let index) = term else { return false }
        return fields[index].isOptional && !isDeclared(fields[index].name)
    }

    /// Checks that two values can be compared.
    private mutating func compare(_ left: Value, _ right: Value) throws(QueryError) {
        guard accepts(right, as: left.kind), accepts(left, as: right.kind) else {
            throw error(
                "cannot compare \(shown(left.range)), \(left.kind), with \(shown(right.range)), \(right.kind)",
                at: right.range
            )
        }
    }

    private mutating func lookup(
        _ value: Value,
        _ members: [Condition],
        _ ignoringCase: Bool
    ) throws(QueryError) -> QueryTerm {
        var constants: [QueryValue] = []
        var comparisons: [QueryTerm] = []
        for member in members {
            let other = try self.value(member)
            try compare(value, other)
            if case .constant(let constant) = other.term {
                // Nothing equals what is missing.
                if constant != .missing { constants.append(constant) }
            } else if ignoringCase {
                throw error("'in~' takes constants, found \(shown(other.range))", at: other.range)
            } else {
                comparisons.append(try comparison(.equal, value, other))
            }
        }
        if !constants.isEmpty || comparisons.isEmpty {
            comparisons.insert(.isAny(value.term, constants, ignoringCase: ignoringCase), at: 0)
        }
        return .joined(comparisons, by: .or)
    }

    private func patterns(
        _ patterns: [Condition],
        _ syntax: TextPattern.Syntax,
        _ ignoringCase: Bool
    ) throws(QueryError) -> [TextPattern] {
        var result: [TextPattern] = []
        for pattern in patterns {
            guard case .constant(.text(let text)) = pattern.kind else {
                fatalError("the parser lets only texts through")
            }
            do throws(TextPatternError) {
                result.append(try TextPattern(text, syntax, ignoringCase: ignoringCase))
            } catch {
                throw self.error(error.message, at: place(of: error, in: pattern.range))
            }
        }
        return result
    }

    /// Where the mistake of a pattern is; the whole pattern where escapes move the places.
    private func place(of error: TextPatternError, in range: Range<Int>) -> Range<Int> {
        let written = Array(text.utf8)[range]
        let isRaw = written.starts(with: "\"\"\"".utf8)
        guard isRaw || !written.contains(UInt8(ascii: "\\")) else { return range }
        let place = range.lowerBound + (isRaw ? 3 : 1) + error.offset
        return place..<place
    }
}
