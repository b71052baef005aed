internal import CWeir
internal import WeirCore

/// As what the fields of batches are asked for, from one batch to another of the same schema.
package struct FieldKinds: Sendable {
    fileprivate var kinds: [FieldColumn.Kind] = []

    /// Creates kinds that are not known yet.
    package init() {}
}

/// The numbers of a field in all records of a batch, read at once before a consumer asks for them one by one.
///
/// A batch is used again and again by one consumer. So it notes as what a field is asked for, and reads the field of later
/// records as that, in one pass over the column. What the pass does not read, the consumer's own reading judges; the text
/// stays where it is.
@safe
@frozen
@usableFromInline
struct FieldColumn {
    /// What a number is read as.
    @frozen
    @usableFromInline
    enum Kind: UInt8, Sendable {
        case none, double, integer, time
    }

    /// As what the field was asked for last.
    var wanted = Kind.none

    /// What the values are; `none` where they are not those of the batch's records.
    @usableFromInline var kind = Kind.none

    // Eight bytes for each record, and a bit that says whether they are read; allocated when they are filled first.
    // Safety: both hold the batch's capacity; only the batch that allocated them frees them, and it outlives its views.
    @usableFromInline var values: UnsafeMutableRawPointer?
    @usableFromInline var valid: UnsafeMutablePointer<UInt64>?

    init() {}

    /// Whether the value of a record was read as a kind.
    @inlinable
    @inline(__always)
    func hasValue(_ kind: Kind, at index: Int) -> Bool {
        // Safety: a column that was filled, as its kind says, has its bits.
        unsafe kind == self.kind && valid.unsafelyUnwrapped[index &>> 6] &>> UInt64(index & 63) & 1 != 0
    }

    /// The value of a record that has one.
    @inlinable
    @inline(__always)
    func value<Value: BitwiseCopyable>(at index: Int, as type: Value.Type) -> Value {
        unsafe values.unsafelyUnwrapped.load(fromByteOffset: index &<< 3, as: type)
    }

    /// Reads a field of all records as what is wanted.
    mutating func fill(_ field: borrowing RecordField, capacity: Int) {
        guard kind == .none, wanted != .none else { return }
        if wanted == .time, field.timeScale.ofIntegers == nil { return }
        if unsafe values == nil {
            unsafe values = .allocate(byteCount: capacity * 8, alignment: 8)
            unsafe valid = .allocate(capacity: (capacity + 63) / 64)
        }
        guard let values = unsafe values, let valid = unsafe valid else { return }
        unsafe withUnsafePointer(to: field.column) { column in
            switch wanted {
            case .none: break
            case .double:
                unsafe cweir_column_doubles(column, values.assumingMemoryBound(to: Double.self), valid)
            case .integer:
                unsafe cweir_column_integers(column, values.assumingMemoryBound(to: Int64.self), valid)
            case .time:
                let scale = field.timeScale.ofIntegers ?? 1
                unsafe cweir_column_times(column, scale, values.assumingMemoryBound(to: Int64.self), valid)
            }
        }
        kind = wanted
    }

    func deallocate() {
        unsafe values?.deallocate()
        unsafe valid?.deallocate()
    }
}

extension RecordBatch {
    /// Reads the numbers that a consumer will ask for, as far as earlier records have shown which.
    ///
    /// Without it they are read one by one, with the same results.
    ///
    /// - Complexity: O(*n*) for *n* bytes of the fields. Allocates only at the first use of a field.
    @usableFromInline
    package mutating func readAhead() {
        guard recordCount > 0 else { return }
        for field in 0..<fieldCount {
            unsafe columns[field].fill(allRecords(ofField: field), capacity: capacity)
        }
    }

    /// Has those fields read ahead that were not asked for yet, as those of another batch were.
    mutating func adopt(_ known: borrowing FieldKinds) {
        for field in known.kinds.indices where unsafe columns[field].wanted == .none {
            unsafe columns[field].wanted = known.kinds[field]
        }
    }

    /// Notes as what the fields were asked for.
    func note(in known: inout FieldKinds) {
        if known.kinds.isEmpty { known.kinds = Array(repeating: .none, count: fieldCount) }
        for field in known.kinds.indices { unsafe known.kinds[field] = columns[field].wanted }
    }

    /// Forgets what was read ahead, of other records.
    mutating func forgetValues() {
        for field in 0..<fieldCount { unsafe columns[field].kind = .none }
    }
}
