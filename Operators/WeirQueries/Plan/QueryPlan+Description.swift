extension QueryPlan: CustomStringConvertible {
    /// The plan as a query of EQL on one line: what was written, without what makes no difference.
    public var description: String {
        var parts: [String] = []
        switch situation {
        case .event(let step): parts.append(filter(step))
        case .sequence(let sequence):
            let steps = sequence.steps + (sequence.until.map { [$0] } ?? [])
            let shared = sharedKeys(steps)
            parts.append("sequence\(shared)")
            if let span = sequence.maxSpan { parts.append("with maxspan=\(Self.time(span))") }
            parts += sequence.steps.map { bracketed($0, hasSharedKeys: !shared.isEmpty) }
            if let until = sequence.until { parts.append("until \(bracketed(until, hasSharedKeys: !shared.isEmpty))") }
        case .sample(let steps):
            let shared = sharedKeys(steps)
            parts.append("sample\(shared)")
            parts += steps.map { bracketed($0, hasSharedKeys: !shared.isEmpty) }
        }
        for pipe in pipes {
            switch pipe {
            case .head(let count): parts.append("| head \(count)")
            case .tail(let count): parts.append("| tail \(count)")
            case .count(let terms): parts.append("| count" + (terms.isEmpty ? "" : " ") + list(terms))
            case .unique(let terms): parts.append("| unique " + list(terms))
            case .sort(let terms): parts.append("| sort " + list(terms))
            }
        }
        return parts.joined(separator: " ")
    }

    /// A condition of the plan as text.
    ///
    /// - Parameter term: A condition, or a part of one.
    /// - Returns: The text, as EQL writes it.
    public func text(of term: QueryTerm) -> String { written(term).text }

    // MARK: Steps

    private func filter(_ step: Step) -> String {
        let category = step.category.map { category in
            Self.isWord(category) && !["any", "sequence", "sample", "join"].contains(category)
                ? category : QueryValue.text(category).description
        }
        return "\(category ?? "any") where \(step.condition.map { text(of: $0) } ?? "true")"
    }

    /// The keys of the steps as ` by ...`, where all have the same.
    private func sharedKeys(_ steps: [Step]) -> String {
        steps.allSatisfy { $0.keys == steps[0].keys } ? keys(steps[0]) : ""
    }

    private func keys(_ step: Step) -> String {
        guard !step.keys.isEmpty else { return "" }
        let names = step.keys.map { ($0.acceptsMissing ? "?" : "") + Self.name(fields[$0.field].name) }
        return " by \(names.joined(separator: ", "))"
    }

    private func bracketed(_ step: Step, hasSharedKeys: Bool) -> String {
        let runs = step.runs > 1 ? " with runs=\(step.runs)" : ""
        return "\(step.isMissing ? "!" : "")[\(filter(step))]\(hasSharedKeys ? "" : keys(step))\(runs)"
    }

    /// A time span in the largest unit of which it is a multiple.
    static func time(_ nanoseconds: Int64) -> String {
        let units: [(Int64, String)] = [
            (86_400_000_000_000, "d"), (3_600_000_000_000, "h"), (60_000_000_000, "m"), (1_000_000_000, "s"),
            (1_000_000, "ms"), (1_000, "micros"),
        ]
        guard let (scale, unit) = units.first(where: { nanoseconds % $0.0 == 0 }) else { return "\(nanoseconds)nanos" }
        return "\(nanoseconds / scale)\(unit)"
    }

    // MARK: Conditions

    /// How tightly the outermost operator of a text binds; 9 where there is none.
    private typealias Written = (text: String, binding: Int)

    private func list(_ terms: [QueryTerm]) -> String { terms.map { text(of: $0) }.joined(separator: ", ") }

    /// A term, in parentheses where its operator binds less tightly than one beside it.
    private func part(_ term: QueryTerm, above binding: Int) -> String {
        let written = written(term)
        return written.binding > binding ? written.text : "(\(written.text))"
    }

    private func written(_ term: QueryTerm) -> Written {
        switch term {
        case .constant(let value): return (value.description, 9)
        case .field(let index): return ((fields[index].isOptional ? "?" : "") + Self.name(fields[index].name), 9)
        case .not(.isMissing(let inner)): return ("\(part(inner, above: 4)) != null", 4)
        case .not(let inner): return ("not \(part(inner, above: 3))", 3)
        case .negative(let inner): return ("-\(part(inner, above: 8))", 7)
        case .isMissing(let inner): return ("\(part(inner, above: 4)) == null", 4)
        case .binary(let operation, let left, let right): return written(operation, left, right)
        case .isAny(let inner, let values, let ignoresCase):
            let members = values.isEmpty ? "null" : values.map(\.description).joined(separator: ", ")
            return ("\(part(inner, above: 4)) in\(ignoresCase ? "~" : "") (\(members))", 4)
        case .matches(let inner, let patterns):
            let texts = patterns.map { QueryValue.text($0.text).description }
            let right = texts.count == 1 ? texts[0] : "(\(texts.joined(separator: ", ")))"
            return ("\(part(inner, above: 4)) \(Self.word(patterns.first)) \(right)", 4)
        case .call(let function, let arguments, let ignoresCase):
            return ("\(function.rawValue)\(ignoresCase ? "~" : "")(\(list(arguments)))", 9)
        }
    }

    private func written(_ operation: QueryTerm.Operation, _ left: QueryTerm, _ right: QueryTerm) -> Written {
        let binding: Int
        switch operation {
        case .or, .and: return joined(operation, operation == .or ? 1 : 2, left, right)
        case .sum, .difference: binding = 5
        case .product, .quotient, .remainder: binding = 6
        default: binding = 4
        }
        // Comparisons are not chained; the rest is read from the left.
        let before = part(left, above: binding == 4 ? 4 : binding - 1)
        let after = part(right, above: binding)
        return ("\(before) \(operation.rawValue) \(after)", binding)
    }

    /// What is joined by one word, which needs no parentheses.
    private func joined(
        _ operation: QueryTerm.Operation,
        _ binding: Int,
        _ left: QueryTerm,
        _ right: QueryTerm
    ) -> Written {
        let operands = left.operands(of: operation) + right.operands(of: operation)
        var parts: [String] = []
        for (index, operand) in operands.enumerated() {
            if index > 0, Self.isOneComparison(operation, operands[index - 1], operand) { parts.removeLast() }
            parts.append(part(operand, above: binding))
        }
        return parts.count == 1 && operands.count == 2
            ? written(right) : (parts.joined(separator: " \(operation.rawValue) "), binding)
    }

    /// Whether terms are what one comparison of two optional fields is compiled to.
    private static func isOneComparison(
        _ operation: QueryTerm.Operation,
        _ left: QueryTerm,
        _ right: QueryTerm
    ) -> Bool {
        switch (operation, left, right) {
        case (.or, let areMissing, .binary(.equal, let first, let second)),
            (.and, .not(let areMissing), .binary(.notEqual, let first, let second)):
            areMissing == .binary(.and, .isMissing(first), .isMissing(second))
        default: false
        }
    }

    private static func word(_ pattern: TextPattern?) -> String {
        switch (pattern?.syntax, pattern?.ignoresCase ?? false) {
        case (.regularExpression, let ignoresCase): ignoresCase ? "regex~" : "regex"
        case (_, let ignoresCase): ignoresCase ? ":" : "like"
        }
    }

    // MARK: Names

    /// A name of a field, in backticks where it is no word or has a meaning.
    private static func name(_ name: String) -> String {
        let meanings: Set = [
            "and", "or", "not", "in", "like", "regex", "where", "by", "with", "until", "true", "false", "null",
        ]
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { isWord($0) } && !meanings.contains(String(parts[0]))
        return isPlain ? name : "`\(name.replacing("`", with: "``"))`"
    }

    private static func isWord(_ text: some StringProtocol) -> Bool {
        let letters = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
        return letters && !text.isEmpty && !(0x30...0x39).contains(text.utf8.first ?? 0)
    }
}

extension QueryTerm {
    /// What is joined by one operation, from left to right.
    fileprivate func operands(of operation: Operation) -> [QueryTerm] {
        guard case .binary(operation, let left, let right) = self else { return [self] }
        return left.operands(of: operation) + right.operands(of: operation)
    }
}

extension QueryValue: CustomStringConvertible {
    /// The value as queries of EQL write it; several values stand in parentheses.
    public var description: String {
        switch self {
        case .missing: return "null"
        case .boolean(let flag): return "\(flag)"
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .list(let values): return "(\(values.map(\.description).joined(separator: ", ")))"
        case .text(let text):
            var written = "\""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": written += "\\\""
                case "\\": written += "\\\\"
                case "\n": written += "\\n"
                case "\r": written += "\\r"
                case "\t": written += "\\t"
                default:
                    let isControl = scalar.properties.generalCategory == .control
                    if isControl {
                        let digits = String(scalar.value, radix: 16)
                        written += "\\u{\(digits.count < 2 ? "0" : "")\(digits)}"
                    } else {
                        written.unicodeScalars.append(scalar)
                    }
                }
            }
            return written + "\""
        }
    }
}
