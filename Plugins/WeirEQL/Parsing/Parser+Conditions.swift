import WeirQueries
import WeirRecords

extension Parser {
    /// How tightly operators bind.
    enum Binding: Int {
        case or = 1
        case and, not, comparison, sum, product, sign
    }

    /// A condition, or a part of one.
    mutating func condition() throws(QueryError) -> Condition { try condition(above: 0) }

    /// A part of a condition whose operators bind tighter than a given one.
    mutating func condition(above minimum: Int) throws(QueryError) -> Condition {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.depthLimit else { throw tooDeep(token.range) }
        var left = try operand()
        while let binding = binding(), binding.rawValue > minimum {
            switch binding {
            case .or, .and:
                left = try list(left, binding)
            case .comparison:
                left = try comparison(of: left)
                if self.binding() == .comparison {
                    throw refused("comparisons cannot be chained; write 'a < b and b < c'")
                }
            default:
                let operation = arithmetic
                try advance()
                let right = try condition(above: binding.rawValue)
                left = try node(
                    .binary(operation, left, right),
                    from: left.range.lowerBound,
                    max(left.depth, right.depth)
                )
            }
        }
        return left
    }

    /// How tightly the operator binds that the token is; `nil` where it is none.
    private func binding() -> Binding? {
        switch token.kind {
        case .sign(.plus), .sign(.minus): .sum
        case .sign(.star), .sign(.slash), .sign(.percent): .product
        case .sign(.equal), .sign(.notEqual), .sign(.less), .sign(.lessOrEqual), .sign(.greater),
            .sign(.greaterOrEqual), .sign(.colon), .sign(.assign):
            .comparison
        case .word:
            switch spelling {
            case "or": .or
            case "and": .and
            case "in", "like", "regex", "not": .comparison
            default: nil
            }
        default: nil
        }
    }

    /// The operation of a sign of arithmetic.
    private var arithmetic: QueryTerm.Operation {
        switch token.kind {
        case .sign(.plus): .sum
        case .sign(.minus): .difference
        case .sign(.star): .product
        case .sign(.slash): .quotient
        default: .remainder
        }
    }

    /// Conditions with the same word between them: one list, as rules have thousands of them.
    private mutating func list(_ first: Condition, _ binding: Binding) throws(QueryError) -> Condition {
        let word = spelling
        var members = [first]
        while try skip(word: word) { members.append(try condition(above: binding.rawValue)) }
        let depth = members.map(\.depth).max() ?? 0
        // What is made of the list is a balanced tree.
        let levels = Int.bitWidth - (members.count - 1).leadingZeroBitCount
        return try node(
            binding == .and ? .all(members) : .any(members),
            from: first.range.lowerBound,
            depth + levels - 1
        )
    }

    // MARK: Operands

    mutating func operand() throws(QueryError) -> Condition {
        let start = token.range.lowerBound
        switch token.kind {
        case .sign(.openParenthesis):
            try advance()
            var inner = try condition()
            guard !isSign(.comma) else {
                throw refused("expected ')', found ','; lists of values follow 'in', ':', 'like' and 'regex'")
            }
            guard try skip(.closeParenthesis) else {
                throw expected("')'", among: Self.joints)
            }
            inner.range = start..<end
            return inner
        case .sign(.minus):
            try advance()
            if token.kind == .number { return try number(from: start, isNegative: true) }
            let inner = try condition(above: Binding.sign.rawValue)
            return try node(.negative(inner), from: start, inner.depth)
        case .sign(.plus):
            try advance()
            return try condition(above: Binding.sign.rawValue)
        case .sign(.exclamation):
            throw refused("write 'not' for '!'")
        case .number:
            return try number(from: start, isNegative: false)
        case .text, .rawText:
            let text = try lexer.value(ofText: token)
            try advance()
            return try node(.constant(.text(text)), from: start, 0)
        case .word where spelling == "not":
            return try negation(from: start)
        case .word:
            return try word(from: start)
        case .quotedName, .sign(.question):
            return try field(from: start)
        default:
            throw expected("a value: a field, a text, a number or a function")
        }
    }

    /// `not`, once or several times.
    private mutating func negation(from start: Int) throws(QueryError) -> Condition {
        var isOpposite = false
        while try skip(word: "not") { isOpposite.toggle() }
        let inner = try condition(above: Binding.not.rawValue)
        return isOpposite ? try node(.not(inner), from: start, inner.depth) : inner
    }

    private mutating func number(from start: Int, isNegative: Bool) throws(QueryError) -> Condition {
        let text = (isNegative ? "-" : "") + spelling
        let value: QueryValue
        if let integer = Int64(text) {
            value = .integer(integer)
        } else if let real = Double(text), real.isFinite, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") })
        {
            guard !text.utf8.dropFirst(isNegative ? 1 : 0).allSatisfy(\.isDigit) else {
                throw refused("whole numbers are from \(Int64.min) to \(Int64.max)")
            }
            value = .real(real)
        } else {
            throw expected("a number such as 5, 0.5 or 1e6")
        }
        try advance()
        return try node(.constant(value), from: start, 0)
    }

    /// A constant, a function or a field.
    private mutating func word(from start: Int) throws(QueryError) -> Condition {
        let word = spelling
        switch word {
        case "true", "false":
            try advance()
            return try node(.constant(.boolean(word == "true")), from: start, 0)
        case "null":
            try advance()
            return try node(.constant(.missing), from: start, 0)
        case "and", "or", "in", "like", "regex", "where", "by", "with", "until":
            throw expected("a value: a field, a text, a number or a function")
        default: break
        }
        let next = try following()
        if next.kind == .sign(.openParenthesis) { return try call(ignoringCase: false) }
        if next.kind == .sign(.tilde) { return try call(ignoringCase: true) }
        if next.kind == .word, lexer.spelling(next.range) == "of", ["child", "descendant", "event"].contains(word) {
            throw lexer.error(
                "'\(word) of' is not part of the language; write a sequence by the fields that relate the events",
                at: start..<next.range.upperBound
            )
        }
        return try field(from: start)
    }

    private mutating func field(from start: Int) throws(QueryError) -> Condition {
        let name = try fieldName()
        return try node(.field(name), from: start, 0)
    }

    private mutating func call(ignoringCase: Bool) throws(QueryError) -> Condition {
        let place = token.range
        let name = spelling
        if let instead = Self.foreignFunctions[name.lowercased()] {
            throw refused("'\(name)' is not part of the language; \(instead)")
        }
        try advance()
        if ignoringCase { try advance() }
        guard try skip(.openParenthesis) else { throw expected("'(' after '\(name)~'") }
        var arguments: [Condition] = []
        if !isSign(.closeParenthesis) {
            repeat { arguments.append(try condition()) } while try skip(.comma)
        }
        guard try skip(.closeParenthesis) else { throw expected("',' or ')' in the arguments of '\(name)'") }
        let kind = Condition.Kind.call(name: name, place: place, arguments, ignoringCase: ignoringCase)
        return try node(kind, from: place.lowerBound, arguments.map(\.depth).max() ?? 0)
    }

    /// Functions of other dialects, with what to write instead.
    private static let foreignFunctions = [
        "arraycontains": "a field with several values equals each of them: write 'FIELD == \"value\"'",
        "arraycount": "there is no count of the values of a field",
        "arraysearch": "a comparison holds where it does for one of the values: write 'FIELD == \"value\"'",
        "match": "write 'FIELD regex \"pattern\"'",
        "matchlite": "write 'FIELD regex \"pattern\"'",
        "wildcard": "write 'FIELD like \"pattern\"', or 'FIELD like (\"one\", \"other\")'",
    ]

    // MARK: Parts

    /// The name of a field: words and names in backticks with dots between them.
    mutating func fieldName() throws(QueryError) -> FieldName {
        let start = token.range.lowerBound
        let isOptional = try skip(.question)
        var text = ""
        repeat {
            guard isWord || token.kind == .quotedName else { throw expected("the name of a field") }
            text += (text.isEmpty ? "" : ".") + lexer.name(of: token)
            try advance()
            if isSign(.openBracket), try following().kind == .number {
                throw refused(
                    text == "events"
                        ? "a pipe looks at the first event of a match; write its field without 'events[0].'"
                        : "a value of a list has no place; a comparison holds where it does for one of the values"
                )
            }
        } while try skip(.dot)
        if token.kind == .number, token.range.lowerBound == end, spelling.hasPrefix(".") {
            throw refused(
                "a value of a list has no place; a comparison holds where it does for one of the values, and in backticks, as "
                    + "`\(text)\(spelling)`, it is a name"
            )
        }
        return FieldName(text: text, isOptional: isOptional, range: start..<end)
    }

    /// A part that ends before the token.
    func node(_ kind: Condition.Kind, from start: Int, _ depth: Int) throws(QueryError) -> Condition {
        guard depth < Self.depthLimit else { throw tooDeep(start..<end) }
        return Condition(kind: kind, range: start..<end, depth: depth + 1)
    }

    private func tooDeep(_ range: Range<Int>) -> QueryError {
        lexer.error("the condition has more than \(Self.depthLimit) levels of parts in each other", at: range)
    }
}
