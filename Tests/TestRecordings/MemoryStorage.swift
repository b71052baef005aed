internal import Foundation
package import WeirRecording

/// A recording in memory, whose disk can be full.
package final class MemoryStorage: RecordingStorage, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: used by one thread at a time, under the recorder's lock or by the test alone.

    package let path = "memory"
    package var bytes: [UInt8]
    package var capacity = Int.max
    package var canTruncate = true
    package private(set) var synchronizations = 0
    package private(set) var largestRead = 0

    package init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    package func size() -> Int { bytes.count }

    package func read(at offset: Int, upTo count: Int, into buffer: inout [UInt8]) -> Int {
        let end = min(offset + count, bytes.count)
        guard offset < end else { return 0 }
        largestRead = max(largestRead, end - offset)
        buffer.append(contentsOf: bytes[offset..<end])
        return end - offset
    }

    package func append(_ new: [UInt8]) throws(RecordingError) {
        let room = min(new.count, capacity - bytes.count)
        bytes.append(contentsOf: new.prefix(room))
        if room < new.count { throw .writeFailed(path: path, reason: "the disk is full") }
    }

    package func truncate(to size: Int) throws(RecordingError) {
        guard canTruncate else { throw .writeFailed(path: path, reason: "the disk is gone") }
        bytes.removeLast(bytes.count - size)
    }

    package func synchronize() { synchronizations += 1 }
}

/// A path for a file that only one test uses.
package func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("weir-\(UUID().uuidString)").path
}
