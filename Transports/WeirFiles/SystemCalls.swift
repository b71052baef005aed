#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The system calls that the transports need, as Swift: the only file here that differs between platforms.
package enum SystemCalls {
    /// The number of the error of the last failed call on this thread.
    package static var lastError: Int32 {
        get { errno }
        set { errno = newValue }
    }

    static let interruptedCall = EINTR
    static let wouldBlock = EAGAIN
    static let brokenPipe = EPIPE
    static let isDirectory = EISDIR
    static let noReader = ENXIO

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

    static func openForWriting(_ path: String) -> Int32 {
        unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }

    static func openForAppending(_ path: String) -> Int32 {
        unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    }

    /// Opens a pipe with a name without waiting for its other end; what is read and written then waits as usual.
    ///
    /// - Returns: The descriptor, or a negative number: for writing with ``noReader`` while nobody has it open for reading.
    static func openPipe(_ path: String, for direction: Direction) -> Int32 {
        let mode = direction == .reading ? O_RDONLY : O_WRONLY
        let descriptor = unsafe open(path, mode | O_NONBLOCK | O_CLOEXEC)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
        return descriptor
    }

    /// Whether somebody who waits for input of a pipe waits for its first writer too, and does not find an end.
    static var waitsForWriters: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    static func readBytes(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe read(descriptor, buffer.baseAddress, buffer.count)
    }

    /// Reads bytes at a place of a file, and stays where it is.
    ///
    /// - Returns: The bytes; fewer than `count` at the file's end, none after an error.
    static func readBytes(_ descriptor: Int32, at place: Int64, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
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

    static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe write(descriptor, bytes.baseAddress, bytes.count)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Tells the system that a file will be read from its start to its end.
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
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    // MARK: Facts about files

    enum Kind {
        case regularFile, directory, pipe, other
    }

    struct Facts {
        let kind: Kind
        let byteCount: Int64
        let device: UInt64
        let node: UInt64

        init(_ status: stat) {
            kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .regularFile
                case S_IFDIR: .directory
                case S_IFIFO: .pipe
                default: .other
                }
            byteCount = Int64(status.st_size)
            device = UInt64(truncatingIfNeeded: status.st_dev)
            node = UInt64(truncatingIfNeeded: status.st_ino)
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

    /// How many bytes of a file were read already.
    static func position(in descriptor: Int32) -> Int64 {
        max(0, Int64(lseek(descriptor, 0, SEEK_CUR)))
    }

    static func moveToEnd(of descriptor: Int32) -> Int64 {
        max(0, Int64(lseek(descriptor, 0, SEEK_END)))
    }

    static func move(_ descriptor: Int32, to place: Int64) -> Int64 {
        max(0, Int64(lseek(descriptor, off_t(place), SEEK_SET)))
    }

    // MARK: Pipes

    /// Makes a pipe that neither end of which blocks.
    static func makePipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
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
