import WeirRecording

/// A recording in memory, whose disk can be full.
final class MemoryStorage: RecordingStorage, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: used by one thread at a time, under the recorder's lock or by the test alone.

    let path = "memory"
    var bytes: [UInt8]
    var capacity = Int.max
    var canTruncate = true
    private(set) var synchronizations = 0
    private(set) var largestRead = 0

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    func size() -> Int { bytes.count }

    func read(at offset: Int, upTo count: Int, into buffer: inout [UInt8]) -> Int {
        let end = min(offset + count, bytes.count)
        guard offset < end else { return 0 }
        largestRead = max(largestRead, end - offset)
        buffer.append(contentsOf: bytes[offset..<end])
        return end - offset
    }

    func append(_ new: [UInt8]) throws(RecordingError) {
        let room = min(new.count, capacity - bytes.count)
        bytes.append(contentsOf: new.prefix(room))
        if room < new.count { throw .writeFailed(path: path, reason: "the disk is full") }
    }

    func truncate(to size: Int) throws(RecordingError) {
        guard canTruncate else { throw .writeFailed(path: path, reason: "the disk is gone") }
        bytes.removeLast(bytes.count - size)
    }

    func synchronize() { synchronizations += 1 }
}
