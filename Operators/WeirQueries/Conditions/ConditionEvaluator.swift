internal import WeirCore
internal import WeirRecords

/// Evaluates conditions for blocks of records: atom by atom over columns, and by row only where nothing else decides.
struct ConditionEvaluator {
    /// What was decided of a text: nothing yet, or a truth, of which yes and unknown have a bit of their own.
    private static let undecided: UInt8 = 3

    private struct Atom {
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

    private let fields: QueryFields
    private var atoms: [Atom]
    private var stamp = 0

    /// The values of all fields, of which a program reads some.
    private var values: [QueryValue]

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

    private mutating func rowTruths(
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

    // MARK: By column

    private mutating func numberTruths(
        _ index: Int,
        _ field: Int,
        _ operation: QueryTerm.Operation,
        _ constant: Double,
        _ batch: borrowing RecordBatch,
        _ start: Int,
        _ count: Int
    ) -> TruthBits {
        let place = fields.places[field]
        // What is no number is left for the program: texts that differ from every number, lists, and missing values.
        var (truths, others) = columns.withNumbers(ofPlace: place, in: batch) { numbers, valid in
            Self.compare(numbers, valid, operation, constant, start, count)
        }
        if !others.isEmpty {
            let rest = rowTruths(index, batch, start, others)
            truths = TruthBits(yes: truths.yes & ~others | rest.yes, known: truths.known & ~others | rest.known)
        }
        return truths
    }

    private static func compare(
        _ numbers: [Double],
        _ valid: [UInt64],
        _ operation: QueryTerm.Operation,
        _ constant: Double,
        _ start: Int,
        _ count: Int
    ) -> (truths: TruthBits, others: RowBits) {
        var known = RowBits.zero
        for word in 0..<(count + 63) >> 6 { known[word] = valid[start >> 6 + word] }
        let yes: RowBits =
            switch operation {
            case .equal: bits(numbers, start, count) { $0 == constant }
            case .notEqual: bits(numbers, start, count) { $0 != constant }
            case .less: bits(numbers, start, count) { $0 < constant }
            case .lessOrEqual: bits(numbers, start, count) { $0 <= constant }
            case .greater: bits(numbers, start, count) { $0 > constant }
            default: bits(numbers, start, count) { $0 >= constant }
            }
        return (TruthBits(yes: yes & known, known: known), RowBits.first(count) & ~known)
    }

    @inline(__always)
    private static func bits(_ numbers: [Double], _ start: Int, _ count: Int, _ holds: (Double) -> Bool) -> RowBits {
        var bits = RowBits.zero
        var row = start
        for word in 0..<(count + 63) >> 6 {
            var part: UInt64 = 0
            for bit in 0..<UInt64(min(64, count - word << 6)) {
                part |= (holds(numbers[row]) ? 1 : 0) << bit
                row += 1
            }
            bits[word] = part
        }
        return bits
    }

    private mutating func textTruths(
        _ index: Int,
        _ place: Int,
        _ part: Int,
        _ batch: borrowing RecordBatch,
        _ start: Int,
        _ count: Int
    ) -> TruthBits {
        var truths = TruthBits(yes: .zero, known: .zero)
        var others = RowBits.zero
        var decided = exchange(&atoms[index].decided[part], with: [])
        let atom = atoms[index]
        let type = fields.fields.isEmpty || atom.category != nil ? nil : fields.fields[atom.program.fields[0]].type
        var values = self.values
        let missing = Self.truth(atom, .missing, &values)
        columns.withTexts(ofPlace: place, in: batch) { codes, texts in
            while decided.count < texts.count * 4 { decided.append(Self.undecided) }
            for word in 0..<(count + 63) >> 6 {
                var (yes, unknown, other) = (UInt64(0), UInt64(0), UInt64(0))
                let first = start + word << 6
                let rows = codes[first..<first + min(64, count - word << 6)]
                let all = ~0 >> UInt64(64 - rows.count) as UInt64
                var bit: UInt64 = 1
                for code in rows {
                    var truth = missing.rawValue
                    if code >= 0 {
                        truth = decided[Int(code)]
                        if truth == Self.undecided {
                            let kind = FieldKind(rawValue: UInt8(code & 3)) ?? .untyped
                            let value = QueryValue(texts[Int(code >> 2)].utf8, kind: kind, as: type)
                            truth = Self.truth(atom, value, &values).rawValue
                            decided[Int(code)] = truth
                        }
                    }
                    yes |= truth & Truth.yes.rawValue != 0 ? bit : 0
                    unknown |= truth & Truth.unknown.rawValue != 0 ? bit : 0
                    other |= code < -1 ? bit : 0
                    bit &<<= 1
                }
                truths.yes[word] = yes & ~other
                truths.known[word] = all & ~(unknown | other)
                others[word] = other
            }
        }
        atoms[index].decided[part] = decided
        self.values = values
        guard !others.isEmpty else { return truths }
        // The column has as many texts as it may have.
        others.forEachRow { row in
            let value = columns.values.value(ofPlace: place, as: type, at: start + row, in: batch)
            truths.set(row >> 6, 1 << UInt64(row & 63), Self.truth(atom, value, &values))
        }
        return truths
    }

    private static func truth(_ atom: Atom, _ value: QueryValue, _ values: inout [QueryValue]) -> Truth {
        if let category = atom.category {
            guard !value.isMissing else { return .unknown }
            return value.elements.contains { $0.written == category } ? .yes : .no
        }
        values[atom.program.fields[0]] = value
        return Truth(atom.program.value(of: values))
    }

    /// The first field that a record has decides.
    private mutating func categoryTruths(
        _ index: Int,
        _ batch: borrowing RecordBatch,
        _ start: Int,
        _ count: Int
    ) -> TruthBits {
        let all = RowBits.first(count)
        var truths = TruthBits(yes: .zero, known: .zero)
        for (part, place) in fields.categories.enumerated() {
            let rest = all & ~truths.known
            if rest.isEmpty { break }
            let more = textTruths(index, place, part, batch, start, count)
            truths = TruthBits(yes: truths.yes | (more.yes & rest), known: truths.known | (more.known & rest))
        }
        if !truths.yes.isEmpty { atoms[index].wasSeen = true }
        // A record without a category is of none.
        truths.known = all
        return truths
    }
}

extension TruthBits {
    fileprivate mutating func set(_ word: Int, _ bit: UInt64, _ truth: UInt8) {
        if truth == Truth.yes.rawValue { yes[word] |= bit }
        if truth != Truth.unknown.rawValue { known[word] |= bit }
    }

    fileprivate mutating func set(_ word: Int, _ bit: UInt64, _ truth: Truth) { set(word, bit, truth.rawValue) }
}
