/// A piece of an input: its bytes, and the batches that a decoder found in them.
///
/// One thread fills it, a second decodes it, and a third lends its batches. It is used again for another piece, so a reader
/// needs as many as it has pieces on the way.
///
/// Safety of `@unchecked Sendable`: it has one owner at a time. Owners hand it over through queues with locks, which order
/// what they do with it.
@safe
package final class RecordSlice: @unchecked Sendable {
    private final class Box {
        var batch: RecordBatch

        /// How many of the piece's bytes were consumed when the batch had been found, and the line behind them; `nil` where
        /// nothing can begin there.
        var end: (byteCount: Int, line: UInt64)?

        init(_ schema: RecordSchema, _ capacity: Int) {
            batch = RecordBatch(schema: schema, capacity: capacity)
        }
    }

    // Safety: the buffer is replaced only by `makeRoom`, which runs before batches are made that point into it, and freed in
    // `deinit`; batches are lent only while neither happens.
    private var buffer: UnsafeMutableRawBufferPointer
    private let schema: RecordSchema
    private let batchCapacity: Int
    private var batches: [Box] = []
    private var consumedCount = 0

    /// How many bytes there are.
    package private(set) var byteCount = 0

    /// How many batches were found.
    package private(set) var batchCount = 0

    /// Whether there are records behind the batches: see ``decodeOn(isFinal:)``.
    package private(set) var isPaused = false

    /// How many batches it has at a time: enough for records of 8 bytes, in batches and pieces as large as a host makes them.
    private static let batchLimit = 64

    /// The decoder behind what was consumed.
    package private(set) var decoder: (any SplittableDecoder)?

    /// Why the input cannot be read on behind the batches.
    package private(set) var failure: FormatError?

    /// Creates a piece without bytes.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - capacity: How many bytes there is room for, at first; at least one.
    ///   - batchCapacity: How many records to hand out at a time; at least one.
    package init(schema: RecordSchema, capacity: Int, batchCapacity: Int) {
        precondition(capacity > 0, "a piece needs room for a byte, not for \(capacity)")
        self.schema = schema
        self.batchCapacity = batchCapacity
        unsafe buffer = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit {
        unsafe buffer.deallocate()
    }

    // MARK: Filling

    /// Starts over with some bytes.
    package func begin(with bytes: [UInt8]) {
        (byteCount, consumedCount, batchCount) = (0, 0, 0)
        (decoder, failure, isPaused) = (nil, nil, false)
        insert(bytes)
    }

    /// Puts bytes in front of the others; the batches are gone.
    private func insert(_ bytes: [UInt8]) {
        makeRoom(for: bytes.count)
        guard byteCount > 0 || !bytes.isEmpty else { return }
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[bytes.count...]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: buffer[..<byteCount])
        )
        unsafe buffer.copyBytes(from: bytes)
        byteCount += bytes.count
        (consumedCount, batchCount) = (0, 0)
    }

    /// Reads once from a source, behind the bytes that there are.
    ///
    /// - Returns: How many bytes were read; zero at the end of the source.
    package func read(from source: any TransportSource) throws(TransportError) -> Int {
        if unsafe byteCount == buffer.count { makeRoom(for: byteCount) }
        let count = unsafe try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[byteCount...]))
        byteCount += count
        return count
    }

    private func makeRoom(for count: Int) {
        guard unsafe byteCount + count > buffer.count else { return }
        // Twice as much, so that a long record is copied only a few times.
        let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(byteCount + count, buffer.count * 2),
            alignment: 1
        )
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<byteCount]))
        unsafe buffer.deallocate()
        unsafe buffer = larger
    }

    /// How the bytes are compressed, where they are the start of a compressed input, of which nothing was consumed.
    var compression: Compression? { consumedCount > 0 ? nil : unsafe Compression(beginning: buffer[..<byteCount]) }

    /// Has a decoder read what stands before the first record, and passes that.
    ///
    /// - Returns: What was passed.
    package func readPrelude(
        with decoder: inout any SplittableDecoder,
        isFinal: Bool
    ) throws(FormatError) -> [UInt8] {
        let count = unsafe try decoder.readPrelude(UnsafeRawBufferPointer(rebasing: unread), isFinal: isFinal)
        defer { consumedCount += count }
        return unsafe [UInt8](unread.prefix(count))
    }

    /// Ends the piece where a record probably ends.
    ///
    /// - Returns: The bytes behind that; `nil` when there is no such place.
    package func cut(with decoder: any SplittableDecoder) -> [UInt8]? {
        guard let end = unsafe decoder.recordEnd(in: UnsafeRawBufferPointer(rebasing: unread)) else { return nil }
        let rest = unsafe [UInt8](unread[(consumedCount + end)...])
        byteCount = consumedCount + end
        return rest
    }

    private var unread: Slice<UnsafeMutableRawBufferPointer> { unsafe buffer[consumedCount..<byteCount] }

    // MARK: Decoding

    /// Finds the records, up to a number of batches.
    ///
    /// - Parameters:
    ///   - decoder: A decoder at the start of what was not passed yet.
    ///   - isFinal: Whether the input ends with the piece.
    package func decode(with decoder: any SplittableDecoder, isFinal: Bool) {
        var decoder = decoder
        isPaused = false
        defer { self.decoder = decoder }
        while true {
            guard batchCount < Self.batchLimit else {
                isPaused = true
                return
            }
            if batchCount == batches.count { batches.append(Box(schema, batchCapacity)) }
            let box = batches[batchCount]
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: unread)
            unsafe box.batch.begin(in: bytes)
            var count = 0
            do throws(FormatError) {
                count = unsafe try decoder.decode(bytes, isFinal: isFinal, into: &box.batch)
            } catch {
                failure = error
            }
            consumedCount += count
            // Here, as this thread is one of several.
            box.batch.readAhead()
            let canGoOn = failure == nil && decoder.canGoOn && !box.batch.endsInRefusedLine
            box.end = canGoOn ? (consumedCount, decoder.line) : nil
            if !box.batch.isEmpty { batchCount += 1 }
            if failure != nil { return }
            if isFinal ? !box.batch.isFull : consumedCount == byteCount || count == 0 { return }
        }
    }

    /// Finds the next records where it paused, in place of those that were found.
    ///
    /// - Parameter isFinal: Whether the input ends with the piece.
    func decodeOn(isFinal: Bool) {
        guard isPaused, let decoder else { return }
        batchCount = 0
        decode(with: decoder, isFinal: isFinal)
    }

    /// Finds the records of these bytes behind others that belong before them.
    ///
    /// - Parameters:
    ///   - decoder: The decoder of the other bytes.
    ///   - bytes: What it has not consumed.
    ///   - isFinal: Whether the input ends with the piece.
    package func decode(with decoder: any SplittableDecoder, after bytes: [UInt8], isFinal: Bool) {
        failure = nil
        insert(bytes)
        decode(with: decoder, isFinal: isFinal)
    }

    /// Whether the next piece starts with a record.
    package var isWhole: Bool { consumedCount == byteCount && decoder?.isBetweenRecords == true }

    /// Whether the last line was rejected in part, and its rest is still to come.
    var endsInRefusedLine: Bool { batchCount > 0 && batches[batchCount - 1].batch.endsInRefusedLine }

    /// The bytes that were not consumed.
    package var rest: [UInt8] { unsafe [UInt8](unread) }

    /// Counts the lines from another one.
    package func shiftLines(by distance: UInt64) {
        decoder?.line &+= distance
        guard distance != 0 else { return }
        for index in 0..<batchCount {
            batches[index].batch.shiftLines(by: distance)
            if let end = batches[index].end { batches[index].end = (end.byteCount, end.line &+ distance) }
        }
    }

    /// What another reader needs to go on behind a batch, within this piece; `nil` where nothing can begin there.
    ///
    /// - Parameter index: The batch's number; before the first, everything is still to be read.
    /// - Returns: The bytes behind the batch, and the number of their line.
    package func rest(behindBatchAt index: Int) -> (bytes: [UInt8], line: UInt64)? {
        guard (0..<batchCount).contains(index), let end = batches[index].end else { return nil }
        return unsafe ([UInt8](buffer[end.byteCount..<byteCount]), end.line)
    }

    /// What another reader needs to go on behind all that was consumed; `nil` where nothing can begin there.
    package var restBehindAll: (bytes: [UInt8], line: UInt64)? {
        guard let decoder, decoder.canGoOn, failure == nil, !endsInRefusedLine else { return nil }
        return (rest, decoder.line)
    }

    /// Rejects what was not consumed, of a record that will never be whole.
    package func rejectRest() {
        guard consumedCount < byteCount, var decoder else { return }
        if batchCount == batches.count { batches.append(Box(schema, batchCapacity)) }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: unread)
        unsafe batches[batchCount].batch.rejectUnread(bytes, with: &decoder, line: decoder.line)
        batches[batchCount].end = nil
        batchCount += 1
        consumedCount = byteCount
    }

    // MARK: Lending

    /// Lends a batch.
    ///
    /// - Parameters:
    ///   - index: Its number, below ``batchCount``.
    ///   - kinds: As what the fields of the batches before it were asked for; then of this one.
    ///   - body: Called with the batch, which is valid only during the call.
    /// - Throws: What `body` throws.
    package func lend(
        batchAt index: Int,
        knowing kinds: inout FieldKinds,
        _ body: (inout RecordBatch) throws -> Void
    ) rethrows {
        precondition(index >= 0 && index < batchCount, "there are \(batchCount) batches, so none at \(index)")
        batches[index].batch.noteFirstTime()
        batches[index].batch.adopt(kinds)
        defer { batches[index].batch.note(in: &kinds) }
        try body(&batches[index].batch)
    }
}

extension RecordBatch {
    fileprivate mutating func shiftLines(by distance: UInt64) {
        // The records' memory is in another processor's cache, where it may stay.
        lineShift &+= distance
        rejections = rejections.map { $0.movedDown(by: distance) }
    }
}

extension Rejection {
    fileprivate func movedDown(by lines: UInt64) -> Rejection {
        Rejection(
            line: line &+ lines,
            reason: reason,
            start: start,
            length: length,
            isContinuation: isContinuation,
            mayContinue: mayContinue
        )
    }
}
