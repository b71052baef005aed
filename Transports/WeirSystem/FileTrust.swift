#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Whether others could have written what a program is about to obey, such as a library or a configuration.
public enum FileTrust {
    /// The variable that allows it all the same, with the value `1`.
    public static let allowance = "WEIR_ALLOW_WRITABLE"

    /// Finds the file that a path leads to, and makes sure that only this user and root own and can write it, and all
    /// folders above it, in which it could be replaced.
    ///
    /// The path that is returned has no links in it, and nobody else can change what it leads to: it can be opened later.
    /// A group with the number of the user is the user's own. In a folder with the sticky bit, such as `/tmp`, only owners
    /// replace files.
    ///
    /// - Parameter path: The file; links are followed.
    /// - Returns: The path to open; `path` itself where the environment allows everything, and where there is no such file.
    /// - Throws: ``UntrustedFile``.
    public static func resolve(_ path: String) throws(UntrustedFile) -> String {
        if ProgramEnvironment.value(of: allowance) == "1" { return path }
        guard let file = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(file) }
        let real = unsafe String(cString: file)
        if let reason = flaw(of: real, "it") { throw UntrustedFile(description: reason) }
        var folder = real[...]
        while let slash = folder.lastIndex(of: "/") {
            let isNearest = folder.endIndex == real.endIndex
            folder = folder[..<slash]
            let name = folder.isEmpty ? "/" : String(folder)
            if let reason = flaw(of: name, isNearest ? "its folder '\(name)'" : "the folder '\(name)' above it") {
                throw UntrustedFile(description: reason)
            }
        }
        return real
    }

    private static func flaw(of path: String, _ what: String) -> String? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return "\(what) has gone" }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFLNK else { return "\(what) has become a link meanwhile" }
        let isFolder = kind == S_IFDIR
        guard isFolder || kind == S_IFREG else { return nil }
        let user = geteuid()
        if status.st_uid != user, status.st_uid != 0 {
            return "\(what) belongs to user \(status.st_uid); copy it, or set \(allowance)=1"
        }
        if isFolder, status.st_mode & S_ISVTX != 0 { return nil }
        let isOwnGroup = status.st_gid == status.st_uid
        let writers = status.st_mode & (isOwnGroup ? 0o002 : 0o022)
        guard writers != 0 else { return nil }
        return "others can write \(what); 'chmod go-w \(path)', or set \(allowance)=1"
    }
}

/// Why a file is not to be trusted, and what to do about it, to follow its path in one line.
public struct UntrustedFile: Error, CustomStringConvertible {
    public let description: String
}
