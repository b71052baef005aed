internal import WeirCore
internal import WeirFiles

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The system calls around Unix sockets, as Swift.
enum UnixSocket {
    #if canImport(Glibc)
        private static let kind = Int32(SOCK_STREAM.rawValue)
    #else
        private static let kind = SOCK_STREAM
    #endif

    /// The system's words for the error of the last call.
    static var reason: String {
        SystemCalls.describe(SystemCalls.lastError)
    }

    /// Makes a socket that children do not inherit, whose reads and writes end after a while.
    ///
    /// - Parameter patience: How long a read or a write may wait.
    /// - Returns: The descriptor, or a negative number.
    static func make(patience: Duration) -> Int32 {
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        setPatience(patience, of: descriptor)
        return descriptor
    }

    static func setPatience(_ patience: Duration, of descriptor: Int32) {
        // Nothing at all would mean for ever.
        let (seconds, microseconds) = max(1, patience.wholeNanoseconds / 1_000)
            .quotientAndRemainder(dividingBy: 1_000_000)
        var time = timeval(tv_sec: time_t(seconds), tv_usec: suseconds_t(microseconds))
        let length = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, length)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, length)
    }

    /// Limits how long the next read or write waits.
    ///
    /// - Returns: False when the time has come.
    private static func limit(_ descriptor: Int32, to deadline: Timestamp) -> Bool {
        let rest = deadline - MonotonicClock().now()
        guard rest > .zero else { return false }
        setPatience(rest, of: descriptor)
        return true
    }

    /// Calls `body` with a path as an address.
    ///
    /// - Returns: `nil` for a path that is longer than the system takes.
    static func withAddress(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room, !bytes.contains(0) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Reads until the other side has ended, unless a time comes before that.
    static func readAll(_ descriptor: Int32, limit: Int, until deadline: Timestamp) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < limit, Self.limit(descriptor, to: deadline) {
            let count = unsafe read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
        return nil
    }

    /// Writes all bytes, unless a time comes before that.
    static func write(_ bytes: [UInt8], to descriptor: Int32, until deadline: Timestamp) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard limit(descriptor, to: deadline) else { return false }
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(noSignal))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Writes as much as the other side takes without waiting.
    ///
    /// - Returns: How many bytes; zero where it takes no more, `nil` where it may take some later.
    static func writeSome(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(noSignal) | Int32(MSG_DONTWAIT))
        }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? nil : max(0, count)
    }

    #if canImport(Darwin)
        private static let noSignal = 0
    #else
        private static let noSignal = Int(MSG_NOSIGNAL)
    #endif
}
