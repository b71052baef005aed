public import WeirCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What programs without Foundation need to know of the file system.
///
/// Thread safety: any thread.
public enum FileSystem {
    /// Whether there is anything at a path.
    ///
    /// - Parameter path: Relative paths start in the current folder.
    /// - Returns: `false` also where the path cannot be looked at.
    public static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// The path without links, from the root on.
    ///
    /// - Parameter path: Relative paths start in the current folder.
    /// - Returns: `nil` where there is nothing at the path.
    public static func absolutePath(_ path: String) -> String? {
        // Allocated by the call, freed here, not used afterwards.
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Creates the folders that a file's path needs and that are not there yet.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` with the first folder that cannot be made.
    public static func createFolders(for path: String) throws(TransportError) {
        var place = path.startIndex
        while let slash = path[place...].firstIndex(of: "/") {
            place = path.index(after: slash)
            let folder = String(path[..<slash])
            guard !folder.isEmpty, unsafe mkdir(folder, 0o777) != 0 else { continue }
            let error = SystemCalls.lastError
            guard error != EEXIST else { continue }
            throw .cannotOpen(address: folder, reason: SystemCalls.describe(error))
        }
    }

    /// Checks that a file can be written, without changing it; one that is not there yet is made and removed again.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when it cannot be written.
    public static func checkWritable(_ path: String) throws(TransportError) {
        // Opening a pipe would wait for its reader, and closing it would tell one that all has been written.
        if SystemCalls.facts(about: path)?.kind == .pipe {
            guard unsafe access(path, W_OK) == 0 else {
                throw .cannotOpen(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
            }
            return
        }
        let isNew = !exists(path)
        let flags = O_WRONLY | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
        let descriptor = unsafe open(path, flags, 0o666)
        guard descriptor >= 0 else {
            throw .cannotOpen(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        SystemCalls.closeDescriptor(descriptor)
        if isNew { unsafe unlink(path) }
    }

    /// Checks that a file can be replaced, without changing anything.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when there is something else than a file, such as a
    ///   device, which replacing would remove, or nothing can be written beside it.
    public static func checkReplaceable(_ path: String) throws(TransportError) {
        try checkThatItIsAFile(path)
        try checkWritable(draft(of: path))
    }

    private static func checkThatItIsAFile(_ path: String) throws(TransportError) {
        switch SystemCalls.facts(about: path)?.kind {
        case nil, .regularFile: return
        case .directory: throw .cannotOpen(address: path, reason: SystemCalls.describe(EISDIR))
        case .pipe, .other: throw .cannotOpen(address: path, reason: "it is not a regular file")
        }
    }

    /// Where the new contents of a file stand until they are whole.
    private static func draft(of path: String) -> String { path + ".new" }

    /// Puts a file in the place of another one in one step: who reads it sees the old one or the new one.
    ///
    /// - Parameters:
    ///   - path: The path of the file; a file of that name with `.new` behind it is overwritten.
    ///   - bytes: The new contents.
    /// - Throws: ``TransportError`` when it cannot be written, or there is something else than a file.
    public static func replaceFile(_ path: String, with bytes: [UInt8]) throws(TransportError) {
        try checkThatItIsAFile(path)
        let draft = draft(of: path)
        do throws(TransportError) {
            // The sink closes the file before it is renamed.
            try FileTransport().openSink(FileTransport.address(ofPath: draft)).write(bytes.span)
            guard unsafe rename(draft, path) == 0 else {
                throw .writeFailed(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
            }
        } catch {
            unsafe unlink(draft)
            throw error
        }
    }
}
