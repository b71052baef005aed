package import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension FileSystem {
    /// The names of what is in a folder, without `.` and `..`.
    ///
    /// - Parameter path: Relative paths start in the current folder.
    /// - Returns: The names in the order of their bytes; `nil` where there is no such folder, or it cannot be read.
    package static func names(inFolder path: String) -> [String]? {
        guard let directory = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Waits until the names in a folder are on the disk, as the contents of its files are not until then.
    ///
    /// - Parameter path: The folder.
    /// - Throws: `TransportError/writeFailed(address:reason:)` when that does not work.
    package static func synchronizeFolder(_ path: String) throws(TransportError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .writeFailed(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        defer { SystemCalls.closeDescriptor(descriptor) }
        guard SystemCalls.synchronize(descriptor) else {
            throw .writeFailed(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
    }

    /// Waits until what was written to files is on the disk, and their names too.
    ///
    /// - Parameter paths: The files; nothing is to be done for one that is not there.
    /// - Throws: `TransportError/writeFailed(address:reason:)` when that does not work.
    package static func synchronizeFiles(_ paths: [String]) throws(TransportError) {
        var folders: Set<String> = []
        for path in paths {
            try synchronizeFile(path)
            folders.insert(path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./")
        }
        for folder in folders {
            // One that cannot be read cannot be waited for either; its files can.
            let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { SystemCalls.closeDescriptor(descriptor) }
            // Some file systems know no such thing for folders.
            guard SystemCalls.synchronize(descriptor) || SystemCalls.lastError == EINVAL else {
                throw .writeFailed(address: folder, reason: SystemCalls.describe(SystemCalls.lastError))
            }
        }
    }
}
