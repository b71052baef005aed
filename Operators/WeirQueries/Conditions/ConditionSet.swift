internal import WeirRecords

/// A condition as a tree of atoms: parts that are decided as a whole.
indirect enum Condition: Sendable {
    case always
    case atom(Int)
    case not(Condition)
    case and([Condition])
    case or([Condition])
}

/// A part of a condition that is decided as a whole.
struct ConditionAtom: Sendable, Hashable {
    /// What is decided.
    enum Subject: Sendable, Hashable {
        /// Whether a term is true.
        case term(QueryTerm)
        /// Whether the event has a category.
        case category(String)
    }

    /// How it is decided.
    enum Method: Sendable, Hashable {
        /// For a whole column of numbers.
        case numbers(field: Int, QueryTerm.Operation, Double)
        /// Once for each different text of a field.
        case texts(field: Int)
        /// For each row.
        case rows
        /// Once for each different text of the fields of the category.
        case category
    }

    let subject: Subject
    let method: Method
}

/// The conditions of some plans, taken apart into atoms that each occur once.
struct ConditionSet: Sendable {
    let fields: [QueryPlan.Field]
    private(set) var atoms: [ConditionAtom] = []
    private var indexes: [ConditionAtom: Int] = [:]

    init(over fields: [QueryPlan.Field]) { self.fields = fields }

    /// Adds the condition of a step.
    mutating func add(_ step: QueryPlan.Step) -> Condition {
        var parts: [Condition] = []
        if let category = step.category {
            parts.append(.atom(index(of: ConditionAtom(subject: .category(category), method: .category))))
        }
        if let condition = step.condition { parts.append(add(condition)) }
        return parts.isEmpty ? .always : parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func add(_ term: QueryTerm) -> Condition {
        switch term {
        case .binary(.and, _, _): return .and(term.chain(of: .and).map { add($0) })
        case .binary(.or, _, _): return .or(term.chain(of: .or).map { add($0) })
        case .not(let term): return .not(add(term))
        case .constant(.boolean(true)): return .always
        default: return .atom(index(of: ConditionAtom(subject: .term(term), method: method(of: term))))
        }
    }

    private mutating func index(of atom: ConditionAtom) -> Int {
        if let index = indexes[atom] { return index }
        indexes[atom] = atoms.count
        atoms.append(atom)
        return atoms.count - 1
    }

    private func method(of term: QueryTerm) -> ConditionAtom.Method {
        let used = term.fields
        guard used.count == 1, let field = used.first else { return .rows }
        guard case .binary(let operation, .field, .constant(let constant)) = term, operation.isComparison else {
            return .texts(field: field)
        }
        let isText = fields[field].type.isText || fields[field].type == .boolean
        switch constant {
        // The double that is nearest to a whole number is on the same side of these as the number.
        case .integer(let number) where number.magnitude < 1 << 53 && !isText:
            return .numbers(field: field, operation, Double(number))
        // Whole numbers beyond are not doubles, but on the same side of these.
        case .real(let number) where number.magnitude < 0x1p53 && fields[field].type != .integer && !isText:
            return .numbers(field: field, operation, number)
        default: return .texts(field: field)
        }
    }
}

extension QueryTerm.Operation {
    var isComparison: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}

extension QueryTerm {
    /// The operands of an operation and of those of the same kind in its left operands, and theirs.
    fileprivate func chain(of operation: Operation) -> [QueryTerm] {
        var rest = [self]
        var operands: [QueryTerm] = []
        while let term = rest.popLast() {
            if case .binary(operation, let left, let right) = term {
                rest.append(right)
                rest.append(left)
            } else {
                operands.append(term)
            }
        }
        return operands
    }
}
