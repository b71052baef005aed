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

    /// Why a file is not to be trusted: another user than this one and root owns or can write it, or its folder, in
    /// which it could be replaced.
    ///
    /// A group with the number of the user is the user's own. In a folder with the sticky bit, such as `/tmp`, only owners
    /// replace files.
    ///
    /// - Parameter path: The file; links are followed.
    /// - Returns: The reason and what to do about it, to follow the path in one line; `nil` where it can be trusted, where
    ///   the environment allows it, and where there is no such file.
    public static func flaw(ofFileAt path: String) -> String? {
        if ProgramEnvironment.value(of: allowance) == "1" { return nil }
        guard let file = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(file) }
        let real = unsafe String(cString: file)
        let folder = String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)])
        return flaw(of: real, isFolder: false) ?? flaw(of: folder.isEmpty ? "/" : folder, isFolder: true)
    }

    private static func flaw(of path: String, isFolder: Bool) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, isFolder || status.st_mode & S_IFMT == S_IFREG else { return nil }
        let what = isFolder ? "its folder '\(path)'" : "it"
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
