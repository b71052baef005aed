import WeirCore
import WeirQueries
import WeirRecords

extension Resolver {
    /// What a function takes and computes.
    private struct Signature {
        /// The kinds of its arguments; `unknown` takes all.
        var parameters: [ValueKind]
        /// How many of them have to be there.
        var required: Int
        /// Whether the last may occur several times.
        var repeatsLast = false
        /// What it computes.
        var result: ValueKind
        /// Whether upper and lower case make a difference to it.
        var readsCase = false
    }

    private static let signatures: [QueryFunction: Signature] = [
        .between: Signature(
            parameters: [.text, .text, .text, .condition],
            required: 3,
            result: .text,
            readsCase: true
        ),
        .cidrMatch: Signature(parameters: [.text, .text], required: 2, repeatsLast: true, result: .condition),
        .concat: Signature(parameters: [.unknown], required: 1, repeatsLast: true, result: .text),
        .endsWith: Signature(parameters: [.text, .text], required: 2, result: .condition, readsCase: true),
        .indexOf: Signature(parameters: [.text, .text, .number], required: 2, result: .number, readsCase: true),
        .length: Signature(parameters: [.text], required: 1, result: .number),
        .number: Signature(parameters: [.text, .number], required: 1, result: .number),
        .startsWith: Signature(parameters: [.text, .text], required: 2, result: .condition, readsCase: true),
        .string: Signature(parameters: [.unknown], required: 1, result: .text),
        .stringContains: Signature(parameters: [.text, .text], required: 2, result: .condition, readsCase: true),
        .substring: Signature(parameters: [.text, .number, .number], required: 2, result: .text),
    ]

    /// The functions that are other names of signs.
    private static let arithmetic: [String: QueryTerm.Operation] = [
        "add": .sum, "divide": .quotient, "modulo": .remainder, "multiply": .product, "subtract": .difference,
    ]

    /// Functions by their names in lower case, as production rules write them in any case.
    private static let functions = Dictionary(
        uniqueKeysWithValues: QueryFunction.allCases.map { ($0.rawValue.lowercased(), $0) }
    )

    /// What a function computes.
    mutating func call(
        _ name: String,
        at place: Range<Int>,
        _ arguments: [Condition],
        ignoringCase: Bool,
        in range: Range<Int>
    ) throws(QueryError) -> (QueryTerm, ValueKind) {
        if let operation = Self.arithmetic[name.lowercased()] {
            let signature = Signature(parameters: [.number, .number], required: 2, result: .number)
            let terms = try self.arguments(arguments, of: name, signature, at: place)
            return (.folded(operation, terms[0], terms[1]), .number)
        }
        guard let function = Self.functions[name.lowercased()], let signature = Self.signatures[function] else {
            let names = QueryFunction.allCases.map(\.rawValue) + Self.arithmetic.keys
            let nearest = Suggestion.text(
                for: name,
                among: names,
                otherwise: "the functions are \(names.sorted().joined(separator: ", "))"
            )
            throw error("there is no function '\(name)'\(nearest)", at: place)
        }
        let terms = try self.arguments(arguments, of: function.rawValue, signature, at: place)
        if function == .cidrMatch { try check(blocks: terms.dropFirst(), arguments.dropFirst()) }
        return (.call(function, terms, ignoringCase: ignoringCase && signature.readsCase), signature.result)
    }

    private mutating func arguments(
        _ arguments: [Condition],
        of name: String,
        _ signature: Signature,
        at place: Range<Int>
    ) throws(QueryError) -> [QueryTerm] {
        let most = signature.repeatsLast ? Int.max : signature.parameters.count
        guard (signature.required...most).contains(arguments.count) else {
            let count =
                signature.required == most
                ? "\(most)"
                : signature.repeatsLast ? "at least \(signature.required)" : "\(signature.required) to \(most)"
            let isOne = signature.required == 1 && (most == 1 || most == Int.max)
            throw error("'\(name)' takes \(count) argument\(isOne ? "" : "s"), found \(arguments.count)", at: place)
        }
        var terms: [QueryTerm] = []
        for (index, argument) in arguments.enumerated() {
            let value = try value(argument)
            let kind = signature.parameters[min(index, signature.parameters.count - 1)]
            if kind != .unknown {
                try require(kind, value) { found in
                    "'\(name)' takes \(kind) as argument \(index + 1), found \(found)"
                }
            }
            terms.append(value.term)
        }
        return terms
    }

    /// Checks the blocks of addresses.
    private func check(
        blocks: ArraySlice<QueryTerm>,
        _ conditions: ArraySlice<Condition>
    ) throws(QueryError) {
        for (block, condition) in zip(blocks, conditions) {
            switch block {
            case .constant(.missing): continue
            case .constant(.text(let text)) where AddressBlock(text) != nil: continue
            case .constant:
                throw error(
                    "\(shown(condition.range)) is no block of addresses such as \"10.0.0.0/8\"",
                    at: condition.range
                )
            default:
                throw error(
                    "'cidrMatch' takes constant blocks of addresses, found \(shown(condition.range))",
                    at: condition.range
                )
            }
        }
    }
}
