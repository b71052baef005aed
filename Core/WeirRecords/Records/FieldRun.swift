/// Where the values of one field are, in records whose places are not written: they follow from those of the first record, or
/// from the separators of the records.
///
/// A consumer of columns reads them there. The places are written only for one that looks at those of all records, see
/// ``RecordBatch/slots``.
@frozen
@usableFromInline
struct FieldRun {
    /// The place of the first record's value; each other value follows right behind the one before it.
    @usableFromInline var head = RecordBatch.Slot(start: 0, length: 0, encoding: .absent)

    /// Whether the places of the field are written all the same, since its values differ in their length.
    @usableFromInline var isWritten = false

    /// Which of the texts between the separators of a record it is; negative where ``head`` tells.
    @usableFromInline var column: Int32 = -1

    @usableFromInline
    init() {}
}

/// The separators of records, each of which is plain texts between as many of them.
@safe
@frozen
@usableFromInline
struct RecordMarks {
    /// The separator before the first record, and those of the records; allocated when there are some first.
    ///
    /// Safety: holds ``capacity`` of them; only the batch that allocated them frees them, and it outlives its views.
    var places: UnsafeMutablePointer<UInt32>?
    var capacity = 0

    /// How many a record has; zero where there are none.
    var count = 0

    /// What is added to their places.
    var origin: UInt32 = 0

    @usableFromInline
    init() {}

    /// The texts of a record, all of them or one.
    func texts(_ range: Range<Int>, at index: Int) -> (start: UInt32, length: UInt32) {
        let first = unsafe places.unsafelyUnwrapped + (index * count + range.lowerBound)
        let start = unsafe first.pointee &+ 1
        return unsafe (start &+ origin, first[range.count] &- start)
    }
}

extension RecordFrame {
    /// Where a field of a record is, whose places are not written.
    func slot(_ field: Int, at index: Int) -> RecordBatch.Slot {
        let run = unsafe runs[field]
        if run.column >= 0 {
            let (start, length) = marks.texts(Int(run.column)..<Int(run.column) + 1, at: index)
            return RecordBatch.Slot(start: start, length: length, encoding: .plain)
        }
        var slot = run.head
        slot.start &+= UInt32(truncatingIfNeeded: index) &* slot.length
        return slot
    }

    /// Where a record is, whose place is not written.
    func row(at index: Int) -> RecordBatch.Row {
        var row = firstRow
        row.line &+= UInt64(index)
        if marks.count > 0 { (row.start, row.length) = marks.texts(0..<marks.count, at: index) }
        return row
    }
}

extension RecordBatch {
    /// Has the places of all records follow from those of the first one, all of whose fields are absent.
    @usableFromInline
    mutating func beginRuns(_ row: Row) {
        unsafe frame.pointee.isUnwritten = true
        unsafe frame.pointee.firstRow = row
        unsafe frame.pointee.marks.count = 0
        for field in 0..<fieldCount { unsafe frame.pointee.runs[field] = FieldRun() }
    }

    /// Makes room for the separators of as many records as fit.
    ///
    /// - Returns: The room; `nil` where that is much more than the places of the fields.
    mutating func roomForMarks(columnCount: Int) -> UnsafeMutablePointer<UInt32>? {
        guard columnCount <= 4 * fieldCount + 4 else { return nil }
        let needed = capacity * columnCount + 1
        if unsafe frame.pointee.marks.capacity < needed {
            unsafe frame.pointee.marks.places?.deallocate()
            unsafe frame.pointee.marks.places = .allocate(capacity: needed)
            unsafe frame.pointee.marks.capacity = needed
        }
        return unsafe frame.pointee.marks.places
    }

    /// Has the places of some records follow from their separators; there are no others yet.
    mutating func beginMarks(_ count: Int, columns: [Int32], columnCount: Int, line: UInt64, origin: UInt32) {
        recordCount = count
        beginRuns(Row(line: line, start: 0, length: 0))
        unsafe frame.pointee.marks.count = columnCount
        unsafe frame.pointee.marks.origin = origin
        for field in 0..<fieldCount { unsafe frame.pointee.runs[field].column = columns[field] }
    }

    /// Writes the places that are not written.
    @usableFromInline
    @inline(never)
    func writePlaces() {
        guard unsafe frame.pointee.isUnwritten else { return }
        for index in 0..<recordCount { unsafe rowPlaces[index] = frame.pointee.row(at: index) }
        for field in 0..<fieldCount where unsafe !frame.pointee.runs[field].isWritten { writeRun(field) }
        unsafe frame.pointee.isUnwritten = false
    }

    /// Writes the places of a field, so that single ones can be changed.
    @usableFromInline
    @inline(never)
    func writeRun(_ field: Int) {
        var place = unsafe slotPlaces + field
        for index in 0..<recordCount {
            unsafe place.pointee = frame.pointee.slot(field, at: index)
            unsafe place += fieldCount
        }
        unsafe frame.pointee.runs[field].isWritten = true
    }

    /// The run of a field, where its places are not written.
    func run(ofField field: Int) -> UnsafePointer<FieldRun>? {
        guard unsafe frame.pointee.isUnwritten, unsafe !frame.pointee.runs[field].isWritten else { return nil }
        return unsafe UnsafePointer(frame.pointee.runs + field)
    }
}
