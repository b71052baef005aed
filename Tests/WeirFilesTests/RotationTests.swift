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

/// Files that are rotated faster than they are read.
@Suite(.serialized) struct RotationTests {
    private let folder: TemporaryFolder
    private let interruption: Interruption
    private static let rotations = 100

    init() throws {
        folder = try TemporaryFolder()
        interruption = try Interruption()
    }

    /// Looks so rarely that only the system can tell.
    private func follow(_ path: String) throws -> any TransportSource {
        try FileTransport(interruption: interruption).openSource(path + "?follow=true&poll=10s")
    }

    private static func append(_ text: String, to path: String) throws {
        try FileTransport().openSink(path + "?append=true").write(text)
    }

    /// Reads until the interruption.
    private func readAll(_ source: any TransportSource) throws -> String {
        var text = ""
        while true {
            do throws(TransportError) {
                text += try source.readOnce()
            } catch {
                guard case .interrupted = error else { throw error }
                return text
            }
        }
    }

    /// Calls something every five milliseconds, in another thread.
    private func rotate(_ step: @escaping @Sendable (Int) throws -> Void) {
        let interruption = interruption
        Thread {
            for rotation in 0..<Self.rotations {
                let end = Date().addingTimeInterval(0.005)
                try? step(rotation)
                Thread.sleep(until: end)
            }
            interruption.trigger()
        }
        .start()
    }

    private static func lines(_ rotation: Int) -> String {
        (0..<20).map { "rotation \(rotation), line \($0)\n" }.joined()
    }

    private static var allLines: String { (0..<rotations).map(lines).joined() }

    #if os(Linux)
        @Test func noLineIsLostWhereAFileIsRenamedEveryFiveMilliseconds() throws {
            let path = try folder.file("log", "")
            let source = try follow(path)
            rotate { rotation in
                try Self.append(Self.lines(rotation), to: path)
                guard unsafe rename(path, path + ".\(rotation)") == 0 else { return }
                try Self.append("", to: path)
            }
            let text = try readAll(source)
            #expect(text == Self.allLines)
            #expect(source.meter?.takeNotices() == [])
        }

        /// The writer leaves the time that a reader needs, between its last line and the truncation.
        @Test func noLineIsLostWhereAFileIsCopiedAndTruncated() throws {
            let path = try folder.file("log", "")
            let source = try follow(path)
            let seen = Locked(0)
            rotate { rotation in
                try Self.append(Self.lines(rotation), to: path)
                let expected = (0...rotation).reduce(0) { $0 + Self.lines($1).utf8.count }
                // A reader that got stuck must fail the test, one on a busy machine must not.
                let end = Date().addingTimeInterval(300)
                while seen.withLock({ $0 }) < expected, Date() < end { usleep(200) }
                try FileManager.default.copyItem(atPath: path, toPath: path + ".\(rotation)")
                _ = unsafe truncate(path, 0)
            }
            var text = ""
            while text.utf8.count < Self.allLines.utf8.count {
                text += try source.readOnce()
                seen.withLock { [count = text.utf8.count] in $0 = count }
            }
            #expect(text == Self.allLines)
            #expect(source.meter?.metrics.lostBytes == 0)
        }

        /// A line that comes while the reader is about to wait wakes it too: this one would not look again for an hour.
        @Test func noLineWaitsForTheNext() throws {
            let path = try folder.file("log", "")
            let source = try FileTransport(interruption: interruption).openSource(path + "?follow=true&poll=1h")
            let rounds = 3_000
            let seen = Locked(0)
            Thread { [interruption] in
                let end = Date().addingTimeInterval(300)
                guard let sink = try? FileTransport().openSink(path + "?append=true") else { return }
                for round in 0..<rounds {
                    while seen.withLock({ $0 }) < round, Date() < end {}
                    // Into every moment between two looks of the reader.
                    for _ in 0..<(round % 100) { _ = Date() }
                    try? sink.write("line\n")
                }
                while seen.withLock({ $0 }) < rounds, Date() < end { usleep(200) }
                interruption.trigger()
            }
            .start()
            // A line across two pages of memory can come in two reads.
            var byteCount = 0
            while byteCount < rounds * 5, let text = try? source.readOnce() {
                byteCount += text.utf8.count
                seen.withLock { [byteCount] in $0 = byteCount / 5 }
            }
            #expect(byteCount == rounds * 5)
        }

        /// Nobody reads while the file is replaced again and again, with more files than wait open.
        @Test func filesThatHadTheNameBetweenTwoReadsAreReadUnderTheirNewNames() throws {
            let path = try folder.file("log", "first\n")
            let source = try follow(path)
            #expect(try source.readOnce() == "first\n")
            for rotation in 0..<Self.rotations {
                // Each file gets another number with every rotation.
                for number in stride(from: rotation, to: 0, by: -1) {
                    _ = unsafe rename("\(path).\(number)", "\(path).\(number + 1)")
                }
                _ = unsafe rename(path, path + ".1")
                try Self.append(Self.lines(rotation), to: path)
            }
            interruption.trigger()
            #expect(try readAll(source) == Self.allLines)
            #expect(source.meter?.takeNotices() == [])
        }

        @Test func filesThatWereGoneBeforeTheyWereReadAreCounted() throws {
            let path = try folder.file("log", "first\n")
            let source = try follow(path)
            #expect(try source.readOnce() == "first\n")
            for rotation in 0..<5 {
                try FileManager.default.removeItem(atPath: path)
                try Self.append(Self.lines(rotation), to: path)
            }
            interruption.trigger()
            #expect(try readAll(source) == Self.lines(4))
            let notices = source.meter?.takeNotices() ?? []
            #expect(notices.count == 1)
            #expect(notices.first?.hasPrefix("4 files with the name") ?? false)
        }
    #endif

    @Test func aFileThatIsRefilledToTheSameLengthIsReadAgain() throws {
        let path = try folder.file("log", "")
        let source = try follow(path)
        for rotation in 0..<50 {
            let text = "same header\n" + Self.lines(100 + rotation)
            try FileTransport().openSink(path).write(text)
            var read = ""
            while read.utf8.count < text.utf8.count { read += try source.readOnce() }
            #expect(read == text)
        }
        #expect(source.meter?.metrics.lostBytes == 0)
    }

    /// A refilled file may be longer than it was, and its end the same.
    @Test(arguments: ["0 one\n1 two\n", "1 one\n1 two\n1 three\n", "2 one\n0 two\n"])
    func aFileThatIsRefilledIsToldByItsContents(next: String) throws {
        let path = try folder.file("log", "0 one\n0 two\n")
        let source = try follow(path)
        #expect(try source.readOnce() == "0 one\n0 two\n")
        try FileTransport().openSink(path).write(next)
        interruption.trigger()
        #expect(try readAll(source) == next)
    }

    @Test func bytesThatAreKnownToBeLostAreCounted() throws {
        let path = try folder.file("log", String(repeating: "0123456789abcde\n", count: 10_000))
        let source = try follow(path)
        var read = 0
        while read < 40_000 { read += try source.readOnce().utf8.count }
        try FileTransport().openSink(path).write("short\n")
        interruption.trigger()
        let text = try readAll(source)
        let metrics = try #require(source.meter).metrics
        #expect(text.hasSuffix("short\n"))
        #expect(Int(metrics.lostBytes) == 160_000 - read)
        #expect(metrics.description == "\(metrics.lostBytes) bytes lost")
        let notices = source.meter?.takeNotices() ?? []
        #expect(notices.count == 1 && notices[0].contains("\(metrics.lostBytes) bytes"), "\(notices)")
    }

    @Test func aPipeThatTakesTheNameDoesNotHoldUpTheFile() throws {
        let path = try folder.file("log", "one\n")
        let source = try follow(path)
        #expect(try source.readOnce() == "one\n")
        _ = unsafe rename(path, path + ".1")
        _ = unsafe mkfifo(path, 0o600)
        try Self.append("two\n", to: path + ".1")
        #expect(try source.readOnce() == "two\n")
    }
}
