#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What the system allows this process.
public enum SystemLimits {
    /// How many files may be open at a time.
    public static var openFiles: UInt64 {
        let count = sysconf(Int32(_SC_OPEN_MAX))
        return count > 0 ? UInt64(count) : UInt64.max
    }

    /// How many bytes of memory this process has in use; 0 where the system does not say so at once.
    package static var residentByteCount: Int {
        #if os(Linux)
            let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return 0 }
            defer { _ = close(file) }
            var bytes = [UInt8](repeating: 0, count: 128)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            // Pages in all, resident, shared, and others.
            let fields = bytes[..<max(0, count)].split(separator: UInt8(ascii: " "))
            guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return 0 }
            return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        #else
            0
        #endif
    }
}
