import Foundation
import Testing
import WeirCore
import WeirFiles

@Suite struct FollowTests {
    private let folder: TemporaryFolder
    private let interruption: Interruption

    init() throws {
        folder = try TemporaryFolder()
        interruption = try Interruption()
    }

    private func follow(_ path: String, _ options: String = "") throws -> any TransportSource {
        try FileTransport(interruption: interruption).openSource(path + "?follow=true&poll=1ms" + options)
    }

    private func append(_ text: String, to path: String) throws {
        let sink = try FileTransport().openSink(path + "?append=true")
        try sink.write(text)
    }

    /// Reads until there are so many bytes; the file has them, so nothing waits for long.
    private func read(_ source: any TransportSource, _ count: Int) throws -> String {
        var text = ""
        while text.utf8.count < count { text += try source.readOnce() }
        return text
    }

    @Test func readsWhatIsWrittenLater() throws {
        let path = try folder.file("log", "one\n")
        let source = try follow(path)
        #expect(try read(source, 4) == "one\n")
        try append("two\nthr", to: path)
        #expect(try read(source, 7) == "two\nthr")
        try append("ee\n", to: path)
        #expect(try read(source, 3) == "ee\n")
        #expect(source.expectedByteCount == nil)
    }

    @Test func waitsForWhatComes() throws {
        let path = try folder.file("log", "")
        let source = try follow(path)
        let writer = Thread { try? FileTransport().openSink(path + "?append=true").write("late\n") }
        writer.start()
        #expect(try read(source, 5) == "late\n")
    }

    @Test func beginsAtTheEndWhereThatIsAskedFor() throws {
        let path = try folder.file("log", "old\n")
        let source = try follow(path, "&start=end")
        try append("new\n", to: path)
        #expect(try read(source, 4) == "new\n")
    }

    @Test func goesOnWithTheFileThatTakesTheName() throws {
        let path = try folder.file("log", "first\n")
        let source = try follow(path)
        #expect(try read(source, 6) == "first\n")
        try append("last of it", to: path)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try append("of the new one\n", to: path)
        #expect(try read(source, 26) == "last of it\nof the new one\n", "lines of two files are not joined")
    }

    @Test func beginsAgainWhereTheFileBecameShorter() throws {
        let path = try folder.file("log", "a long line, longer than the next\n")
        let source = try follow(path)
        #expect(try read(source, 34).hasSuffix("next\n"))
        try FileTransport().openSink(path).write("short\n")
        #expect(try read(source, 6) == "short\n")
        #expect(source.meter?.takeNotices().count == 1)
    }

    @Test func anInterruptionComesAfterWhatWasWrittenBefore() throws {
        let path = try folder.file("log", "all\nof it\n")
        let source = try follow(path)
        interruption.trigger()
        #expect(try read(source, 10) == "all\nof it\n")
        #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce() }
        #expect(source.drainsWhenInterrupted)
    }

    @Test func onlyFilesAreFollowed() throws {
        #expect(throws: TransportError.cannotOpen(address: "/dev/null", reason: "only a file can be followed")) {
            try follow("/dev/null")
        }
        #expect(throws: TransportError.self) { try FileTransport().openSource("/dev/null?poll=1s") }
    }

    @Test func aPathMayContainAQuestionMark() throws {
        let path = try folder.file("what?.csv", "x")
        #expect(try FileTransport().openSource(path + "?").readAll() == "x")
        let error = try #require(throws: TransportError.self) { try FileTransport().openSource(path) }
        #expect("\(error)".contains("a '?' in a path takes another '?' at the end"))
    }

    @Test func aSinkCanWriteBehindWhatIsThere() throws {
        let path = try folder.file("out", "one\n")
        try append("two\n", to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    }
}
