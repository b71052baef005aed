internal import CWeirSockets

/// Where a message ends.
package enum Boundary: String, Sendable, CaseIterable {
    /// At a newline.
    case lines = "newline"
    /// After a length in four bytes, the most significant first, and as many bytes.
    case length
    /// After its length in decimal digits and a blank; one that does not begin so, at a newline (RFC 6587). It is handed on
    /// with a length in four bytes in front.
    case octets
    /// At the end of its datagram or packet, whatever the bytes are; the length is added in front.
    case datagram

    /// How many bytes a length takes.
    package static let lengthByteCount = 4

    /// How many bytes may be added to a datagram: the newline that it lacks, or its length.
    package static let addedByteCount = lengthByteCount

    /// Those in which messages are sent.
    static let ofSinks: [Boundary] = [.lines, .length]

    /// Those that a stream of bytes can have.
    static let ofStreams: [Boundary] = [.lines, .length, .octets]

    /// Those that datagrams and packets can have.
    static let ofDatagrams: [Boundary] = [.lines, .length, .datagram]

    /// The messages that were found at the start of some bytes.
    struct Messages {
        /// The bytes of all messages that were found, also of those that are too long.
        var consumed = 0

        /// The bytes that are left of them, without the messages that are too long.
        var kept = 0

        /// How many messages are left.
        var count: UInt64 = 0

        /// How many messages are too long.
        var tooLong: UInt64 = 0

        /// How many bytes of the last frame, which is too long, are still to come.
        var skip = 0
    }

    /// Finds the whole messages at the start of some bytes, and removes those that are too long.
    ///
    /// - Parameters:
    ///   - bytes: The bytes; the messages that are left are moved to their start.
    ///   - limit: How long a message may be, without its newline or length.
    ///   - refuse: Called with each message that is too long, as far as it is there.
    /// - Returns: What was found.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    func take(
        _ bytes: UnsafeMutableRawBufferPointer,
        limit: Int,
        tooLong refuse: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) -> Messages {
        var messages = Messages()
        guard let start = bytes.baseAddress else { return messages }
        while true {
            let place = unsafe start + messages.consumed
            let found = unsafe find(place.assumingMemoryBound(to: UInt8.self), bytes.count - messages.consumed, limit)
            if messages.kept < messages.consumed {
                unsafe (start + messages.kept).copyMemory(from: place, byteCount: found.length)
            }
            messages.consumed += found.length
            messages.kept += found.length
            messages.count += found.count
            guard found.too_long > 0 else { return messages }
            let present = min(found.too_long, bytes.count - messages.consumed)
            unsafe refuse(UnsafeRawBufferPointer(start: start + messages.consumed, count: present))
            messages.consumed += present
            messages.tooLong += 1
            messages.skip = found.too_long - present
        }
    }

    /// Whether a message ends in some bytes, or may do so.
    ///
    /// - Parameters:
    ///   - partial: The beginning of the message, which is not whole.
    ///   - bytes: What follows.
    /// - Returns: False if the message is not whole with them.
    func ends(_ partial: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        if self == .lines { return unsafe cweir_net_after_newline(start, bytes.count) > 0 }
        guard partial.count >= Self.lengthByteCount else { return true }
        return unsafe partial.count + bytes.count >= Self.lengthByteCount + partial.withUnsafeBytes(Self.readLength)
    }

    /// Whether some bytes are whole messages and nothing else, none of which is too long.
    package func areWhole(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        return unsafe find(start, bytes.count, limit).length == bytes.count
    }

    private func find(_ start: UnsafePointer<UInt8>, _ count: Int, _ limit: Int) -> cweir_net_messages_t {
        switch self {
        case .lines: unsafe cweir_net_find_lines(start, count, limit)
        case .length: unsafe cweir_net_find_frames(start, count, limit)
        case .octets, .datagram: preconditionFailure("messages with another boundary are found elsewhere")
        }
    }

    /// Writes a length.
    ///
    /// - Parameters:
    ///   - count: How many bytes follow; below 4 GiB.
    ///   - bytes: Where to write it; at least four bytes.
    package static func writeLength(_ count: Int, to bytes: UnsafeMutableRawBufferPointer) {
        unsafe bytes.storeBytes(of: UInt32(count).bigEndian, as: UInt32.self)
    }

    /// Reads a length.
    ///
    /// - Parameter bytes: At least four.
    /// - Returns: How many bytes follow them.
    package static func readLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe Int(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    }
}
