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
package final class SpillFile {
    let path: String
    private let descriptor: Int32
    private let limit: Int64
    private var head = headerLength
    private var end = headerLength

    /// Whether the file says where the head is.
    private var isHeadWritten = true

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

    static let magic: [UInt8] = Array("WEIRSPL1".utf8)
    static let headerLength: Int64 = 16
    static let recordHeader = 12

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
                let isSpill: Bool
                do throws(SystemError) {
                    head = try Self.readHeader(descriptor) ?? 0
                    end = head
                    isSpill = head >= Self.headerLength && head <= length
                    while isSpill, let record = try Self.read(descriptor, at: end, length: length) {
                        found += record.batch.messages
                        end += record.length
                    }
                } catch {
                    // What the disk does not hand out now it may hand out later.
                    throw refuse("\(error)")
                }
                guard isSpill else {
                    throw refuse("it is another kind of file; name one that can be overwritten")
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
        // The next program would send again what was sent.
        if !isHeadWritten { writeHead() }
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
        guard !isEmpty, let record = try? Self.read(descriptor, at: head, length: end) else { return nil }
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
            writeHead()
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
        guard Self.writeHeader(descriptor, head: Self.headerLength) == nil,
            cweir_net_truncate(descriptor, Self.headerLength) == 0
        else {
            // Otherwise the next program would read the old records again.
            writeHead()
            return
        }
        isHeadWritten = true
        head = Self.headerLength
        end = Self.headerLength
        holeEnd = Self.headerLength
        fullness = nil
    }

    /// Writes where the first record stands that was not sent.
    private func writeHead() {
        isHeadWritten = Self.writeHeader(descriptor, head: head) == nil
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
}
