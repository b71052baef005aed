#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a process was started with, for programs: a library leaves the environment alone.
public enum ProcessEnvironment {
    /// The value of a variable.
    ///
    /// - Parameter name: Its name.
    /// - Returns: The value; `nil` where it is not set.
    public static func value(of name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// The number of this process.
    public static var processNumber: Int32 { getpid() }
}
