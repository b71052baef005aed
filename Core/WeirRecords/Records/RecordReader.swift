/// Reads an input batch by batch: takes bytes from a source, has a decoder find the records, and keeps what is left of
/// an incomplete record for the next time.
///
///     let consumer = RecordSource(decoding: Reading.self).consumer()
///     var reader = RecordReader(source, format: format, schema: consumer.schema)
///     while try reader.next({ batch in consumer.receive(&batch) }) {}
///     consumer.finish(.finished)
///
/// Every complete record is handed out before the reader waits for more bytes, so it serves a terminal as well as a
/// file. Memory stays the same for an input of any size: one buffer, which grows from 256 KiB to the line limit where
/// lines are that long, and one batch.
@safe
public struct RecordReader: ~Copyable {
    /// How many bytes were read so far.
    public private(set) var byteCount: Int64 = 0

    /// The number of the last line that a record or a rejection began on; 0 before the first.
    public private(set) var lastLine: UInt64 = 0

    private let source: any TransportSource
    private var decoder: any RecordDecoder
    private var batch: RecordBatch
    private let greatestCapacity: Int

    // Safety: the buffer is allocated in `init`, replaced only by `makeRoom`, and freed in `deinit`; the batch, which
    // points into it, is handed out only while neither happens.
    private var buffer: UnsafeMutableRawBufferPointer
    private var capacity: Int
    private var start = 0
    private var end = 0

    private enum Phase {
        /// The source may have more.
        case reading
        /// The source has ended; the decoder has not seen that all of it is used up.
        case draining
        case finished
    }

    private var phase = Phase.reading

    // Why the input cannot be read on, while what came before it is handed out.
    private var failure: (any Error)?

    // What ended the source, where it may be taken for a pause.
    private var interruption: TransportError?

    // Why the source broke off, and where the bytes behind its last whole line end, while these lines are handed out.
    private var breach: (error: TransportError, end: Int)?

    /// Whether ``place`` is wanted; set before the first record is read.
    ///
    /// What an interruption leaves unread then stays.
    package var isResumable = false

    // What stands before the first record, as far as it was read.
    private var prelude: [UInt8] = []

    /// Creates a reader at the start of an input.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - format: How they are to be read.
    ///   - schema: What is wanted of each record.
    ///   - limits: What an input that cannot be trusted may take.
    ///   - chunkLength: How many bytes to ask the source for at a time; at least one.
    ///   - batchCapacity: How many records to hand out at a time; at least one.
    public init(
        _ source: any TransportSource,
        format: any Format,
        schema: RecordSchema,
        limits: FormatLimits = FormatLimits(),
        chunkLength: Int = 256 << 10,
        batchCapacity: Int = 512
    ) {
        precondition(chunkLength > 0, "a reader needs chunks of at least one byte, not of \(chunkLength)")
        self.source = source
        decoder = format.makeDecoder(for: schema, limits: limits)
        batch = RecordBatch(schema: schema, capacity: batchCapacity)
        greatestCapacity = max(chunkLength, limits.lineLength + 1)
        capacity = chunkLength
        unsafe buffer = .allocate(byteCount: chunkLength, alignment: 1)
    }

    deinit {
        unsafe buffer.deallocate()
    }

    /// Returns the next records, waiting for bytes where none are left.
    ///
    /// - Parameter body: Called once with a batch that is not empty, unless the input has ended; the batch is valid
    ///   only during the call.
    /// - Returns: False when the input has ended; `body` was then not called.
    /// - Throws: ``TransportError`` when the source breaks off, ``FormatError`` when the input as a whole cannot be
    ///   read, and what `body` throws. After the first two the reader is at its end. What had been read of a record
    ///   when the source broke off is handed out before, as a rejection; but not of a source that an
    ///   interruption ends, unless it drains (``TransportSource/drainsWhenInterrupted``). Whole lines that an open quote
    ///   held back are read as at the end of an input.
    public mutating func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        if let failure {
            self.failure = nil
            throw failure
        }
        while phase != .finished {
            if start < end || phase == .draining, try decode() {
                batch.noteFirstTime()
                try body(&batch)
                return true
            }
            if phase == .reading { try read() }
            if failure != nil {
                try body(&batch)
                return true
            }
        }
        guard let breach else {
            if let interruption { throw interruption }
            return false
        }
        self.breach = nil
        guard start < breach.end else { throw breach.error }
        end = breach.end
        failure = breach.error
        rejectUnread()
        try body(&batch)
        return true
    }

    /// Whether the last line was rejected in part, and its rest is still to come.
    package private(set) var isInRefusedLine = false

    /// Returns what was read and not decoded, and ends the reader: another one can go on with the same source.
    ///
    /// - Returns: The bytes that come before those that the source hands out next.
    package mutating func takeUnread() -> [UInt8] {
        let rest = unsafe [UInt8](buffer[start..<end])
        phase = .finished
        start = end
        return rest
    }

    /// Decodes from what is buffered until there is something to hand out, or bytes are wanting.
    ///
    /// - Returns: Whether there is something to hand out.
    private mutating func decode() throws(FormatError) -> Bool {
        if start == 0, Int64(end) == byteCount, let form = unsafe Compression(beginning: buffer[..<end]) {
            phase = .finished
            throw .compressed(form.program)
        }
        if isResumable, try !readPrelude() { return false }
        while phase != .finished {
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
            unsafe batch.begin(in: bytes)
            let count: Int
            do {
                count = unsafe try decoder.decode(bytes, isFinal: phase == .draining, into: &batch)
            } catch {
                phase = .finished
                guard !batch.isEmpty else { throw error }
                failure = error
                noteLastLine()
                return true
            }
            precondition(
                count >= 0 && count <= bytes.count,
                "the decoder says that it consumed \(count) of \(bytes.count) bytes"
            )
            start += count
            if phase == .draining, !batch.isFull {
                precondition(start == end, "the decoder left \(end - start) bytes at the end of the input")
                phase = .finished
            }
            guard batch.isEmpty else {
                noteLastLine()
                return true
            }
            if count == 0 || (phase == .reading && start == end) { return false }
        }
        return false
    }

    /// Reads once from the source.
    private mutating func read() throws(TransportError) {
        makeRoom()
        do {
            let count = unsafe try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
            end += count
            byteCount += Int64(count)
            // An input without a byte is empty; the decoder has nothing to say about it.
            if count == 0 { phase = byteCount == 0 ? .finished : .draining }
        } catch {
            let isInterrupted = if case .interrupted = error { true } else { false }
            if isInterrupted, let isHeldBack = (source as? HeadKeepingSource)?.isHeldBack {
                // It is asked again then.
                if isHeldBack() { throw error }
                interruption = error
            }
            phase = .finished
            guard start < end, !(isInterrupted && isResumable) else { throw error }
            // After an interruption the rest stays unread, like everything behind it.
            let isLeftThere = isInterrupted && !source.drainsWhenInterrupted
            if let lineEnd = endOfWholeLines {
                breach = (error, isLeftThere ? lineEnd : end)
                end = lineEnd
                phase = .draining
                return
            }
            guard !isLeftThere else { throw error }
            failure = error
            rejectUnread()
        }
    }

    /// Where the last whole line ends that a record was to go on behind; `nil` where there is none.
    private var endOfWholeLines: Int? {
        guard let decoder = decoder as? any SplittableDecoder, decoder.isBehindPrelude else { return nil }
        return unsafe buffer[start..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }

    /// Rejects what there is of a record that will never be whole.
    private mutating func rejectUnread() {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
        unsafe batch.rejectUnread(bytes, with: &decoder, line: lastLine + 1)
        start = end
        noteLastLine()
    }

    /// Moves the incomplete record to the front of the buffer, and makes the buffer larger when that was not enough.
    private mutating func makeRoom() {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
        if rest.count == capacity {
            precondition(
                capacity < greatestCapacity,
                "the decoder consumed nothing of \(capacity) bytes, more than its limit"
            )
            // Twice as much, so that a long line is copied only a few times.
            capacity = min(capacity * 2, greatestCapacity)
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
            unsafe larger.copyMemory(from: rest)
            unsafe buffer.deallocate()
            unsafe buffer = larger
        } else if start > 0 {
            unsafe buffer.copyMemory(from: rest)
        }
        end -= start
        start = 0
    }

    // MARK: Going on another time

    /// What another reader needs to go on behind the last batch; `nil` where the decoder cannot tell, or in the middle of
    /// a line that is too long.
    package var place: Place? {
        guard let decoder = decoder as? any SplittableDecoder, decoder.canGoOn, failure == nil else { return nil }
        return unsafe Place(prelude: prelude, unread: [UInt8](buffer[start..<end]), line: decoder.line)
    }

    /// Goes on where another reader was.
    ///
    /// - Parameters:
    ///   - prelude: What stands before the first record.
    ///   - line: The number of the line that comes next.
    /// - Throws: ``FormatError`` when the records cannot be read behind that.
    package mutating func goOn(after prelude: [UInt8], line: UInt64) throws(FormatError) {
        guard let decoder = decoder as? any SplittableDecoder else { return }
        self.decoder = try decoder.goingOn(after: prelude, line: line)
        self.prelude = prelude
        byteCount = max(1, Int64(prelude.count))
    }

    /// Reads what stands before the first record by itself, to know it.
    ///
    /// - Returns: False when that is not all there.
    private mutating func readPrelude() throws(FormatError) -> Bool {
        guard var splittable = decoder as? any SplittableDecoder, !splittable.isBehindPrelude else { return true }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
        let count: Int
        do throws(FormatError) {
            count = unsafe try splittable.readPrelude(bytes, isFinal: phase == .draining)
        } catch {
            phase = .finished
            throw error
        }
        decoder = splittable
        unsafe prelude.append(contentsOf: bytes.prefix(count))
        start += count
        // The end of an input that has no more than that is for the decoder to judge.
        return splittable.isBehindPrelude || phase == .draining
    }

    private mutating func noteLastLine() {
        isInRefusedLine = batch.endsInRefusedLine
        if batch.count > 0 { lastLine = max(lastLine, batch.line(ofRecordAt: batch.count - 1)) }
        if let last = batch.rejections.last { lastLine = max(lastLine, last.line) }
    }
}

extension RecordBatch {
    /// Whether the last line was rejected in part, and its rest is still to come.
    var endsInRefusedLine: Bool {
        guard let last = rejections.last else { return false }
        return last.mayContinue && (count == 0 || line(ofRecordAt: count - 1) < last.line)
    }

    /// Rejects bytes of a record that will never be whole.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - decoder: The decoder of the bytes before; it is of no use afterwards.
    ///   - line: The line that they start on, if the decoder does not tell.
    mutating func rejectUnread<Decoder: RecordDecoder>(
        _ bytes: UnsafeRawBufferPointer,
        with decoder: inout Decoder,
        line: UInt64
    ) {
        // Read as if it were whole, it tells its line.
        unsafe begin(in: bytes)
        _ = unsafe try? decoder.decode(bytes, isFinal: true, into: &self)
        let line = rejections.first?.line ?? (count > 0 ? self.line(ofRecordAt: 0) : line)
        unsafe begin(in: bytes)
        reject(line: line, reason: "the input broke off before its end", start: 0, length: bytes.count)
    }
}
