import Foundation
import Testing
import WeirCore
import WeirFiles

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

    @Test(arguments: ["metrics", "what?.txt", "a?b=c"])
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
        #if os(Linux)
            // The draft cannot be written.
            let full = try folder.file("full", "old")
            try FileManager.default.createSymbolicLink(atPath: full + ".new", withDestinationPath: "/dev/full")
            #expect(throws: TransportError.self) { try FileSystem.replaceFile(full, with: [1]) }
            #expect(try names() == ["full", "metrics"])
            #expect(try String(contentsOfFile: full, encoding: .utf8) == "old")
        #endif
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
