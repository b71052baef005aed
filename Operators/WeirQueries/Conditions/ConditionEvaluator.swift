internal import WeirCore
internal import WeirRecords

/// Evaluates conditions for blocks of records: atom by atom over columns, and by row only where nothing else decides.
struct ConditionEvaluator {
    /// What was decided of a text: nothing yet, or a truth, of which yes and unknown have a bit of their own.
    static let undecided: UInt8 = 3

    struct Atom {
        let method: ConditionAtom.Method
        let program: TermProgram
        let category: String?
        // By the place of a category, otherwise 0; then by the number of the text and the kind.
        var decided: [[UInt8]]
        /// Of a category, whether a record had it.
        var wasSeen = false
        var stamp = 0
        var truths = TruthBits(yes: .zero, known: .zero)
    }

    let fields: QueryFields
    var atoms: [Atom]
    private var stamp = 0

    // By the place of a field: how many atoms its texts decide.
    private(set) var textAtomCounts: [Int: Int] = [:]

    /// From how many atoms of a field on its rows are told apart by their texts.
    static var manyAtoms: Int { 4 }

    /// The values of all fields, of which a program reads some.
    var values: [QueryValue]

    /// The columns of the batch.
    var columns: RecordColumns

    init(_ conditions: ConditionSet, over fields: QueryFields) {
        self.fields = fields
        values = Array(repeating: .missing, count: fields.fields.count)
        columns = RecordColumns(fields)
        atoms = conditions.atoms.map { atom in
            var (term, category) = (QueryTerm.constant(.missing), String?.none)
            switch atom.subject {
            case .term(let subject): term = subject
            case .category(let name): category = name
            }
            return Atom(
                method: atom.method,
                program: TermProgram(term, over: fields.fields),
                category: category,
                decided: Array(repeating: [], count: max(1, fields.categories.count))
            )
        }
        for atom in conditions.atoms {
            switch atom.method {
            case .texts(let field): textAtomCounts[fields.places[field], default: 0] += 1
            case .category: for place in fields.categories { textAtomCounts[place, default: 0] += 1 }
            default: break
            }
        }
    }

    /// Starts over with a batch.
    mutating func begin(_ batch: borrowing RecordBatch) {
        columns.begin(batch)
        stamp += 1
    }

    /// Starts with the next block of the batch.
    mutating func beginBlock() { stamp += 1 }

    /// Evaluates a condition.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - batch: The batch.
    ///   - start: The first row of the block.
    ///   - wanted: The rows of the block for which the truth is wanted.
    /// - Returns: The truths, right where they are wanted.
    mutating func truths(
        of condition: Condition,
        in batch: borrowing RecordBatch,
        from start: Int,
        wanted: RowBits
    ) -> TruthBits {
        switch condition {
        case .always: return .allYes
        case .atom(let index): return truths(ofAtom: index, batch, start, wanted)
        case .not(let condition): return !truths(of: condition, in: batch, from: start, wanted: wanted)
        case .and(let parts):
            var result = TruthBits.allYes
            for part in parts {
                let rest = wanted & ~result.no
                if rest.isEmpty { break }
                result = result.and(truths(of: part, in: batch, from: start, wanted: rest))
            }
            return result
        case .or(let parts):
            var result = !TruthBits.allYes
            for part in parts {
                let rest = wanted & ~result.yes
                if rest.isEmpty { break }
                result = result.or(truths(of: part, in: batch, from: start, wanted: rest))
            }
            return result
        }
    }

    private mutating func truths(
        ofAtom index: Int,
        _ batch: borrowing RecordBatch,
        _ start: Int,
        _ wanted: RowBits
    ) -> TruthBits {
        if case .rows = atoms[index].method { return rowTruths(index, batch, start, wanted) }
        // Columns are decided for the whole block, so that other rules find it done.
        if atoms[index].stamp != stamp {
            let count = min(RowBits.rowCount, batch.count - start)
            let truths =
                switch atoms[index].method {
                case .numbers(let field, let operation, let constant):
                    numberTruths(index, field, operation, constant, batch, start, count)
                case .texts(let field): textTruths(index, fields.places[field], 0, batch, start, count)
                default: categoryTruths(index, batch, start, count)
                }
            atoms[index].truths = truths
            atoms[index].stamp = stamp
        }
        return atoms[index].truths
    }

    /// The categories that records have had, of those that the conditions name.
    var seenCategories: [String] { Set(atoms.filter(\.wasSeen).compactMap(\.category)).sorted() }

    /// Notes that records have had some categories.
    mutating func noteSeen(_ categories: [String]) {
        for index in atoms.indices where atoms[index].category.map(categories.contains) ?? false {
            atoms[index].wasSeen = true
        }
    }

    /// What is said where no record has had some categories; `nil` where all have occurred.
    func remark(onCategories wanted: Set<String>) -> String? {
        func list(_ names: [String]) -> String {
            names.prefix(10).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 10 ? ", ..." : "")
        }
        let unseen = atoms.filter { !$0.wasSeen }.compactMap(\.category).filter(wanted.contains)
        guard !unseen.isEmpty else { return nil }
        let seen = Set(fields.categories.flatMap { columns.knownTexts(ofPlace: $0) }).subtracting([""]).sorted()
        if seen.isEmpty {
            let names = fields.categories.map { fields.schema.fields[$0].name }
            return
                "no record has a category, which the rules name: \(list(unseen)); --category FIELD says where it is, and not in "
                + list(names)
        }
        return "no record has the category \(list(unseen))"
            + (unseen.count == 1
                ? Suggestion.text(for: unseen[0], among: seen, otherwise: "there is \(list(seen))")
                : "; there is \(list(seen))")
    }

    // MARK: By row

    mutating func rowTruths(
        _ index: Int,
        _ batch: borrowing RecordBatch,
        _ start: Int,
        _ wanted: RowBits
    ) -> TruthBits {
        var truths = TruthBits(yes: .zero, known: .zero)
        for word in 0..<8 {
            var rest = wanted[word]
            while rest != 0 {
                let bit = rest & (~rest &+ 1)
                let row = start + word << 6 + rest.trailingZeroBitCount
                rest &= rest - 1
                guard row < batch.count else { break }
                truths.set(word, bit, truth(of: index, at: row, in: batch))
            }
        }
        return truths
    }

    private mutating func truth(of index: Int, at row: Int, in batch: borrowing RecordBatch) -> Truth {
        for field in atoms[index].program.fields { values[field] = columns.values.value(of: field, at: row, in: batch) }
        return Truth(atoms[index].program.value(of: values))
    }
}

extension TruthBits {
    mutating func set(_ word: Int, _ bit: UInt64, _ truth: UInt8) {
        if truth == Truth.yes.rawValue { yes[word] |= bit }
        if truth != Truth.unknown.rawValue { known[word] |= bit }
    }

    mutating func set(_ word: Int, _ bit: UInt64, _ truth: Truth) { set(word, bit, truth.rawValue) }
}
