internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// A file that keeps, in order, what a sink could not send and has no more room for.
///
/// ```text
/// "WEIRSPL1"  head, 8 bytes  record ...
/// record: length, 4 bytes  CRC-32 of the payload, 4  messages, 4  payload
/// payload: number of ends, 4  ends, 4 each  bytes
/// ```
///
/// Numbers begin with the least significant byte. `head` is where the first record stands that was not sent. A program
/// that ends leaves the file as it is, and the next one goes on with it; one that was killed between sending a record
/// and moving the head sends that record again.
///
/// The disk gets back what was sent: the file is emptied when all was, and before that its front becomes a hole, a piece
/// of a mebibyte at a time. So the file takes as much of the disk as is unsent, and that piece; its length, which counts
/// the hole too, may be more. Where the file system knows no holes, only emptying the file makes room again.
///
/// What the program wrote survives its end. Nothing waits for the disk, so an end of the machine itself may cost it.
///
/// Thread safety: one thread at a time. The file is locked against other processes.
@safe
final class SpillFile {
    let path: String
    private let descriptor: Int32
    private let limit: Int64
    private var head = headerLength
    private var end = headerLength

    /// Up to where the disk has got the front back.
    private var holeEnd = headerLength
    private var canHaveHoles = true

    /// How long the record is that was read last, and how many messages are in it.
    private var current: (length: Int64, messages: UInt64) = (0, 0)

    /// Why the file took nothing the last time: its limit, or what the system says; `nil` where it did.
    private(set) var fullness: String?

    /// Whether the file took nothing the last time, because of its limit or because the disk is full.
    var isFull: Bool { fullness != nil }

    /// The same in words, to begin a sentence.
    var fullText: String { "the spill '\(path)' takes no more: \(fullness ?? "")" }

    /// How many messages an earlier program left behind.
    let found: UInt64

    /// How many messages are in the file.
    private(set) var messages: UInt64 = 0

    /// What was wrong with what was found, if anything was.
    let damage: String?

    private static let magic: [UInt8] = Array("WEIRSPL1".utf8)
    private static let headerLength: Int64 = 16
    private static let recordHeader = 12

    /// How much of the front is given back at once.
    private static let piece: Int64 = 1 << 20

    /// Opens a file, or makes it.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - limit: How much of the disk it may take, in bytes.
    ///   - address: For messages.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)``; also for a file that is something else.
    init(path: String, limit: Int, address: String) throws(TransportError) {
        func refuse(_ reason: String) -> TransportError {
            .cannotOpen(address: address, reason: "the spill '\(path)': \(reason)")
        }
        self.path = path
        self.limit = Int64(limit)
        let descriptor = unsafe cweir_net_open_spill(path)
        if let error = SystemError(descriptor) { throw refuse("\(error)") }
        self.descriptor = descriptor
        do throws(TransportError) {
            if let error = Self.lock(descriptor) {
                throw refuse(error == .wouldBlock ? "another sink uses it" : "\(error)")
            }
            let length = cweir_net_file_length(descriptor)
            if let error = SystemError(length) { throw refuse("\(error)") }
            var damage: String?
            var found: UInt64 = 0
            if length == 0 {
                if let error = Self.writeHeader(descriptor, head: Self.headerLength) { throw refuse("\(error)") }
            } else {
                guard let start = Self.readHeader(descriptor), start >= Self.headerLength, start <= length else {
                    throw refuse("it is another kind of file; name one that can be overwritten")
                }
                head = start
                end = start
                while let record = Self.read(descriptor, at: end, length: length) {
                    found += record.batch.messages
                    end += record.length
                }
                if end < length {
                    damage =
                        "the spill '\(path)' ends in the middle of a record, \(length - end) bytes, which were cut off"
                    _ = cweir_net_truncate(descriptor, end)
                }
            }
            self.damage = damage
            self.found = found
            messages = found
            giveBack()
        } catch {
            cweir_net_close(descriptor)
            throw error
        }
    }

    deinit {
        cweir_net_close(descriptor)
    }

    var isEmpty: Bool { head == end }

    /// Adds a batch at the end.
    ///
    /// - Returns: False when there is no room for it; the file is then as it was.
    func append(_ batch: OutgoingBatch) -> Bool {
        guard batch.messages > 0 else { return true }
        var record: [UInt8] = []
        record.reserveCapacity(Self.recordHeader + 4 + 4 * batch.ends.count + batch.bytes.count)
        record += [UInt8](repeating: 0, count: Self.recordHeader)
        Self.append(batch.ends.count, to: &record)
        for end in batch.ends { Self.append(end, to: &record) }
        record += batch.bytes
        let payload = record[Self.recordHeader...]
        let sum = Self.checksum(payload)
        var header: [UInt8] = []
        Self.append(payload.count, to: &header)
        Self.append(Int(sum), to: &header)
        Self.append(Int(batch.messages), to: &header)
        record.replaceSubrange(..<Self.recordHeader, with: header)
        let taken = Self.headerLength + end - holeEnd
        guard taken + Int64(record.count) <= limit else {
            fullness = "its limit, \(ByteSize.text(Int(limit))), is reached"
            return false
        }
        let written = unsafe cweir_net_write_at(descriptor, record, record.count, end)
        guard written == record.count else {
            // What was written of it must not look like a record.
            _ = cweir_net_truncate(descriptor, end)
            fullness = SystemError(written).map { "\($0)" } ?? "the disk is full"
            return false
        }
        fullness = nil
        end += Int64(record.count)
        messages += batch.messages
        return true
    }

    /// Reads the first record that was not sent.
    ///
    /// - Returns: Nothing where there is none, or it cannot be read; the rest is then lost, and has to be cleared.
    func first() -> OutgoingBatch? {
        guard !isEmpty, let record = Self.read(descriptor, at: head, length: end) else { return nil }
        current = (record.length, record.batch.messages)
        return record.batch
    }

    /// Removes the first record, which was sent.
    func removeFirst() {
        head += current.length
        messages -= current.messages
        current = (0, 0)
        if isEmpty {
            clear()
        } else {
            _ = Self.writeHeader(descriptor, head: head)
            if head - holeEnd >= Self.piece { giveBack() }
        }
    }

    /// Frees the disk space of the front, which was sent.
    private func giveBack() {
        guard canHaveHoles, head > holeEnd else { return }
        guard cweir_net_punch_hole(descriptor, holeEnd, head - holeEnd) == 0 else {
            canHaveHoles = false
            return
        }
        holeEnd = head
        fullness = nil
    }

    /// Forgets all records, and empties the file.
    ///
    /// Where that fails the file stays as long as it is, and the next records follow.
    func clear() {
        messages = 0
        head = end
        // The head first: with the records gone and the head behind them, the file would be no spill any more.
        guard Self.writeHeader(descriptor, head: Self.headerLength) == nil else { return }
        guard cweir_net_truncate(descriptor, Self.headerLength) == 0 else {
            // Otherwise the next program would read the old records again.
            _ = Self.writeHeader(descriptor, head: head)
            return
        }
        head = Self.headerLength
        end = Self.headerLength
        holeEnd = Self.headerLength
        fullness = nil
    }

    /// Locks the file, waiting for a moment: a child process that is being started may still have it open.
    private static func lock(_ descriptor: Int32) -> SystemError? {
        var error: SystemError?
        for _ in 0..<20 {
            error = SystemError(cweir_net_lock_file(descriptor))
            guard error == .wouldBlock else { break }
            _ = cweir_net_wait(-1, -1, 10)
        }
        return error
    }

    // MARK: Bytes

    private static func writeHeader(_ file: Int32, head: Int64) -> SystemError? {
        var header = magic
        append(Int(head & 0xffff_ffff), to: &header)
        append(Int(head >> 32), to: &header)
        return unsafe SystemError(cweir_net_write_at(file, header, header.count, 0))
    }

    private static func readHeader(_ file: Int32) -> Int64? {
        guard let header = bytes(file, at: 0, count: Int(headerLength)), Array(header[..<8]) == magic else {
            return nil
        }
        return Int64(number(header, 8)) | Int64(number(header, 12)) << 32
    }

    private static func read(_ file: Int32, at place: Int64, length: Int64) -> (batch: OutgoingBatch, length: Int64)? {
        guard place + Int64(recordHeader) <= length, let header = bytes(file, at: place, count: recordHeader) else {
            return nil
        }
        let count = number(header, 0)
        guard place + Int64(recordHeader + count) <= length, count >= 4,
            let payload = bytes(file, at: place + Int64(recordHeader), count: count),
            Int(checksum(payload[...])) == number(header, 4)
        else { return nil }
        let endCount = number(payload, 0)
        guard 4 + 4 * endCount <= count else { return nil }
        let ends = (0..<endCount).map { number(payload, 4 + 4 * $0) }
        let batch = OutgoingBatch(
            bytes: Array(payload[(4 + 4 * endCount)...]),
            ends: ends,
            messages: UInt64(number(header, 8))
        )
        guard isSound(batch) else { return nil }
        return (batch, Int64(recordHeader + count))
    }

    /// Whether what says where messages end can be right.
    private static func isSound(_ batch: OutgoingBatch) -> Bool {
        guard let last = batch.ends.last else {
            let isOpen = batch.bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
            let newlines = unsafe batch.bytes.withUnsafeBufferPointer { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_count_newlines($0, bytes.count) } ?? 0
            }
            let lines = UInt64(newlines) + (isOpen ? 1 : 0)
            return lines > 0 && lines == batch.messages
        }
        return last == batch.bytes.count && UInt64(batch.ends.count) == batch.messages
            && zip(batch.ends, batch.ends.dropFirst()).allSatisfy { $0 <= $1 }
    }

    private static func bytes(_ file: Int32, at place: Int64, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe bytes.baseAddress.map {
                    unsafe cweir_net_read_at(file, $0 + filled, count - filled, place + Int64(filled))
                } ?? 0
            }
            guard read > 0 else { return nil }
            filled += read
        }
        return bytes
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe cweir_net_crc32($0, bytes.count) } ?? 0
        }
    }
}
