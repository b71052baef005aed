internal import WeirCore
public import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension FileSystem {
    /// Puts a file in the place of another one in one step: a reader sees the old one or the new one.
    ///
    /// The new contents are written beside the old ones, to a file with a random name that begins with `.weir-`, which is
    /// then renamed; what a killed program left behind is removed when the next file in the same folder is replaced. The
    /// new file has the permissions of the old one. Where there was none, it has those of any new file. No symbolic link
    /// is followed.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - bytes: The new contents.
    ///   - isDurable: Whether to wait for the disk before the old file goes.
    /// - Throws: `TransportError` when it cannot be written, or there is something else than a file; the old file is
    ///   then as it was.
    public static func replaceFile(
        _ path: String,
        with bytes: [UInt8],
        isDurable: Bool = true
    ) throws(TransportError) {
        try replaceFile(path, with: [bytes], isDurable: isDurable)
    }

    /// Puts a file in the place of another one, with contents that are given in pieces.
    package static func replaceFile(
        _ path: String,
        with pieces: [[UInt8]],
        isDurable: Bool
    ) throws(TransportError) {
        let draft = try makeDraft(for: path)
        do throws(TransportError) {
            let sink = try DescriptorSink(draft.descriptor, address: path, isOwned: true)
            for piece in pieces { try sink.write(piece) }
            if isDurable { try sink.finish() }
            // Up to here the descriptor keeps the lock.
            let isDone = withExtendedLifetime(sink) { unsafe rename(draft.path, path) == 0 }
            guard isDone else {
                throw .writeFailed(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
            }
        } catch {
            unsafe unlink(draft.path)
            throw error
        }
    }

    /// Checks that a file can be replaced, without changing anything.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: `TransportError/cannotOpen(address:reason:)` when there is something else than a file, such as a
    ///   device or a symbolic link, which replacing would remove, or nothing can be written beside it.
    public static func checkReplaceable(_ path: String) throws(TransportError) {
        let draft = try makeDraft(for: path)
        SystemCalls.closeDescriptor(draft.descriptor)
        unsafe unlink(draft.path)
    }

    /// Whether a path leads to a pipe, a device or an open descriptor, such as `/dev/stdout`: there is nothing to
    /// replace, what is written goes there.
    ///
    /// - Parameter path: The path.
    /// - Returns: `false` where there is nothing at the path.
    public static func isStream(_ path: String) -> Bool {
        switch SystemCalls.facts(about: path)?.kind {
        case .pipe, .other: true
        // A descriptor may stand for a file, whose name is then not known.
        case .regularFile: isDescriptor(path)
        case nil, .directory, .link: false
        }
    }

    /// Whether a path leads to a pipe, whose bytes are gone once they were read.
    package static func isPipe(_ path: String) -> Bool { SystemCalls.facts(about: path)?.kind == .pipe }

    /// Whether a path stands for a descriptor that the program has open already.
    package static func isDescriptor(_ path: String) -> Bool { descriptorFolders.contains { path.hasPrefix($0) } }

    private static let descriptorFolders = [
        "/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc/self/fd/", "/proc/thread-self/fd/",
    ]

    /// Makes the file that the new contents are written to.
    private static func makeDraft(for path: String) throws(TransportError) -> (path: String, descriptor: Int32) {
        guard !path.isEmpty else { throw .cannotOpen(address: path, reason: "the path is empty") }
        guard !path.utf8.contains(0) else { throw .cannotOpen(address: path, reason: "the path contains a zero") }
        let old = SystemCalls.factsWithoutFollowing(path)
        switch old?.kind {
        case nil, .regularFile: break
        case .directory: throw .cannotOpen(address: path, reason: SystemCalls.describe(EISDIR))
        case .link:
            throw .cannotOpen(
                address: path,
                reason: "it is a symbolic link, which is not followed; name the file itself"
            )
        case .pipe, .other: throw .cannotOpen(address: path, reason: "it is not a regular file")
        }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        removeAbandonedDrafts(in: folder.isEmpty ? "./" : String(folder))
        while true {
            let draft = "\(folder)\(draftStart)\(String(UInt64.random(in: .min ... .max), radix: 16))\(draftEnd)"
            let descriptor = SystemCalls.createFile(draft, permissions: old?.permissions)
            if descriptor >= 0 {
                if isOurs(descriptor, draft) { return (draft, descriptor) }
                SystemCalls.closeDescriptor(descriptor)
                continue
            }
            let error = SystemCalls.lastError
            guard error != EEXIST, error != EINTR else { continue }
            throw .cannotOpen(
                address: path,
                reason: "no file can be made beside it: \(SystemCalls.describe(error))"
            )
        }
    }

    // MARK: Drafts

    private static let draftStart = ".weir-"
    private static let draftEnd = ".new"

    /// Whether a file is called as those that are not whole yet, or never will be.
    package static func isDraft(_ name: String) -> Bool {
        name.hasPrefix(draftStart) && name.hasSuffix(draftEnd)
            && UInt64(name.dropFirst(draftStart.count).dropLast(draftEnd.count), radix: 16) != nil
    }

    /// Locks a draft that was just made, so that it does not count as abandoned as long as it is open.
    ///
    /// - Returns: False where another process has locked it.
    private static func isOurs(_ descriptor: Int32, _ draft: String) -> Bool {
        // A file system that has no locks has nothing abandoned removed either.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return SystemCalls.lastError != EWOULDBLOCK }
        return isSame(descriptor, draft)
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        guard let opened = SystemCalls.facts(about: descriptor), opened.kind == .regularFile,
            let named = SystemCalls.factsWithoutFollowing(path)
        else { return false }
        return opened.device == named.device && opened.node == named.node
    }

    /// Removes the drafts of programs that were killed: the lock of one that lives cannot be had.
    private static func removeAbandonedDrafts(in folder: String) {
        for name in FileSystem.names(inFolder: folder) ?? [] {
            guard isDraft(name) else { continue }
            let path = folder + name
            // Whatever has the name by now: no link is followed, and no pipe is waited for.
            let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { SystemCalls.closeDescriptor(descriptor) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isSame(descriptor, path) { unsafe unlink(path) }
        }
    }
}
