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

    init(base: UnsafePointer<UInt8>, timeScale: TimeScale, columns: UnsafeMutablePointer<FieldColumn>) {
        unsafe self.base = base
        self.timeScale = timeScale
        unsafe self.columns = columns
    }
}
