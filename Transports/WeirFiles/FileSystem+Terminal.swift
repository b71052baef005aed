#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension FileSystem {
    /// Whether a path is that of a terminal, such as `/dev/tty`, or leads to one, such as `/dev/stdout`.
    ///
    /// - Returns: `false` also where there is nothing at the path, or it cannot be looked at.
    package static func isTerminal(_ path: String) -> Bool {
        // A look first: opening a pipe would tell its reader that it has a writer.
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
        let descriptor = unsafe open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { SystemCalls.closeDescriptor(descriptor) }
        return SystemCalls.isTerminal(descriptor)
    }
}
