#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    // The list of variables is a variable of the system, which the program never changes.
    @unsafe @preconcurrency internal import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency internal import Musl
#endif

/// The environment of the process.
public enum ProgramEnvironment {
    /// The value of a variable, if it is set.
    public static func value(of name: String) -> String? {
        // The program never changes its environment, so the text stays where it is.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// The names of all variables that are set.
    package static var names: [String] {
        #if canImport(Darwin)
            var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = unsafe _NSGetEnviron().pointee
        #else
            var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = unsafe environ
        #endif
        var names: [String] = []
        // The list ends with nothing.
        while let text = unsafe place.pointee {
            unsafe names.append(String(String(cString: text).prefix { $0 != "=" }))
            unsafe place += 1
        }
        return names
    }

    /// The number of this process.
    public static var processNumber: Int32 { getpid() }

    /// The name of this machine; empty where it has none.
    package static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        // One byte stays zero, so that the name has an end.
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The number of the user that the process runs as.
    public static var userNumber: UInt32 { getuid() }
}
