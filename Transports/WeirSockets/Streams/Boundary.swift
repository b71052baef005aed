internal import CWeirSockets

/// Where a message ends.
enum Boundary: String, Sendable, CaseIterable {
    /// At a newline.
    case lines = "newline"
    /// After a length in four bytes, the most significant first, and as many bytes.
    case length
    /// Where its datagram or packet does, whatever is in it; it is handed on behind its length.
    case datagram

    /// How many bytes a length takes.
    static let lengthByteCount = 4

    /// How many bytes may be added to a datagram: the newline that it lacks, or its length.
    static let addedByteCount = lengthByteCount

    /// Those that a stream of bytes can have.
    static let ofStreams: [Boundary] = [.lines, .length]

    /// Finds the whole messages at the start of some bytes, and takes out those that are too long.
    ///
    /// - Parameters:
    ///   - bytes: The bytes; what is kept of them is moved together at their start.
    ///   - limit: How long a message may be, without what frames it.
    /// - Returns: What was found.
    func take(_ bytes: UnsafeMutableRawBufferPointer, limit: Int) -> cweir_net_messages_t {
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return cweir_net_messages_t()
        }
        return switch self {
        case .lines: unsafe cweir_net_take_lines(start, bytes.count, limit)
        case .length: unsafe cweir_net_take_frames(start, bytes.count, limit)
        case .datagram: preconditionFailure("a stream of bytes has no datagrams")
        }
    }

    /// Writes a length.
    ///
    /// - Parameters:
    ///   - count: How many bytes follow; below 4 GiB.
    ///   - bytes: Where to write it; at least four bytes.
    static func writeLength(_ count: Int, to bytes: UnsafeMutableRawBufferPointer) {
        unsafe bytes.storeBytes(of: UInt32(count).bigEndian, as: UInt32.self)
    }

    /// Reads a length.
    ///
    /// - Parameter bytes: At least four.
    /// - Returns: How many bytes follow them.
    static func readLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe Int(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    }
}
