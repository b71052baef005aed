import WeirQueries
import WeirRecords

extension Parser {
    /// A comparison of a value that was read with what follows.
    mutating func comparison(of left: Condition) throws(QueryError) -> Condition {
        let start = left.range.lowerBound
        switch token.kind {
        case .sign(.assign):
            throw refused("write '==' for '=', or ':' to ignore case")
        case .sign(.colon):
            try advance()
            return try pattern(left, "':'", .wildcard, ignoringCase: true)
        case .sign(let sign):
            // The signs of comparisons are spelled as their operations.
            guard let operation = QueryTerm.Operation(rawValue: sign.rawValue) else {
                fatalError("no comparison: \(sign)")
            }
            try advance()
            let right = try condition(above: Binding.comparison.rawValue)
            return try node(.binary(operation, left, right), from: start, max(left.depth, right.depth))
        default:
            let word = spelling
            try advance()
            if word == "not" {
                guard isWord("in") else {
                    throw isWord("like") || isWord("regex")
                        ? refused("write 'not' before the field: 'not FIELD \(spelling) ...'")
                        : expected("'in' after 'not'")
                }
                try advance()
                let lookup = try lookup(left)
                return try node(.not(lookup), from: start, lookup.depth)
            }
            if word == "in" { return try lookup(left) }
            let ignoresCase = try skip(.tilde)
            let operation = "'\(word)\(ignoresCase ? "~" : "")'"
            return try pattern(
                left,
                operation,
                word == "like" ? .wildcard : .regularExpression,
                ignoringCase: ignoresCase
            )
        }
    }

    private mutating func lookup(_ left: Condition) throws(QueryError) -> Condition {
        let ignoresCase = try skip(.tilde)
        guard isSign(.openParenthesis) else { throw expected("a list in parentheses after 'in', such as (1, 2)") }
        let members = try values(of: "'in'")
        let kind = Condition.Kind.lookup(left, among: members, ignoringCase: ignoresCase)
        return try node(kind, from: left.range.lowerBound, max(left.depth, members.map(\.depth).max() ?? 0))
    }

    private mutating func pattern(
        _ left: Condition,
        _ operation: String,
        _ syntax: TextPattern.Syntax,
        ignoringCase: Bool
    ) throws(QueryError) -> Condition {
        let patterns = isSign(.openParenthesis) ? try values(of: operation) : [try operand()]
        for pattern in patterns {
            guard case .constant(.text) = pattern.kind else {
                throw lexer.error(
                    "expected a text after \(operation), or several in parentheses, found \(shown(lexer.spelling(pattern.range)))",
                    at: pattern.range
                )
            }
        }
        let kind = Condition.Kind.pattern(left, like: patterns, syntax: syntax, ignoringCase: ignoringCase)
        return try node(kind, from: left.range.lowerBound, left.depth)
    }

    /// Values in parentheses.
    private mutating func values(of operation: String) throws(QueryError) -> [Condition] {
        try advance()
        guard !isSign(.closeParenthesis) else { throw expected("a value in the list of \(operation)") }
        var members: [Condition] = []
        repeat { members.append(try condition()) } while try skip(.comma)
        guard try skip(.closeParenthesis) else { throw expected("',' or ')' in the list of \(operation)") }
        return members
    }
}
