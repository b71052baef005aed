package import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// What it takes to go on writing where another run was.
extension FileSystem {
    /// How long a file is, and the number by which the file system knows it.
    ///
    /// - Parameter path: The file.
    /// - Returns: `nil` where there is no file.
    package static func length(ofFile path: String) -> (byteCount: Int64, node: UInt64)? {
        guard let facts = SystemCalls.facts(about: path), facts.kind == .regularFile else { return nil }
        return (facts.byteCount, facts.node)
    }

    /// Removes what is behind a place of a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - byteCount: How much stays.
    /// - Throws: `TransportError/writeFailed(address:reason:)` when that does not work.
    package static func cutFile(_ path: String, to byteCount: Int64) throws(TransportError) {
        while unsafe truncate(path, off_t(byteCount)) != 0 {
            guard errno != EINTR else { continue }
            throw .writeFailed(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
    }

    /// Waits until what was written to a file is on the disk.
    ///
    /// - Parameter path: The file; nothing is to be done for one that is not there.
    /// - Throws: `TransportError/writeFailed(address:reason:)` when that does not work.
    package static func synchronizeFile(_ path: String) throws(TransportError) {
        let descriptor = SystemCalls.openForReading(path)
        guard descriptor >= 0 else {
            guard SystemCalls.lastError != SystemCalls.noSuchFile else { return }
            throw .writeFailed(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        defer { SystemCalls.closeDescriptor(descriptor) }
        guard SystemCalls.synchronize(descriptor) else {
            throw .writeFailed(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
    }
}
