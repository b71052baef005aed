internal import WeirCore
public import WeirRecords

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

    /// The path without links, from the root on, also of a file that is not there yet; where a link leads to none, that of
    /// the file that writing would make.
    ///
    /// - Parameter path: Relative paths start in the current folder.
    /// - Returns: `nil` where its folder is not there.
    package static func wholePath(_ path: String) -> String? {
        var path = path
        // As many links as the system follows.
        for _ in 0..<40 {
            if let whole = absolutePath(path) { return whole }
            let slash = path.lastIndex(of: "/")
            guard let folder = absolutePath(slash.map { String(path[...$0]) } ?? ".") else { return nil }
            let whole = "\(folder)/\(slash.map { path[path.index(after: $0)...] } ?? path[...])"
            guard let target = SystemCalls.target(ofLink: whole) else { return whole }
            path = target.hasPrefix("/") ? target : "\(folder)/\(target)"
        }
        return nil
    }

    /// Creates the folders that a file's path needs and that are not there yet.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: `TransportError/cannotOpen(address:reason:)` with the first folder that cannot be made.
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
    /// - Throws: `TransportError/cannotOpen(address:reason:)` when it cannot be written.
    public static func checkWritable(_ path: String) throws(TransportError) {
        // Opening a pipe would wait for its reader, and closing it would tell one that all has been written.
        if SystemCalls.facts(about: path)?.kind == .pipe {
            guard unsafe access(path, W_OK) == 0 else {
                throw .cannotOpen(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
            }
            return
        }
        let isNew = !exists(path)
        // What a link leads to, which is what a run would make.
        let path = isNew ? wholePath(path) ?? path : path
        let flags = O_WRONLY | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
        let descriptor = unsafe open(path, flags, 0o666)
        guard descriptor >= 0 else {
            throw .cannotOpen(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        SystemCalls.closeDescriptor(descriptor)
        if isNew { unsafe unlink(path) }
    }

    /// How many bytes of a file stand behind its last line break: what is left of a line whose end was never written.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: 0 also where there is no file, or it cannot be read.
    public static func unfinishedLineLength(of path: String) -> Int64 {
        guard let facts = SystemCalls.facts(about: path), facts.kind == .regularFile else { return 0 }
        let descriptor = SystemCalls.openForReading(path)
        guard descriptor >= 0 else { return 0 }
        defer { SystemCalls.closeDescriptor(descriptor) }
        var start = facts.byteCount
        while start > 0 {
            let count = min(start, 1 << 16)
            let piece = SystemCalls.readBytes(descriptor, at: start - count, count: Int(count))
            // The file becomes shorter meanwhile.
            guard piece.count == Int(count) else { return 0 }
            if let last = piece.lastIndex(of: UInt8(ascii: "\n")) {
                return facts.byteCount - (start - count) - Int64(last) - 1
            }
            start -= count
        }
        return facts.byteCount
    }
}
