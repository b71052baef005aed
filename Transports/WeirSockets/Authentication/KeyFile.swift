internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// A file with a key that both sides share: its bytes, without a newline at the end.
enum KeyFile {
    private static let shortest = 16
    private static let longest = 4096

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - path: Where it is; a file that only its owner can read.
    ///   - address: For messages.
    /// - Returns: The key.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` for a file that cannot be read, that others can read, or
    ///   that is too short to be a key.
    static func read(_ path: String, address: String) throws(TransportError) -> SigningKey {
        func refuse(_ reason: String) -> TransportError {
            .cannotOpen(address: address, reason: "the key '\(path)': \(reason)")
        }
        guard !path.utf8.contains(0) else { throw refuse("the path contains a zero") }
        var mode: UInt32 = 0
        let file = unsafe cweir_net_open_to_read(path, &mode)
        if let error = SystemError(file) { throw refuse("\(error)") }
        defer { cweir_net_close(file) }
        // Of the file that was opened: a link, as secrets are mounted, says nothing, and a path may lead elsewhere later.
        guard mode & 0o077 == 0 else { throw refuse("others than its owner can read it; 'chmod 600' it") }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        var count = 0
        while count < bytes.count {
            let more = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe bytes.baseAddress.map {
                    unsafe cweir_net_read_at(file, $0 + count, bytes.count - count, Int64(count))
                } ?? 0
            }
            if let error = SystemError(more) { throw refuse("\(error)") }
            guard more > 0 else { break }
            count += more
        }
        bytes.removeLast(bytes.count - count)
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard bytes.count >= shortest else { throw refuse("a key has at least \(shortest) bytes, not \(bytes.count)") }
        guard bytes.count <= longest else { throw refuse("a key has at most \(longest) bytes") }
        return SigningKey(bytes)
    }
}
