#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The system calls that the transports need, as Swift: beside ``FileWatch`` the only file here that differs between
/// platforms.
package enum SystemCalls {
    /// The number of the error of the last failed call on this thread.
    package static var lastError: Int32 {
        get { errno }
        set { errno = newValue }
    }

    package static let interruptedCall = EINTR
    static let wouldBlock = EAGAIN
    static let brokenPipe = EPIPE
    static let isDirectory = EISDIR
    static let noReader = ENXIO
    static let noSuchFile = ENOENT

    /// An error's description in the system's words, with a small letter: it follows a colon.
    package static func describe(_ error: Int32) -> String {
        guard error != EISDIR else { return "is a directory" }
        guard let text = unsafe strerror(error) else { return "error \(error)" }
        let words = unsafe String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    // MARK: Descriptors

    static func openForReading(_ path: String) -> Int32 {
        unsafe open(path, O_RDONLY | O_CLOEXEC)
    }

    /// Opens a file, or makes it; what is in it stays, and what is written goes behind all that is in it by then.
    static func openForWriting(_ path: String) -> Int32 {
        unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    }

    /// Makes a file that is not there yet; a link of that name is not followed.
    static func createFile(_ path: String, permissions: UInt32?) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe open(path, flags, mode_t(permissions ?? 0o666))
        // The mask of the process has taken some away; those of the file that is replaced are kept.
        if descriptor >= 0, let permissions { _ = fchmod(descriptor, mode_t(permissions)) }
        return descriptor
    }

    /// Removes what is in a file.
    ///
    /// - Returns: Whether that worked.
    static func emptyFile(_ descriptor: Int32) -> Bool {
        while ftruncate(descriptor, 0) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Removes the last bytes of a file, which the last write put there; nothing where the file has grown since, or where
    /// it is no file.
    static func takeBack(_ count: Int, from descriptor: Int32) {
        guard count > 0, let facts = facts(about: descriptor), facts.kind == .regularFile else { return }
        let end = Int64(lseek(descriptor, 0, SEEK_CUR))
        guard end == facts.byteCount, end >= Int64(count), ftruncate(descriptor, off_t(end - Int64(count))) == 0 else {
            return
        }
        _ = lseek(descriptor, off_t(end - Int64(count)), SEEK_SET)
    }

    /// Waits until what was written to a file is on the disk; what is no file has nothing to wait for.
    ///
    /// - Returns: Whether that worked.
    static func synchronize(_ descriptor: Int32) -> Bool {
        while fsync(descriptor) != 0 {
            switch errno {
            case EINTR: continue
            // Pipes, devices, and file systems without it.
            case EINVAL, EROFS, ENOTSUP: return true
            default: return false
            }
        }
        return true
    }

    /// Opens a pipe with a name without waiting for its other end; what is read and written then waits as usual.
    ///
    /// - Returns: The descriptor, or a negative number: for writing with ``noReader`` while no process has it open for reading.
    static func openPipe(_ path: String, for direction: Direction) -> Int32 {
        let mode = direction == .reading ? O_RDONLY : O_WRONLY
        let descriptor = unsafe open(path, mode | O_NONBLOCK | O_CLOEXEC)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
        return descriptor
    }

    /// Whether waiting for input of a pipe includes waiting for its first writer, instead of finding its end.
    static var waitsForWriters: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    package static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    package static func readBytes(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe read(descriptor, buffer.baseAddress, buffer.count)
    }

    /// Reads bytes at a place of a file, and stays where it is.
    ///
    /// - Returns: The bytes; fewer than `count` at the file's end, none after an error.
    static func readBytes(_ descriptor: Int32, at place: Int64, count: Int) -> [UInt8] {
        // The initializer writes a count also into the empty array that all threads share.
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let read = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(place) + off_t(filled))
                if read > 0 { filled += read }
                if read == 0 || read < 0 && errno != EINTR { return }
            }
        }
    }

    /// Reads two stretches of a file in one step, so that nothing can be written to it between the two, and stays where it
    /// is.
    ///
    /// - Returns: How many bytes in all; negative after an error.
    static func readBytes(
        _ descriptor: Int32,
        at place: Int64,
        into first: UnsafeMutableRawBufferPointer,
        and second: UnsafeMutableRawBufferPointer
    ) -> Int {
        let parts = unsafe [
            iovec(iov_base: first.baseAddress, iov_len: first.count),
            iovec(iov_base: second.baseAddress, iov_len: second.count),
        ]
        return unsafe preadv(descriptor, parts, Int32(parts.count), off_t(place))
    }

    package static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe write(descriptor, bytes.baseAddress, bytes.count)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Advises the system that a file will be read from its start to its end.
    static func expectSequentialReading(_ descriptor: Int32) {
        #if os(Linux)
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        #endif
    }

    // MARK: Waiting

    enum Direction {
        case reading, writing
    }

    /// Waits until a descriptor is ready or, where there is a second one, until that can be read; signals do not end it.
    static func wait(for descriptor: Int32, _ direction: Direction, or other: Int32? = nil) {
        let events = Int16(direction == .reading ? POLLIN : POLLOUT)
        var entries = [pollfd(fd: descriptor, events: events, revents: 0)]
        if let other { entries.append(pollfd(fd: other, events: Int16(POLLIN), revents: 0)) }
        while unsafe poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
    }

    /// Waits until a descriptor can be read, or the time is over.
    ///
    /// - Returns: Whether it can be read.
    package static func wait(for descriptor: Int32, milliseconds: Int32) -> Bool {
        wait(forAnyOf: [descriptor], milliseconds: milliseconds)
    }

    /// Waits for a time, or until a signal arrives.
    package static func pause(milliseconds: Int32) { _ = wait(forAnyOf: [], milliseconds: milliseconds) }

    /// Waits until one of several descriptors can be read, or the time is over.
    ///
    /// - Returns: Whether one can be read.
    static func wait(forAnyOf descriptors: [Int32], milliseconds: Int32) -> Bool {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        return unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0
    }

    // MARK: Facts about files

    enum Kind {
        case regularFile, directory, pipe, link, other
    }

    struct Facts {
        let kind: Kind
        let byteCount: Int64
        let device: UInt64
        let node: UInt64
        /// Who may do what.
        let permissions: UInt32
        /// When it was written to last, in nanoseconds since 1970.
        let modified: Int64

        init(_ status: stat) {
            kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .regularFile
                case S_IFDIR: .directory
                case S_IFIFO: .pipe
                case S_IFLNK: .link
                default: .other
                }
            byteCount = Int64(status.st_size)
            device = UInt64(truncatingIfNeeded: status.st_dev)
            node = UInt64(truncatingIfNeeded: status.st_ino)
            permissions = UInt32(status.st_mode & 0o777)
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
    }

    static func facts(about descriptor: Int32) -> Facts? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Facts(status) : nil
    }

    static func facts(about path: String) -> Facts? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Facts(status) : nil
    }

    /// The facts about what has a name itself, also where that is a link.
    static func factsWithoutFollowing(_ path: String) -> Facts? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Facts(status) : nil
    }

    /// Where a link leads to; `nil` for what is none.
    static func target(ofLink path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
        }
    }

    /// Has the next read begin at a place of a file, and says whether that worked.
    static func move(_ descriptor: Int32, to place: Int64) -> Bool { lseek(descriptor, off_t(place), SEEK_SET) >= 0 }

    /// How many bytes of a file were read already.
    static func position(in descriptor: Int32) -> Int64 {
        max(0, Int64(lseek(descriptor, 0, SEEK_CUR)))
    }

    // MARK: Pipes

    /// Makes a pipe that neither end of which blocks.
    package static func makePipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }

    /// Takes out what is in a pipe that does not block.
    static func emptyPipe(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe bytes.withUnsafeMutableBytes({ unsafe readBytes(descriptor, into: $0) }) == bytes.count {}
    }

    // MARK: Standard streams

    /// Occupies a descriptor that is closed, so that no file gets its number; using it still fails.
    static func occupyIfClosed(_ descriptor: Int32, meantFor direction: Direction) {
        guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { return }
        // The lowest free number is given out, and the lower ones are taken.
        _ = unsafe open("/dev/null", direction == .reading ? O_WRONLY : O_RDONLY)
    }

    /// Whether a descriptor is open in the wanted direction.
    static func isOpen(_ descriptor: Int32, for direction: Direction) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { return false }
        let mode = flags & O_ACCMODE
        return mode == O_RDWR || mode == (direction == .reading ? O_RDONLY : O_WRONLY)
    }
}
