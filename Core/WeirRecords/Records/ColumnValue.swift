internal import CWeir
public import WeirCore

/// A value that a ``RecordColumn`` can hold: `Double`, `Int64`, `Bool` or `Timestamp`.
public protocol ColumnValue: Sendable {
    /// How a column of such values is read.
    static var columnReading: ColumnReading<Self> { get }
}

/// How a column of values is read; made by this module for the types that it can read.
///
/// Thread safety: a value.
@safe
public struct ColumnReading<Value: Sendable>: Sendable {
    /// What stands in a column where a record has no such value.
    @usableFromInline let placeholder: Value

    /// Reads the fields that are written in a usual way, and returns how many were.
    ///
    /// Takes room for as many values as there are fields, and for a bit for each one that says whether it was read.
    @usableFromInline let readAll:
        @Sendable (borrowing RecordField, UnsafeMutablePointer<Value>, UnsafeMutablePointer<UInt64>) -> Int

    /// Reads a field, however it is written.
    @usableFromInline let readOne: @Sendable (_ record: RecordFields, _ field: Int) throws(FieldError) -> Value
}

/// One field of all records of a batch.
@safe
@usableFromInline
struct RecordField: ~Copyable {
    let column: cweir_column_t
    let timeScale: TimeScale

    /// How many records there are.
    @usableFromInline var count: Int { unsafe column.count }
}

extension RecordBatch {
    /// A field of all records; valid as long as the batch is.
    @usableFromInline
    func allRecords(ofField field: Int) -> RecordField {
        precondition(field < fieldCount, "there are \(fieldCount) fields, so none at \(field)")
        // A slot is laid out as CWeir's, which a test checks, and a run begins with one.
        var column = unsafe cweir_column_t(
            text: base,
            length: byteCount,
            slots: UnsafeRawPointer(slotPlaces + field).assumingMemoryBound(to: cweir_slot_t.self),
            stride: fieldCount,
            run: nil,
            marks: nil,
            origin: 0,
            count: recordCount,
            kernel: cweir_kernel_t(kernel.rawValue)
        )
        if let run = unsafe run(ofField: field) {
            let place = unsafe Int(run.pointee.column)
            if place >= 0, let first = unsafe frame.pointee.marks.places {
                unsafe column.marks = UnsafePointer(first + place)
                unsafe column.stride = frame.pointee.marks.count
                unsafe column.origin = frame.pointee.marks.origin
            } else {
                unsafe column.run = UnsafeRawPointer(run).assumingMemoryBound(to: cweir_slot_t.self)
            }
        }
        return unsafe RecordField(column: column, timeScale: timeScale)
    }

    /// The fields of a record; valid as long as the batch is.
    @inlinable
    func fields(ofRecordAt index: Int) -> RecordFields {
        precondition(index >= 0 && index < count, "there are no records beyond the batch's count")
        return unsafe RecordFields(frame: frame, slots: slotPlaces + index * fieldCount, index: index)
    }
}

extension Double: ColumnValue {
    public static var columnReading: ColumnReading<Double> {
        unsafe ColumnReading(
            placeholder: 0,
            readAll: { field, values, valid in
                unsafe withUnsafePointer(to: field.column) { unsafe cweir_column_doubles($0, values, valid) }
            },
            readOne: { (record, field) throws(FieldError) in try record.double(field) }
        )
    }
}

extension Int64: ColumnValue {
    public static var columnReading: ColumnReading<Int64> {
        unsafe ColumnReading(
            placeholder: 0,
            readAll: { field, values, valid in
                unsafe withUnsafePointer(to: field.column) { unsafe cweir_column_integers($0, values, valid) }
            },
            readOne: { (record, field) throws(FieldError) in try record.integer(field) }
        )
    }
}

extension Bool: ColumnValue {
    public static var columnReading: ColumnReading<Bool> {
        unsafe ColumnReading(
            placeholder: false,
            readAll: { field, values, valid in
                unsafe withUnsafePointer(to: field.column) { unsafe cweir_column_booleans($0, values, valid) }
            },
            readOne: { (record, field) throws(FieldError) in try record.boolean(field) }
        )
    }
}

extension Timestamp: ColumnValue {
    public static var columnReading: ColumnReading<Timestamp> {
        unsafe ColumnReading(
            placeholder: .epoch,
            readAll: { field, values, valid in
                guard let scale = field.timeScale.ofIntegers else {
                    for word in 0..<(field.count + 63) / 64 { unsafe valid[word] = 0 }
                    return 0
                }
                // A time is its nanoseconds and nothing else, which a test checks.
                let nanoseconds = unsafe UnsafeMutableRawPointer(values).assumingMemoryBound(to: Int64.self)
                return unsafe withUnsafePointer(to: field.column) {
                    unsafe cweir_column_times($0, scale, nanoseconds, valid)
                }
            },
            readOne: { (record, field) throws(FieldError) in try record.timestamp(field) }
        )
    }
}
