internal import CWeirSockets

/// Where a message ends in a stream of bytes.
enum Boundary: String, Sendable, CaseIterable {
    /// At a newline.
    case lines
    /// After a length in four bytes, the most significant first, and as many bytes.
    case length

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
        }
    }
}
