internal import WeirCore
internal import WeirRecords

/// What is decided for whole columns.
extension ConditionEvaluator {
    mutating func numberTruths(
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
        let yes = operation.comparison.bits(of: numbers, start..<start + count, with: constant)
        return (TruthBits(yes: yes & known, known: known), RowBits.first(count) & ~known)
    }

    mutating func textTruths(
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
        let isShared = textAtomCounts[place, default: 0] >= Self.manyAtoms
        if isShared { columns.withTexts(ofPlace: place, in: batch) { _, _ in } }
        if isShared, let rows = columns.rows(ofPlace: place, from: start, count: count) {
            let texts = columns.knownTexts(ofPlace: place)
            while decided.count < texts.count * 4 { decided.append(Self.undecided) }
            var rest = RowBits.first(count)
            truths.known = rest
            for code in rows.codes {
                var truth = decided[Int(code)]
                if truth == Self.undecided {
                    truth = Self.truth(atom, code, texts, as: type, &values)
                    decided[Int(code)] = truth
                }
                let bits = rows[code]
                rest &= ~bits
                if truth & Truth.yes.rawValue != 0 { truths.yes |= bits }
                if truth & Truth.unknown.rawValue != 0 { truths.known &= ~bits }
            }
            // What has no code is missing: a field with few texts has codes for all of them.
            if missing == .yes { truths.yes |= rest }
            if missing == .unknown { truths.known &= ~rest }
            atoms[index].decided[part] = decided
            self.values = values
            return truths
        }
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
                            truth = Self.truth(atom, code, texts, as: type, &values)
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

    /// What an atom says of a text, by its number and kind.
    private static func truth(
        _ atom: Atom,
        _ code: Int32,
        _ texts: [String],
        as type: QueryType?,
        _ values: inout [QueryValue]
    ) -> UInt8 {
        let kind = FieldKind(rawValue: UInt8(code & 3)) ?? .untyped
        return truth(atom, QueryValue(texts[Int(code >> 2)].utf8, kind: kind, as: type), &values).rawValue
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
    mutating func categoryTruths(
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

extension QueryTerm.Operation {
    /// A comparison as columns do it; it must be one.
    fileprivate var comparison: ColumnComparison {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        default: .greaterOrEqual
        }
    }
}
