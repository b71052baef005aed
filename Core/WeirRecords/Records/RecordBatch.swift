internal import WeirCore

/// A line that was not understood.
public struct Rejection: Sendable {
    /// The number of the line in the input, counted from 1.
    public let line: UInt64

    /// What is wrong and, where there is something to be done, what to do.
    public let reason: String

    /// Where the raw bytes start, counted from the start of the batch's bytes.
    public let start: Int

    /// How many raw bytes there are, without the line's end.
    public let length: Int

    /// Whether this is the next piece of the rejection before it: a line longer than the limit arrives in pieces.
    public let isContinuation: Bool

    /// Whether a next piece of it may follow.
    package let mayContinue: Bool
}

/// Records that were found in a stretch of bytes, as places in these bytes: nothing is copied.
///
/// A decoder fills a batch, a consumer reads it, and it is used again: no allocation in steady state. The bytes belong
/// to the reader that drives both, and stay valid until the batch is used again.
@safe
public struct RecordBatch: ~Copyable {
    /// Where one field of one record is.
    @frozen
    @usableFromInline
    struct Slot {
        @usableFromInline var start: UInt32
        @usableFromInline var length: UInt32
        @usableFromInline var encoding: FieldEncoding
        // Of a decimal: how many digits stand after the point; the highest bit says that the number is minus zero.
        @usableFromInline var scale: UInt8

        @inlinable
        init(start: UInt32, length: UInt32, encoding: FieldEncoding, scale: UInt8 = 0) {
            self.start = start
            self.length = length
            self.encoding = encoding
            self.scale = scale
        }
    }

    /// Where one record is.
    @frozen
    @usableFromInline
    struct Row {
        @usableFromInline var line: UInt64
        @usableFromInline var start: UInt32
        @usableFromInline var length: UInt32

        @inlinable
        init(line: UInt64, start: UInt32, length: UInt32) {
            self.line = line
            self.start = start
            self.length = length
        }
    }

    /// What is wanted of each record.
    public let schema: RecordSchema

    /// How many records fit.
    public let capacity: Int

    /// How many records there are.
    @inlinable public var count: Int { recordCount }

    @usableFromInline var recordCount = 0

    /// The lines that were not understood, and the records that a consumer refused, in no particular order.
    public internal(set) var rejections: [Rejection] = []

    /// What the places that a decoder gives are counted from, itself counted from the start of the batch's bytes.
    ///
    /// A decoder that hands a part of its bytes to another one sets it to where that part starts. It is zero after
    /// ``begin(in:)``.
    public var origin = 0

    /// What is added to the lines of ``rows``.
    var lineShift: UInt64 = 0

    /// Whether records of which only some tell text from numbers may stand beside each other, as where inputs are merged.
    var mayMixKinds = false

    /// What columns are read with; the processor must have it.
    var kernel = ScanKernel.best

    @usableFromInline let fieldCount: Int
    // Where the places are, also while they are not written.
    @usableFromInline let slotPlaces: UnsafeMutablePointer<Slot>
    @usableFromInline let rowPlaces: UnsafeMutablePointer<Row>
    @usableFromInline let frame: UnsafeMutablePointer<RecordFrame>

    /// Where the fields of the records are, those of each record side by side.
    @inlinable
    var slots: UnsafeMutablePointer<Slot> {
        if unsafe frame.pointee.isUnwritten { writePlaces() }
        return unsafe slotPlaces
    }

    /// Where the records are.
    @inlinable
    var rows: UnsafeMutablePointer<Row> {
        if unsafe frame.pointee.isUnwritten { writePlaces() }
        return unsafe rowPlaces
    }

    @usableFromInline var base: UnsafePointer<UInt8> { unsafe frame.pointee.base }
    @usableFromInline var byteCount: Int { unsafe frame.pointee.byteCount }
    var timeScale: TimeScale { unsafe frame.pointee.timeScale }
    var columns: UnsafeMutablePointer<FieldColumn> { unsafe frame.pointee.columns }

    /// Creates an empty batch.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - capacity: How many records fit; at least one.
    public init(schema: RecordSchema, capacity: Int = 512) {
        precondition(capacity > 0, "a batch needs room for a record, not for \(capacity)")
        self.schema = schema
        self.capacity = capacity
        self.fieldCount = schema.fields.count
        unsafe self.slotPlaces = .allocate(capacity: max(1, capacity * schema.fields.count))
        unsafe self.rowPlaces = .allocate(capacity: capacity)
        unsafe self.placeholder = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
        let columns = UnsafeMutablePointer<FieldColumn>.allocate(capacity: max(1, fieldCount))
        unsafe columns.initialize(repeating: FieldColumn(), count: fieldCount)
        let runs = UnsafeMutablePointer<FieldRun>.allocate(capacity: max(1, fieldCount))
        unsafe runs.initialize(repeating: FieldRun(), count: fieldCount)
        unsafe self.frame = .allocate(capacity: 1)
        unsafe frame.initialize(
            to: RecordFrame(base: placeholder, timeScale: TimeScale(schema), columns: columns, runs: runs)
        )
    }

    // What `base` points to before the first use, so that it is never dangling.
    private let placeholder: UnsafePointer<UInt8>

    deinit {
        unsafe slotPlaces.deallocate()
        unsafe rowPlaces.deallocate()
        for field in 0..<fieldCount { unsafe columns[field].deallocate() }
        unsafe columns.deallocate()
        unsafe frame.pointee.runs.deallocate()
        unsafe frame.pointee.marks.places?.deallocate()
        unsafe frame.deallocate()
        unsafe placeholder.deallocate()
    }

    /// Where a record is.
    func row(at index: Int) -> Row {
        var row = unsafe frame.pointee.isUnwritten ? frame.pointee.row(at: index) : rowPlaces[index]
        row.line &+= lineShift
        return row
    }

    /// Whether the decoder has to stop: there is no room for another record or rejection.
    @inlinable
    public var isFull: Bool {
        count == capacity || rejections.count >= capacity
    }

    /// Whether there is neither a record nor a rejection.
    @inlinable
    public var isEmpty: Bool {
        count == 0 && rejections.isEmpty
    }

    // MARK: For decoders

    /// Forgets everything and starts over in new bytes.
    ///
    /// - Parameter bytes: At most 4 GiB; must stay valid and unchanged as long as the batch is read.
    @unsafe
    public mutating func begin(in bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= UInt32.max, "a batch reads at most 4 GiB at a time, not \(bytes.count) bytes")
        recordCount = 0
        origin = 0
        lineShift = 0
        mayMixKinds = false
        unsafe frame.pointee.isUnwritten = false
        rejections.removeAll(keepingCapacity: true)
        forgetValues()
        unsafe frame.pointee.base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? placeholder
        unsafe frame.pointee.byteCount = bytes.count
    }

    /// Starts a record whose fields are all absent; it counts only once `endRecord(start:length:)` is called.
    ///
    /// The batch must not be full.
    ///
    /// - Parameter line: The number of its first line in the input, counted from 1.
    @inlinable
    public mutating func beginRecord(line: UInt64) {
        unsafe rows[count] = Row(line: line, start: 0, length: 0)
        let first = count * fieldCount
        for index in first..<first + fieldCount {
            unsafe slotPlaces[index] = Slot(start: 0, length: 0, encoding: .absent)
        }
    }

    /// Sets where a field of the record that was begun is.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema.
    ///   - start: Where its bytes start, counted from ``origin``.
    ///   - length: How many bytes it has.
    ///   - encoding: How they are to be read.
    ///   - scale: Of a decimal, how many digits stand after the point, from 0 to 127; 128 more make it minus zero.
    @inlinable
    public mutating func setField(_ field: Int, start: Int, length: Int, encoding: FieldEncoding, scale: UInt8 = 0) {
        assert(field >= 0 && field < fieldCount)
        // The places of the records before it were written when it was begun.
        unsafe slotPlaces[count * fieldCount + field] = Slot(
            start: UInt32(truncatingIfNeeded: start &+ origin),
            length: UInt32(truncatingIfNeeded: length),
            encoding: encoding,
            scale: scale
        )
    }

    /// Ends the record that was begun: it now counts.
    ///
    /// - Parameters:
    ///   - start: Where the raw record starts, counted from ``origin``.
    ///   - length: How many bytes it has, without the line's end.
    @inlinable
    public mutating func endRecord(start: Int, length: Int) {
        unsafe rowPlaces[count].start = UInt32(truncatingIfNeeded: start &+ origin)
        unsafe rowPlaces[count].length = UInt32(truncatingIfNeeded: length)
        recordCount += 1
    }

    /// Adds a line that was not understood.
    ///
    /// - Parameters:
    ///   - line: Its number in the input, counted from 1.
    ///   - reason: What is wrong and, where there is something to be done, what to do.
    ///   - start: Where its bytes start, counted from ``origin``.
    ///   - length: How many bytes it has, without the line's end.
    ///   - isContinuation: Whether this is the next piece of the rejection before it.
    ///   - mayContinue: Whether a next piece of it may follow.
    public mutating func reject(
        line: UInt64,
        reason: String,
        start: Int,
        length: Int,
        isContinuation: Bool = false,
        mayContinue: Bool = false
    ) {
        rejections.append(
            Rejection(
                line: line,
                reason: reason,
                start: start + origin,
                length: length,
                isContinuation: isContinuation,
                mayContinue: mayContinue
            )
        )
    }
}
