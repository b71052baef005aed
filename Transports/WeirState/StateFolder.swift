internal import WeirCore
internal import WeirFiles
package import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A folder with the checkpoints of one pipeline: numbered files, of which the last ones are kept.
///
/// A checkpoint is written beside the others, waited for on the disk, and renamed: a folder has whole checkpoints,
/// whenever the program or the machine ends. One that is damaged all the same is passed over for the one before it.
///
/// Thread safety: one thread at a time. Safety: the descriptor of the lock is open from `init` to ``close()``. Safety of
/// `@unchecked Sendable`: who hands it to another thread, to write a checkpoint there, uses it again only once that is done,
/// which a lock orders.
package final class StateFolder: @unchecked Sendable {
    /// Why a folder cannot be used.
    package struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// A checkpoint, and what it takes.
    package struct Found: Sendable {
        package let checkpoint: RunCheckpoint
        package let name: String
        package let byteCount: Int
    }

    /// How many checkpoints are kept.
    package static let keptCount = 3

    private static let start = "checkpoint-"
    private static let lockName = "weir-state.lock"
    private static let digitCount = 12

    package let path: String

    /// The descriptor of the lock; negative once the folder is closed.
    ///
    /// Copies of the process that write here keep it open.
    package private(set) var lock: Int32 = -1
    private var lastNumber: UInt64 = 0

    // How often, and how far apart, the lock is asked for: a copy of a process that was killed ends a moment after it.
    private static let patience = (attempts: 50, milliseconds: Int32(10))

    /// Takes hold of a folder, which is made where it is not there yet.
    ///
    /// - Parameter path: The folder.
    /// - Throws: ``Refusal`` when it is none, another process uses it, or it cannot be written.
    package init(_ path: String) throws(Refusal) {
        self.path = path
        do throws(TransportError) {
            try FileSystem.createFolders(for: path + "/")
        } catch {
            throw Refusal(description: "\(error)")
        }
        try Self.check(path, mayBeEmpty: true)
        let name = path + "/" + Self.lockName
        // The file stays for the next run; no link of that name is followed.
        lock = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard lock >= 0 else {
            throw Refusal(description: "cannot open '\(name)': \(SystemCalls.describe(SystemCalls.lastError))")
        }
        guard unsafe access(path, W_OK | X_OK) == 0 else {
            let reason = SystemCalls.describe(SystemCalls.lastError)
            close()
            throw Refusal(description: "cannot write to '\(path)': \(reason)")
        }
        var attempts = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let error = SystemCalls.lastError
            guard error != EINTR else { continue }
            if error == EWOULDBLOCK, attempts < Self.patience.attempts {
                attempts += 1
                SystemCalls.pause(milliseconds: Self.patience.milliseconds)
                continue
            }
            close()
            throw Refusal(
                description: error == EWOULDBLOCK
                    ? "'\(path)' is used by another run; give each its own folder"
                    : "cannot lock '\(path)': \(SystemCalls.describe(error))"
            )
        }
        lastNumber = Self.numbers(in: path).last ?? 0
    }

    deinit { close() }

    /// Lets another run use the folder.
    package func close() {
        // Closing it gives the lock back.
        if lock >= 0 { SystemCalls.closeDescriptor(exchange(&lock, with: -1)) }
    }

    /// Checks that a path is a folder for checkpoints, without changing anything.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - mayBeEmpty: Whether a folder without anything will do, or none at all.
    /// - Throws: ``Refusal`` when it is something else.
    package static func check(_ path: String, mayBeEmpty: Bool) throws(Refusal) {
        guard FileSystem.exists(path) else {
            if mayBeEmpty { return }
            throw Refusal(description: "there is no folder '\(path)'")
        }
        guard let names = FileSystem.names(inFolder: path) else {
            throw Refusal(description: "cannot open '\(path)': \(SystemCalls.describe(SystemCalls.lastError))")
        }
        guard !names.contains(lockName), !names.isEmpty || !mayBeEmpty else { return }
        // After a power cut the name of the lock may be missing.
        if let other = names.first(where: { number(of: $0) == nil && !FileSystem.isDraft($0) }) {
            throw Refusal(description: "'\(path)' is no folder of --state: it has '\(other)'; name a new one")
        }
        guard names.isEmpty else { return }
        throw Refusal(description: "'\(path)' has no state: it is empty")
    }

    // MARK: Reading

    /// The newest checkpoint that can be read.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - remark: Called with a line for each that cannot.
    /// - Returns: `nil` where there is none yet.
    /// - Throws: ``Refusal`` when a newer program wrote it, or all that there are are damaged.
    package static func newest(in path: String, _ remark: (String) -> Void) throws(Refusal) -> Found? {
        let numbers = numbers(in: path)
        for number in numbers.reversed() {
            let name = name(of: number)
            let place = path + "/" + name
            do {
                let bytes = try FileTransport().openSource(FileTransport.address(ofPath: place))
                    .readAll(limit: 1 << 36, address: place)
                return Found(checkpoint: try RunCheckpoint(bytes), name: name, byteCount: bytes.count)
            } catch let flaw as CheckpointFlaw {
                if case .isNewer = flaw { throw Refusal(description: "'\(place)' cannot be read: \(flaw)") }
                remark("'\(place)' is passed over: \(flaw)")
            } catch {
                remark("'\(place)' is passed over: \(error)")
            }
        }
        guard numbers.isEmpty else {
            throw Refusal(description: "no checkpoint in '\(path)' can be read; remove the folder to begin anew")
        }
        return nil
    }

    /// The newest checkpoint that can be read.
    package func newest(_ remark: (String) -> Void) throws(Refusal) -> Found? { try Self.newest(in: path, remark) }

    private static func name(of number: UInt64) -> String {
        let digits = "\(number)"
        return start + String(repeating: "0", count: max(0, digitCount - digits.utf8.count)) + digits
    }

    private static func numbers(in path: String) -> [UInt64] {
        (FileSystem.names(inFolder: path) ?? []).compactMap { number(of: $0) }.sorted()
    }

    /// The number of a checkpoint by the name of its file; `nil` for other files.
    private static func number(of name: String) -> UInt64? {
        guard name.hasPrefix(start), let number = UInt64(name.dropFirst(start.count)), Self.name(of: number) == name
        else { return nil }
        return number
    }

    // MARK: Writing

    /// The number of the next checkpoint.
    package var nextNumber: UInt64 { lastNumber + 1 }

    /// Takes note of a checkpoint with the next number that a copy of this process has written.
    package func noteWritten() { lastNumber += 1 }

    /// Writes a checkpoint, and removes those that are not needed any more.
    ///
    /// - Parameters:
    ///   - checkpoint: The checkpoint; it gets the next number.
    ///   - isDurable: Whether to wait until the disk has it.
    ///   - noteEncoded: Called when only the writing is left, which may wait for a disk.
    /// - Returns: How many bytes it takes.
    /// - Throws: `TransportError` when it cannot be written; those before it are then as they were.
    package func write(
        _ checkpoint: inout RunCheckpoint,
        isDurable: Bool,
        _ noteEncoded: () -> Void = {}
    ) throws(TransportError) -> Int {
        checkpoint.number = nextNumber
        let pieces = checkpoint.encodedPieces()
        noteEncoded()
        try FileSystem.replaceFile(path + "/" + Self.name(of: checkpoint.number), with: pieces, isDurable: isDurable)
        lastNumber = checkpoint.number
        // Before the old ones go: a name that is not on the disk yet is none after a power cut.
        if isDurable { try FileSystem.synchronizeFolder(path) }
        for number in Self.numbers(in: path).dropLast(Self.keptCount) {
            unsafe unlink(path + "/" + Self.name(of: number))
        }
        return pieces.reduce(0) { $0 + $1.count }
    }
}
