import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct FileSystemTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test(arguments: ["metrics", "what?.txt", "a?b=c", "why?\u{301}", "?\u{308}=1"])
    func putsAFileInThePlaceOfAnother(name: String) throws {
        let path = try folder.file(name, "old")
        try FileSystem.replaceFile(path, with: Array("new".utf8))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try names() == [name], "the draft is gone")
    }

    @Test func leavesNothingBehindWhereItFails() throws {
        // A folder cannot be replaced.
        let path = folder.path + "/metrics"
        try FileSystem.createFolders(for: path + "/x")
        #expect(throws: TransportError.self) { try FileSystem.replaceFile(path, with: [1]) }
        #expect(try names() == ["metrics"])
    }

    @Test func followsNoLinkWhereItReplaces() throws {
        let target = try folder.file("target", "another's")
        let link = folder.path + "/link"
        // What an earlier version wrote to.
        for name in [link, folder.path + "/a.new"] {
            try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: target)
        }
        let reason = TransportError.cannotOpen(
            address: link,
            reason: "it is a symbolic link, which is not followed; name the file itself"
        )
        #expect(throws: reason) { try FileSystem.replaceFile(link, with: [1]) }
        #expect(throws: reason) { try FileSystem.checkReplaceable(link) }
        try FileSystem.replaceFile(folder.path + "/a", with: Array("new".utf8))
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "another's")
        #expect(try names() == ["a", "a.new", "link", "target"])
    }

    @Test(arguments: [0o600, 0o644, 0o666, 0o751] as [mode_t])
    func keepsThePermissionsOfTheFile(permissions: mode_t) throws {
        let path = try folder.file("a", "old")
        #expect(unsafe chmod(path, permissions) == 0)
        try FileSystem.replaceFile(path, with: [1])
        var status = stat()
        #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o777 == permissions)
    }

    private static let unfinished: [(contents: String, count: Int64)] = {
        let long = String(repeating: "x", count: 65_536)
        return [
            ("", 0), ("\n", 0), ("a\n", 0), ("a", 1), ("a\nbc", 2), ("\n\nabc", 3),
            (long + long + "x", 131_073), ("\n" + long, 65_536), (String(long.dropLast()) + "\n" + long, 65_536),
        ]
    }()

    @Test(arguments: unfinished)
    func knowsHowMuchOfALineIsUnfinished(contents: String, count: Int64) throws {
        let path = try folder.file("a", contents)
        #expect(FileSystem.unfinishedLineLength(of: path) == count)
        #expect(FileSystem.unfinishedLineLength(of: folder.path) == 0)
        #expect(FileSystem.unfinishedLineLength(of: path + "b") == 0)
    }

    @Test func checksWhetherAFileCanBeWrittenWithoutChangingIt() throws {
        let path = try folder.file("a", "as it was")
        try FileSystem.checkWritable(path)
        try FileSystem.checkWritable(folder.path + "/b")
        #expect(try names() == ["a"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "as it was")
        #expect(throws: TransportError.cannotOpen(address: folder.path, reason: "is a directory")) {
            try FileSystem.checkWritable(folder.path)
        }
        #expect(throws: TransportError.self) { try FileSystem.checkWritable(folder.path + "/missing/c") }
    }

    @Test func leavesPipesAlone() throws {
        let path = folder.path + "/pipe"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let reason = TransportError.cannotOpen(address: path, reason: "it is not a regular file")
        #expect(throws: reason) { try FileSystem.replaceFile(path, with: [1]) }
        #expect(throws: reason) { try FileSystem.checkReplaceable(path) }
        #expect(try names() == ["pipe"])
        // Who reads it has not seen its end.
        let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try FileSystem.checkWritable(path)
        var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&entry, 1, 0) == 0)
    }

    @Test func checksWhetherAFileCanBeReplaced() throws {
        let path = try folder.file("a", "as it was")
        try FileSystem.checkReplaceable(path)
        try FileSystem.checkReplaceable(folder.path + "/b")
        #expect(try names() == ["a"])
        #expect(throws: TransportError.self) { try FileSystem.checkReplaceable(folder.path) }
        #expect(throws: TransportError.self) { try FileSystem.checkReplaceable(folder.path + "/missing/c") }
    }

    /// What a program left behind that was killed goes; what another one is writing stays, and so does what only looks so.
    @Test func draftsThatWereLeftBehindAreRemoved() throws {
        let path = try folder.file("a", "as it was")
        _ = try folder.file(".weir-1a2b.new", "left behind")
        let living = try folder.file(".weir-3c4d.new", "being written")
        for name in [".weir-.new", ".weir-notes.new", ".weir-1a2b.old"] { _ = try folder.file(name, "of another user") }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/.weir-5e6f.new",
            withDestinationPath: path
        )
        #expect(unsafe mkfifo(folder.path + "/.weir-7a8b.new", 0o600) == 0)
        let writer = unsafe open(living, O_WRONLY | O_CLOEXEC)
        #expect(flock(writer, LOCK_EX | LOCK_NB) == 0)
        let stays = [".weir-.new", ".weir-1a2b.old", ".weir-5e6f.new", ".weir-7a8b.new", ".weir-notes.new", "a"]
        try FileSystem.replaceFile(path, with: [1])
        #expect(try names() == (stays + [".weir-3c4d.new"]).sorted())
        close(writer)
        try FileSystem.checkReplaceable(path)
        #expect(try names() == stays)
    }

    @Test func createsTheFoldersOfAPath() throws {
        let path = folder.path + "//x/y/z"
        try FileSystem.createFolders(for: path)
        try FileSystem.createFolders(for: path)
        #expect(FileSystem.exists(folder.path + "/x/y"))
        #expect(!FileSystem.exists(path))
        #expect(FileSystem.absolutePath(folder.path + "/x/../x/y") == FileSystem.absolutePath(folder.path + "/x/y"))
        #expect(FileSystem.absolutePath(path) == nil)
        _ = try folder.file("file", "")
        #expect(throws: TransportError.self) { try FileSystem.createFolders(for: folder.path + "/file/x/y") }
    }
}
