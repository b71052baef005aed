#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The environment of the process.
public enum ProgramEnvironment {
    /// The value of a variable, if it is set.
    public static func value(of name: String) -> String? {
        // The program never changes its environment, so the text stays where it is.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// The number of this process.
    public static var processNumber: Int32 { getpid() }

    /// The number of the user that the process runs as.
    public static var userNumber: UInt32 { getuid() }
}
