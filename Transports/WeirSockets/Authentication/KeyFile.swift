internal import CWeirSockets
internal import WeirCore
internal import WeirFiles
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
        var file = cweir_net_file_t()
        guard !path.utf8.contains(0) else { throw refuse("the path contains a zero") }
        if let error = unsafe SystemError(cweir_net_file_at(path, &file)) { throw refuse("\(error)") }
        guard file.mode & 0o077 == 0 else { throw refuse("others than its owner can read it; 'chmod 600' it") }
        var bytes: [UInt8] = []
        do throws(TransportError) {
            let source = try FileTransport().openSource(FileTransport.address(ofPath: path))
            while bytes.count <= longest {
                let piece = try readPiece(source)
                guard !piece.isEmpty else { break }
                bytes += piece
            }
        } catch {
            throw refuse("\(error)")
        }
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard bytes.count >= shortest else { throw refuse("a key has at least \(shortest) bytes, not \(bytes.count)") }
        guard bytes.count <= longest else { throw refuse("a key has at most \(longest) bytes") }
        return SigningKey(bytes)
    }

    private static func readPiece(_ source: any TransportSource) throws(TransportError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longest + 1, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let count = unsafe try source.read(into: buffer)
        return unsafe Array(buffer.prefix(count))
    }
}
