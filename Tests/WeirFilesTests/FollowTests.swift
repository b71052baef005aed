import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

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

    /// Reads until there are `count` bytes; the file has them, so nothing waits for long.
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

    @Test func anInterruptionComesAfterWhatIsInTheFileThatTookTheName() throws {
        let path = try folder.file("log", "old\n")
        let source = try follow(path)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try append("new\n", to: path)
        interruption.trigger()
        #expect(try read(source, 8) == "old\nnew\n")
        #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce() }
    }

    @Test func readsTheOldFileUntilTheNewOneHasSomething() throws {
        let path = try folder.file("log", "one\n")
        let source = try follow(path)
        #expect(try read(source, 4) == "one\n")
        // Rotation makes the new file, and some time later the writer opens it.
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        _ = try folder.file("log", "")
        interruption.trigger()
        #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce() }
        try append("two\n", to: path + ".1")
        #expect(try source.readOnce() == "two\n")
        try append("three\n", to: path + ".1")
        try append("four\n", to: path)
        #expect(try read(source, 11) == "three\nfour\n")
    }

    @Test func aSharedHeaderIsHandedOutOnce() throws {
        let path = try folder.file("log", "time,x\n1,1\n")
        let source = try follow(path, "&header=shared")
        #expect(try read(source, 11) == "time,x\n1,1\n")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        // The header of the new file comes in two pieces.
        try append("time", to: path)
        interruption.trigger()
        #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce() }
        try append(",x\n2,2\n", to: path)
        #expect(try read(source, 4) == "2,2\n")
        try FileTransport().openSink(path).write("time,x\n3\n")
        #expect(try read(source, 2) == "3\n", "the file became shorter")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".2")
        try append("x,time\n4,4\n", to: path)
        let reason = "it begins with another header than the file before it"
        #expect(throws: TransportError.readFailed(address: path, reason: reason)) { try source.readOnce() }
    }

    @Test func aSharedHeaderMayEndInAnotherWay() throws {
        let path = try folder.file("log", "time,x\n1,1\n")
        let source = try follow(path, "&header=shared")
        #expect(try read(source, 11) == "time,x\n1,1\n")
        for (number, end) in ["\r\n", "\n"].enumerated() {
            try FileManager.default.moveItem(atPath: path, toPath: path + ".\(number)")
            try append("time,x" + end.dropLast(), to: path)
            interruption.trigger()
            #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce() }
            try append("\n2,2\n", to: path)
            #expect(try read(source, 4) == "2,2\n")
        }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".2")
        try append("time,xx\n4,4\n", to: path)
        #expect(throws: TransportError.self) { try source.readOnce() }
    }

    @Test(arguments: [1, 6, 7, 5000])
    func aSharedHeaderComesAlsoFromTheEnd(width: Int) throws {
        let header = String(repeating: "x", count: width) + "\n"
        let path = try folder.file("log", header + "old\n")
        let source = try follow(path, "&header=shared&start=end")
        try append("new\n", to: path)
        #expect(try read(source, width + 5) == header + "new\n")
    }

    @Test func aHeaderThatIsNotCompleteIsNotPassedOver() throws {
        let path = try folder.file("log", "time")
        let source = try follow(path, "&header=shared&start=end")
        try append(",x\n1,1\n", to: path)
        #expect(try read(source, 11) == "time,x\n1,1\n")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try append("time,x\n2,2\n", to: path)
        #expect(try read(source, 4) == "2,2\n")
        #expect(throws: TransportError.self) { try FileTransport().openSource(path + "?header=shared") }
    }

    @Test func aHeaderThatWasNeverCompletedIsNotOne() throws {
        let path = try folder.file("log", "ti")
        let source = try follow(path, "&header=shared")
        #expect(try read(source, 2) == "ti")
        for number in 1...2 {
            try FileManager.default.moveItem(atPath: path, toPath: path + ".\(number)")
            try append("time,x\n\(number)\n", to: path)
            #expect(try read(source, number == 1 ? 10 : 2) == (number == 1 ? "\ntime,x\n1\n" : "2\n"))
        }
    }

    /// A user that may read everything cannot see the difference.
    @Test(.enabled(if: geteuid() != 0))
    func saysOnceThatTheFileThatTookTheNameCannotBeOpened() throws {
        let path = try folder.file("log", "one\n")
        let source = try follow(path)
        #expect(try read(source, 4) == "one\n")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try append("two\n", to: path)
        unsafe #expect(chmod(path, 0) == 0)
        interruption.trigger()
        for round in 0..<3 {
            #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce() }
            let notices = source.meter?.takeNotices() ?? []
            #expect(
                notices == (round > 0 ? [] : ["'\(path)' is another file now and cannot be opened: permission denied"])
            )
        }
        unsafe #expect(chmod(path, 0o600) == 0)
        #expect(try read(source, 4) == "two\n")
    }

    @Test func followsALinkToAnotherFile() throws {
        let first = try folder.file("first", "one\n")
        let second = try folder.file("second", "two\n")
        let path = folder.path + "/log"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: first)
        let source = try follow(path)
        #expect(try read(source, 4) == "one\n")
        try FileManager.default.createSymbolicLink(atPath: path + ".next", withDestinationPath: second)
        #expect(unsafe rename(path + ".next", path) == 0)
        #expect(try read(source, 4) == "two\n")
    }

    @Test func followsAFileThatIsRemovedAndMadeAgain() throws {
        let path = try folder.file("log", "one\n")
        let source = try follow(path)
        #expect(try read(source, 4) == "one\n")
        try FileManager.default.removeItem(atPath: path)
        let writer = Thread { try? FileTransport().openSink(path + "?append=true").write("two\n") }
        writer.start()
        #expect(try read(source, 4) == "two\n")
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
