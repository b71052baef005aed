internal import WeirFiles

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file, which its writer locks.
package final class FileStorage: RecordingStorage {
    package let path: String
    private let descriptor: CInt

    package init(path: String, writing: Bool) throws(RecordingError) {
        self.path = path
        let flags = (writing ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY) | O_CLOEXEC
        var opened: CInt
        repeat {
            opened = unsafe open(path, flags, 0o644)
        } while opened < 0 && errno == EINTR
        descriptor = opened
        guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: Self.reason()) }
        guard writing, flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        throw errno == EWOULDBLOCK ? .inUse(path: path) : .cannotOpen(path: path, reason: Self.reason())
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Closing alone leaves the lock to a child that was started meanwhile and has not replaced its image yet.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    private static func reason() -> String {
        SystemCalls.describe(SystemCalls.lastError)
    }

    package func size() throws(RecordingError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .readFailed(path: path, reason: Self.reason()) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen(path: path, reason: "it is not a regular file")
        }
        return Int(status.st_size)
    }

    package func read(at offset: Int, upTo count: Int, into buffer: inout [UInt8]) throws(RecordingError) -> Int {
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: count))
        var result: Int
        repeat {
            result = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(descriptor, bytes.baseAddress.map { unsafe $0 + start }, count, off_t(offset))
            }
        } while result < 0 && errno == EINTR
        buffer.removeLast(count - max(0, result))
        guard result >= 0 else { throw .readFailed(path: path, reason: Self.reason()) }
        return result
    }

    package func append(_ bytes: [UInt8]) throws(RecordingError) {
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            guard result >= 0 || errno == EINTR else { throw .writeFailed(path: path, reason: Self.reason()) }
            written += max(0, result)
        }
    }

    package func truncate(to size: Int) throws(RecordingError) {
        while ftruncate(descriptor, off_t(size)) != 0 {
            guard errno == EINTR else { throw .writeFailed(path: path, reason: Self.reason()) }
        }
    }

    package func synchronize() throws(RecordingError) {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw .writeFailed(path: path, reason: Self.reason()) }
        }
    }
}
