internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// Payloads of messages as one stream of bytes, on their way to the reader, and where each of them ends.
struct NATSStage {
    private var bytes: [UInt8] = []
    private var start = 0

    /// Where messages of a stream end, and their numbers.
    private var marks = Deque<(end: Int, sequence: UInt64)>()

    /// The number of the message that was handed out last as a whole, and how much of the next one was.
    private(set) var handedOut: (sequence: UInt64, byteCount: Int) = (0, 0)

    /// Where the first message begins that was not handed out as a whole, and how much of it was handed out before.
    private var messageStart = 0
    private var begunByteCount = 0

    private let boundary: Boundary

    /// How many bytes wait before the reader has its turn.
    static let capacity = 256 << 10

    init(_ boundary: Boundary) {
        self.boundary = boundary
    }

    var isEmpty: Bool { start == bytes.count }
    var hasRoom: Bool { bytes.count < Self.capacity }

    /// Goes on behind a message of another run.
    ///
    /// - Parameters:
    ///   - sequence: The number of that message.
    ///   - byteCount: How much of the next one was handed out.
    mutating func goOn(after sequence: UInt64, begun byteCount: Int = 0) {
        handedOut = (sequence, byteCount)
        begunByteCount = byteCount
    }

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - payload: What it says.
    ///   - sequence: Its number, where it is of a stream.
    ///   - skip: How many of its bytes were handed out before.
    /// - Returns: Whether it is framed as was agreed upon.
    mutating func append(_ payload: ArraySlice<UInt8>, sequence: UInt64?, skipping skip: Int) -> Bool {
        // Half a frame would put everything after it out of step.
        if boundary == .length, unsafe !payload.withUnsafeBytes({ unsafe boundary.areWhole($0, limit: .max) }) {
            if let sequence { marks.append((bytes.count, sequence)) }
            return false
        }
        let first = bytes.count
        if boundary == .datagram {
            let count = UInt32(payload.count)
            bytes += [UInt8(count >> 24), UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        }
        unsafe payload.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        if boundary == .lines, let last = payload.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        if skip > 0 { bytes.removeSubrange(first..<min(first + skip, bytes.count)) }
        if let sequence { marks.append((bytes.count, sequence)) }
        return true
    }

    /// Removes the messages behind one that were not handed out.
    ///
    /// - Parameter sequence: The number of the last one that stays.
    mutating func removeAll(behind sequence: UInt64) {
        while let last = marks.last, last.sequence > sequence { _ = marks.removeLast() }
        bytes.removeSubrange(max(start, marks.last?.end ?? start)...)
    }

    /// Hands bytes to the reader.
    ///
    /// - Returns: How many.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - start)
        unsafe buffer.copyBytes(from: bytes[start..<start + count])
        start += count
        while let mark = marks.first, mark.end <= start {
            handedOut.sequence = mark.sequence
            (messageStart, begunByteCount) = (mark.end, 0)
            _ = marks.removeFirst()
        }
        handedOut.byteCount = start - messageStart + begunByteCount
        if isEmpty {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 4 << 20)
            (start, messageStart) = (0, 0)
        }
        return count
    }
}
