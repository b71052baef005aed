internal import WeirCore
internal import WeirRecords

/// Goes through a recording frame by frame, through a window of bounded size, and finds where its whole part ends.
package struct FrameScanner {
    private static let windowLength = 1 << 16

    private let storage: any RecordingStorage
    private let size: Int
    private var window: [UInt8] = []
    private var windowStart = 0
    private var isAtEnd = false

    /// Where the next frame starts; at the end, how much of the recording is whole.
    package private(set) var offset = 0

    /// How many bytes after the last whole frame were the start of something that was never completed; known at the
    /// end.
    package private(set) var cutBytes = 0

    /// When the recording was begun; nil when not even its header is complete.
    package private(set) var creation: Int64?

    package init(_ storage: any RecordingStorage) throws(RecordingError) {
        self.storage = storage
        size = try storage.size()
        try readHeader()
    }

    private mutating func readHeader() throws(RecordingError) {
        let length = min(size, RecordingFormat.headerLength)
        try load(length)
        let magic = RecordingFormat.magic.prefix(length)
        guard window.starts(with: magic) else { throw .notARecording(path: storage.path) }
        guard length == RecordingFormat.headerLength else {
            cutBytes = size
            isAtEnd = true
            return
        }
        var cursor = ByteCursor(window, from: magic.count, to: length)
        let version = cursor.fixed(UInt32.self) ?? 0
        let flags = cursor.fixed(UInt32.self) ?? 0
        let creation = cursor.fixed(Int64.self) ?? 0
        cursor.offset += 4
        guard version <= RecordingFormat.version else {
            throw .newerVersion(found: version, supported: RecordingFormat.version)
        }
        let isWhole = cursor.fixed(UInt32.self) == Checksum.of(window, 0..<RecordingFormat.headerLength - 4)
        guard isWhole, version == RecordingFormat.version, flags == 0 else {
            throw .corrupted(offset: 0, reason: "the header does not have its checksum")
        }
        self.creation = creation
        offset = RecordingFormat.headerLength
    }

    /// Returns the payload of the next frame, in the bytes that `bytes` returns until the next call; nil at the end.
    package mutating func next() throws(RecordingError) -> Range<Int>? {
        let left = size - offset
        guard left > 0, !isAtEnd else { return nil }
        let headerLength = RecordingFormat.frameHeaderLength
        guard left >= headerLength else { return cut(left) }
        try load(headerLength)
        let start = offset - windowStart
        var cursor = ByteCursor(window, from: start, to: start + headerLength)
        let length = Int(cursor.fixed(UInt32.self) ?? 0)
        let checksum = cursor.fixed(UInt32.self)
        guard cursor.fixed(UInt32.self) == Checksum.of(window, start..<start + 8) else {
            if try isZero(from: offset + headerLength - 1) { return cut(left) }
            throw .corrupted(offset: offset, reason: "a frame's header does not have its checksum")
        }
        guard length > 0, length <= RecordingFormat.largestPayload else {
            throw .corrupted(offset: offset, reason: "a frame of \(length) bytes")
        }
        guard left >= headerLength + length else { return cut(left) }
        try load(headerLength + length)
        let payloadStart = offset - windowStart + headerLength
        let payload = payloadStart..<payloadStart + length
        guard checksum == Checksum.of(window, payload) else {
            if try isZero(from: offset + headerLength + length - 1) { return cut(left) }
            throw .corrupted(offset: offset, reason: "a frame does not have its checksum")
        }
        offset += headerLength + length
        return payload
    }

    package var bytes: [UInt8] { window }

    /// The rest is no whole frame: what a process wrote that was killed, or a disk that was full.
    private mutating func cut(_ count: Int) -> Range<Int>? {
        cutBytes = count
        isAtEnd = true
        return nil
    }

    /// Whether there are only zeros from here on: pages that never got to the disk before the power failed.
    private func isZero(from start: Int) throws(RecordingError) -> Bool {
        var position = start
        var chunk: [UInt8] = []
        while position < size {
            chunk.removeAll(keepingCapacity: true)
            let count = try storage.read(at: position, upTo: min(Self.windowLength, size - position), into: &chunk)
            guard count > 0 else { break }
            guard chunk.allSatisfy({ $0 == 0 }) else { return false }
            position += count
        }
        return true
    }

    /// Makes the window hold the next `count` bytes, which are there.
    private mutating func load(_ count: Int) throws(RecordingError) {
        guard window.count - (offset - windowStart) < count else { return }
        window.removeFirst(offset - windowStart)
        windowStart = offset
        while window.count < count {
            let position = windowStart + window.count
            let wanted = min(max(count, Self.windowLength), size - windowStart) - window.count
            guard wanted > 0, try storage.read(at: position, upTo: wanted, into: &window) > 0 else {
                throw .readFailed(path: storage.path, reason: "it became shorter while it was read")
            }
        }
    }
}
