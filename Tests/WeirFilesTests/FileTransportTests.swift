import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@Suite struct FileTransportTests {
    private let folder: TemporaryFolder
    private let transport = FileTransport()

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [1, 3, 4096])
    func readsAFileInPiecesOfAnySize(limit: Int) throws {
        let text = String(repeating: "one line\n", count: 100)
        let source = try transport.openSource(try folder.file("lines", text))
        #expect(source.expectedByteCount == Int64(text.utf8.count))
        #expect(try source.readAll(limit) == text)
        #expect(try source.readOnce() == "", "the end stays the end")
    }

    @Test func readsAnEmptyFile() throws {
        let source = try transport.openSource(try folder.file("empty", ""))
        #expect(source.expectedByteCount == nil)
        #expect(try source.readAll() == "")
    }

    @Test func createsAFile() throws {
        let path = try folder.file("new")
        var sink: (any TransportSink)? = try transport.openSink(path)
        try sink?.write("one\n")
        try sink?.write("two\n")
        sink = nil
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    }

    @Test func emptiesAFileThatItOverwrites() throws {
        let path = try folder.file("old", "something that is longer than what comes")
        let sink = try transport.openSink(path)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("something"), "until something is written")
        try sink.write("short")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "short")
        try sink.finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "short")
    }

    @Test(arguments: [true, false])
    func aFileThatNothingIsWrittenToIsEmptiedAtTheEnd(isWritten: Bool) throws {
        let path = try folder.file("old", "old")
        let sink = try transport.openSink(path)
        if isWritten { try sink.write("") } else { try sink.finish() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "")
        let other = try folder.file("other", "old")
        _ = try transport.openSink(other)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "old", "unless it has no end")
        try transport.openSink(other + "?append=true").finish()
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "old")
    }

    @Test func whatAnotherProgramWritesMeanwhileStays() throws {
        let path = try folder.file("a", "old")
        let sinks = try [transport.openSink(path), transport.openSink(path + "?append=true")]
        for number in 0..<6 { try sinks[number % 2].write("\(number)\n") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "0\n1\n2\n3\n4\n5\n")
    }

    @Test func saysWhyAFileCannotBeOpened() throws {
        let missing = folder.path + "/missing"
        #expect(throws: TransportError.cannotOpen(address: missing, reason: "no such file or directory")) {
            try transport.openSource(missing)
        }
        #expect(throws: TransportError.cannotOpen(address: folder.path, reason: "is a directory")) {
            try transport.openSource(folder.path)
        }
        #expect(throws: TransportError.cannotOpen(address: folder.path, reason: "is a directory")) {
            try transport.openSink(folder.path)
        }
        #expect(throws: TransportError.cannotOpen(address: missing + "/x", reason: "no such file or directory")) {
            try transport.openSink(missing + "/x")
        }
        #expect(throws: TransportError.cannotOpen(address: "", reason: "the path is empty")) {
            try transport.openSource("")
        }
        #expect(throws: TransportError.cannotOpen(address: "a\0b", reason: "the path contains a zero")) {
            try transport.openSource("a\0b")
        }
    }

    #if os(Linux)
        @Test func saysThatADiskIsFull() throws {
            let sink = try transport.openSink("/dev/full")
            #expect(throws: TransportError.writeFailed(address: "/dev/full", reason: "no space left on device")) {
                try sink.write("a")
            }
        }

        @Test func readsFilesThatTheKernelMakesUp() throws {
            let source = try transport.openSource("/proc/self/status")
            #expect(source.expectedByteCount == nil)
            #expect(try source.readAll().hasPrefix("Name:"))
        }
    #endif

    @Test func knowsAFileByEveryPath() throws {
        let path = try folder.file("a", "x")
        let other = try folder.file("b", "x")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: path)
        #expect(FileIdentity(path: path) != nil)
        #expect(
            FileIdentity(path: folder.path + "/../" + path.split(separator: "/").suffix(2).joined(separator: "/"))
                == FileIdentity(path: path)
        )
        #expect(FileIdentity(path: folder.path + "/link") == FileIdentity(path: path))
        #expect(FileIdentity(path: other) != FileIdentity(path: path))
        #expect(FileIdentity(path: folder.path) == nil)
        #expect(FileIdentity(path: folder.path + "/missing") == nil)
        #expect(FileIdentity(path: "/dev/null") == nil)
    }

    @Test func standardStreamsTakeNoAddressAndOneDirection() {
        #expect(throws: TransportError.self) { try StandardInput().openSource("x") }
        #expect(throws: TransportError.self) { try StandardInput().openSink("") }
        #expect(throws: TransportError.self) { try StandardOutput().openSink("x") }
        #expect(throws: TransportError.self) { try StandardOutput().openSource("") }
    }
}
