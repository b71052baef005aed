internal import CWeirSockets

/// Messages on their way out: whole lines for a stream, or frames, or datagrams.
package struct OutgoingBatch: Sendable {
    package private(set) var bytes: [UInt8] = []

    /// Where each message ends; empty for lines, where newlines say it.
    package private(set) var ends: [Int] = []
    package private(set) var messages: UInt64 = 0

    /// How many bytes were sent.
    package private(set) var offset = 0

    /// How many messages were sent whole.
    package private(set) var sentMessages: UInt64 = 0

    package init() {}

    /// Creates a batch from what was kept of one.
    init(bytes: [UInt8], ends: [Int], messages: UInt64) {
        self.bytes = bytes
        self.ends = ends
        self.messages = messages
    }

    var isSent: Bool { offset == bytes.count && sentMessages == messages }
    var restCount: Int { bytes.count - offset }
    package var restMessages: UInt64 { messages - sentMessages }

    /// Adds whole lines.
    package mutating func append(lines: UnsafeRawBufferPointer, count: UInt64) {
        unsafe bytes.append(contentsOf: lines)
        messages += count
    }

    /// Adds a frame or a datagram.
    package mutating func append(message: UnsafeRawBufferPointer) {
        unsafe append(bytes: message)
        endMessage(at: bytes.count)
    }

    /// Adds the bytes of frames or datagrams; ``endMessage(at:)`` says where each ends.
    mutating func append(bytes more: UnsafeRawBufferPointer) {
        unsafe bytes.append(contentsOf: more)
    }

    mutating func endMessage(at place: Int) {
        ends.append(place)
        messages += 1
    }

    /// Adds all of another batch.
    mutating func append(_ other: OutgoingBatch) {
        let start = bytes.count
        bytes += other.bytes
        ends += other.ends.lazy.map { $0 + start }
        messages += other.messages
    }

    /// Removes everything, and keeps the memory as far as that is what most batches need.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        ends.removeAll(keepingCapacity: ends.capacity <= Self.keptCapacity / MemoryLayout<Int>.size)
        (messages, offset, sentMessages) = (0, 0, 0)
    }

    private static let keptCapacity = 2 << 20

    /// Marks bytes of a stream as sent.
    ///
    /// - Returns: How many messages became whole on the other side.
    mutating func advance(bytes count: Int) -> UInt64 {
        guard ends.isEmpty else {
            offset += count
            let before = sentMessages
            while sentMessages < messages, ends[Int(sentMessages)] <= offset { sentMessages += 1 }
            return sentMessages - before
        }
        let lines = unsafe bytes[offset..<offset + count].withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe UInt64(cweir_net_count_newlines($0, bytes.count)) } ?? 0
        }
        offset += count
        // The last line may lack its newline.
        let sent = offset == bytes.count ? messages - sentMessages : lines
        sentMessages += sent
        return sent
    }

    /// Marks datagrams as sent.
    package mutating func advance(messages count: Int) {
        sentMessages += UInt64(count)
        offset = sentMessages == 0 ? 0 : ends[Int(sentMessages) - 1]
    }

    /// Goes back to the beginning of a message of which only a part was sent: the next receiver needs all of it.
    mutating func rewindToMessage() {
        guard offset < bytes.count else { return }
        guard ends.isEmpty else {
            offset = sentMessages == 0 ? 0 : ends[Int(sentMessages) - 1]
            return
        }
        offset = unsafe bytes[..<offset].withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe cweir_net_after_last_newline($0, bytes.count) } ?? 0
        }
    }

    /// Where a datagram stands among the bytes.
    package func range(ofMessage index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Makes each line a message, where they were lines of a stream: a spill may be that of another kind of sink.
    package mutating func splitIntoMessages() {
        guard ends.isEmpty else { return }
        ends.reserveCapacity(Int(messages))
        var end = 0
        while end < bytes.count {
            let length = unsafe bytes[end...].withUnsafeBufferPointer { rest in
                unsafe rest.baseAddress.map { unsafe cweir_net_after_newline($0, rest.count) } ?? 0
            }
            end = length > 0 ? end + length : bytes.count
            ends.append(end)
        }
    }

    /// What was not sent.
    var rest: OutgoingBatch {
        OutgoingBatch(
            bytes: Array(bytes[offset...]),
            ends: ends.dropFirst(Int(ends.isEmpty ? 0 : sentMessages)).map { $0 - offset },
            messages: restMessages
        )
    }
}
