internal import WeirRecords

/// A term that was made ready to be computed of the values of fields.
///
/// Thread safety: a value; the closures have no state.
struct TermProgram: Sendable {
    /// Computes a value of the values of all fields.
    typealias Code = @Sendable (_ values: [QueryValue]) -> QueryValue

    /// The fields that are read, in their order.
    let fields: [Int]
    private let code: Code

    /// Makes a term ready.
    ///
    /// - Parameters:
    ///   - term: The term.
    ///   - fields: The fields that its indexes mean.
    init(_ term: QueryTerm, over fields: [QueryPlan.Field]) {
        self.fields = term.fields.sorted()
        code = Self.code(of: term, fields)
    }

    /// The value, of the values of the fields.
    func value(of values: [QueryValue]) -> QueryValue { code(values) }

    private static func code(of term: QueryTerm, _ fields: [QueryPlan.Field]) -> Code {
        switch term {
        case .constant(let value): return { _ in value }
        case .field(let index): return { $0[index] }
        case .not(let term):
            let code = code(of: term, fields)
            return { (!Truth(code($0))).value }
        case .negative(let term):
            let code = code(of: term, fields)
            return { code($0).mapped(Arithmetic.negative) }
        case .isMissing(let term):
            let code = code(of: term, fields)
            return { .boolean(code($0).isMissing) }
        case .binary(let operation, let left, let right):
            return self.code(of: operation, left, right, fields)
        case .isAny(let term, let constants, let ignoresCase):
            let code = code(of: term, fields)
            let choice = Choice(constants, ignoringCase: ignoresCase)
            return { values in code(values).mapped { .boolean(choice.contains($0)) }.collapsed }
        case .matches(let term, let patterns):
            let code = code(of: term, fields)
            return { values in
                code(values).mapped { value in
                    guard let text = value.written else { return .missing }
                    return .boolean(patterns.contains { $0.matches(text) })
                }.collapsed
            }
        case .call(.cidrMatch, let terms, _) where terms.count > 1 && terms.dropFirst().allSatisfy(\.isText):
            let code = code(of: terms[0], fields)
            let blocks = terms.dropFirst().compactMap(\.addressBlock)
            return { values in
                code(values).mapped { value in
                    guard let address = value.text else { return .missing }
                    return .boolean(blocks.contains { $0.contains(address) })
                }
            }
        case .call(let function, let terms, let ignoresCase):
            let codes = terms.map { self.code(of: $0, fields) }
            return { values in
                let arguments = codes.map { $0(values) }
                return function.values(of: arguments, ignoringCase: ignoresCase)
            }
        }
    }

    private static func code(
        of operation: QueryTerm.Operation,
        _ left: QueryTerm,
        _ right: QueryTerm,
        _ fields: [QueryPlan.Field]
    ) -> Code {
        let (first, second) = (code(of: left, fields), code(of: right, fields))
        switch operation {
        case .and:
            return { values in
                let left = Truth(first(values))
                if left == .no { return .boolean(false) }
                let right = Truth(second(values))
                return (right == .no ? .no : left == .yes ? right : .unknown).value
            }
        case .or:
            return { values in
                let left = Truth(first(values))
                if left == .yes { return .boolean(true) }
                let right = Truth(second(values))
                return (right == .yes ? .yes : left == .no ? right : .unknown).value
            }
        case .sum, .difference, .product, .quotient, .remainder:
            return { values in
                let right = second(values)
                return first(values).mapped { left in right.mapped { Arithmetic.value(operation, left, $0) } }.flattened
            }
        default:
            let comparison = Comparison(operation, areVersions: left.isVersion(fields) || right.isVersion(fields))
            return { values in comparison.truth(first(values), second(values)).value }
        }
    }
}

/// A comparison of two values, of which one of several on a side is enough.
struct Comparison: Sendable {
    let operation: QueryTerm.Operation
    let areVersions: Bool

    init(_ operation: QueryTerm.Operation, areVersions: Bool) {
        self.operation = operation
        self.areVersions = areVersions
    }

    func truth(_ left: QueryValue, _ right: QueryValue) -> Truth {
        // Whether values differ is the opposite of whether one is the same.
        if operation == .notEqual { return !Comparison(.equal, areVersions: areVersions).truth(left, right) }
        switch (left, right) {
        case (.list, _), (_, .list): break
        default: return Truth(holds(left, right))
        }
        var truth = Truth.unknown
        for left in left.elements {
            for right in right.elements {
                guard let holds = holds(left, right) else { continue }
                if holds { return .yes }
                truth = .no
            }
        }
        return truth
    }

    private func holds(_ left: QueryValue, _ right: QueryValue) -> Bool? {
        if operation == .equal { return left.equals(right) }
        var order = left.order(to: right)
        if areVersions, let left = left.text, let right = right.text {
            order = VersionText(left).order(to: VersionText(right))
        }
        guard let order else { return nil }
        return switch operation {
        case .less: order == .before
        case .lessOrEqual: order != .after
        case .greater: order == .after
        default: order != .before
        }
    }
}

/// Several constants, one of which a value may equal.
struct Choice: Sendable {
    private let texts: Set<[UInt8]>
    private let others: [QueryValue]
    private let ignoresCase: Bool

    init(_ constants: [QueryValue], ignoringCase: Bool) {
        ignoresCase = ignoringCase
        var texts: Set<[UInt8]> = []
        for case .text(let text) in constants { texts.insert(Self.bytes(text, ignoringCase)) }
        self.texts = texts
        others = constants.filter { $0.text == nil }
    }

    // Bytes, because texts that look the same may be different characters.
    private static func bytes(_ text: String, _ ignoresCase: Bool) -> [UInt8] {
        ignoresCase ? Letters.folded(text.utf8) : Array(text.utf8)
    }

    func contains(_ value: QueryValue) -> Bool {
        if case .text(let text) = value { return texts.contains(Self.bytes(text, ignoresCase)) }
        return others.contains { $0.equals(value) ?? false }
    }
}

extension QueryValue {
    /// Of several truths whether one is true.
    var collapsed: QueryValue { if case .list = self { Truth(self).value } else { self } }
}

extension QueryFunction {
    /// Computes the function of values of which one may be several: of each of them then.
    func values(of arguments: [QueryValue], ignoringCase ignoresCase: Bool) -> QueryValue {
        guard let several = arguments.firstIndex(where: { if case .list = $0 { true } else { false } }) else {
            return value(of: arguments, ignoringCase: ignoresCase)
        }
        return arguments[several].mapped { element in
            var arguments = arguments
            arguments[several] = element
            return values(of: arguments, ignoringCase: ignoresCase)
        }.flattened
    }
}

extension QueryValue {
    /// A list without lists in it.
    fileprivate var flattened: QueryValue {
        guard case .list(let values) = self else { return self }
        return .list(values.flatMap(\.elements))
    }
}

extension QueryTerm {
    /// The fields that are read.
    var fields: Set<Int> {
        switch self {
        case .constant: []
        case .field(let index): [index]
        case .not(let term), .negative(let term), .isMissing(let term), .isAny(let term, _, _), .matches(let term, _):
            term.fields
        case .binary(_, let left, let right): left.fields.union(right.fields)
        case .call(_, let terms, _): terms.reduce(into: []) { $0.formUnion($1.fields) }
        }
    }

    /// The term with other indexes of fields.
    func mapFields(_ index: (Int) -> Int) -> QueryTerm {
        switch self {
        case .constant: self
        case .field(let field): .field(index(field))
        case .not(let term): .not(term.mapFields(index))
        case .negative(let term): .negative(term.mapFields(index))
        case .isMissing(let term): .isMissing(term.mapFields(index))
        case .binary(let operation, let left, let right):
            .binary(operation, left.mapFields(index), right.mapFields(index))
        case .isAny(let term, let values, let ignoresCase):
            .isAny(term.mapFields(index), values, ignoringCase: ignoresCase)
        case .matches(let term, let patterns): .matches(term.mapFields(index), patterns)
        case .call(let function, let terms, let ignoresCase):
            .call(function, terms.map { $0.mapFields(index) }, ignoringCase: ignoresCase)
        }
    }

    fileprivate var isText: Bool { if case .constant(.text) = self { true } else { false } }

    fileprivate var addressBlock: AddressBlock? {
        if case .constant(.text(let text)) = self { AddressBlock(text) } else { nil }
    }

    fileprivate func isVersion(_ fields: [QueryPlan.Field]) -> Bool {
        if case .field(let index) = self { fields[index].type == .version } else { false }
    }
}
