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
}
