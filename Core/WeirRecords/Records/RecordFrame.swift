/// What the records of a batch have in common.
@safe
@frozen
@usableFromInline
struct RecordFrame {
    /// Where the batch's bytes start.
    @usableFromInline var base: UnsafePointer<UInt8>

    /// How many there are.
    @usableFromInline var byteCount = 0

    /// How times are read.
    @usableFromInline let timeScale: TimeScale

    /// What was read ahead of each field, and what views of records were asked for.
    @usableFromInline let columns: UnsafeMutablePointer<FieldColumn>

    /// Whether places of the batch's records are not written yet, because they follow from what is below.
    @usableFromInline var isUnwritten = false

    /// Where the values of each field are.
    @usableFromInline let runs: UnsafeMutablePointer<FieldRun>

    /// The separators between these, where there are any.
    var marks = RecordMarks()

    /// Where the first record is; each one further is on the next line.
    var firstRow = RecordBatch.Row(line: 0, start: 0, length: 0)

    init(
        base: UnsafePointer<UInt8>,
        timeScale: TimeScale,
        columns: UnsafeMutablePointer<FieldColumn>,
        runs: UnsafeMutablePointer<FieldRun>
    ) {
        unsafe self.base = base
        self.timeScale = timeScale
        unsafe self.columns = columns
        unsafe self.runs = runs
    }
}
