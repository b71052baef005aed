import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import WeirFiles

/// Sources that go on where others were.
@Suite struct ResumingTests {
    private let folder = NSTemporaryDirectory() + "weir-resuming-" + UUID().uuidString
    private let files = FileTransport(handlesCompression: true)

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }

    private func append(_ text: String, to name: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: folder + "/" + name))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func rename(_ old: String, _ new: String) throws {
        try FileManager.default.moveItem(atPath: folder + "/" + old, toPath: folder + "/" + new)
    }

    private func read(_ source: any TransportSource, _ count: Int) throws -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = try unsafe bytes.withUnsafeMutableBytes { bytes in
                try unsafe source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
            }
            if more == 0 { break }
            filled += more
        }
        return String(decoding: bytes.prefix(filled), as: UTF8.self)
    }

    private func position(of source: any TransportSource) throws -> SourcePosition {
        try #require((source as? any PositionedSource)?.position)
    }

    private let lines = (0..<300).map { "line \($0)\n" }.joined()

    @Test(arguments: ["", ".gz"])
    func aFileIsReadOnFromEveryPlace(ending: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let name = "a" + ending
        let sink = try files.openSink(folder + "/" + name)
        try sink.write(Array(lines.utf8))
        try sink.finish()
        let stride = ending.isEmpty ? 1 : 500
        for count in Swift.stride(from: 0, through: lines.utf8.count, by: stride) {
            let first = try files.openSource(folder + "/" + name)
            let start = try read(first, count)
            let second = try files.openSource(folder + "/" + name, at: try position(of: first))
            #expect(try start + read(second, 1 << 16) == lines)
            #expect(try position(of: second).offset == Int64(lines.utf8.count))
            #expect(try !files.hasGrown(folder + "/" + name, since: position(of: second)))
        }
    }

    @Test func whatWasReplacedOrIsShorterIsRefused() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(lines, to: "a")
        let source = try files.openSource(folder + "/a")
        _ = try read(source, 1000)
        let place = try position(of: source)
        try append("more\n", to: "a")
        #expect(try files.openSource(folder + "/a", at: place).expectedByteCount == Int64(lines.utf8.count + 5 - 1000))
        #expect(files.hasGrown(folder + "/a", since: place))
        func reason() -> String? {
            do throws(TransportError) {
                _ = try files.openSource(folder + "/a", at: place)
                return nil
            } catch {
                return "\(error)".components(separatedBy: ": ").dropFirst().joined(separator: ": ")
            }
        }
        try FileManager.default.copyItem(atPath: folder + "/a", toPath: folder + "/b")
        let handle = try #require(FileHandle(forWritingAtPath: folder + "/a"))
        try handle.write(contentsOf: Data("LINE".utf8))
        #expect(reason() == "its contents are not those that were read before")
        try handle.truncate(atOffset: 999)
        #expect(reason() == "it has become shorter: 999 bytes, and 1000 were there before")
        try FileManager.default.removeItem(atPath: folder + "/a")
        try rename("b", "a")
        #expect(reason() == "it is another file than the one that was read before")
        try FileManager.default.removeItem(atPath: folder + "/a")
        #expect(reason() == "no such file or directory")
    }

    @Test func aFollowedFileGoesOnUnderItsNewNameAndThoseAfterIt() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let address = folder + "/app.log?follow=true&poll=1ms"
        try write("1\n2\n3\n", to: "app.log")
        let source = try files.openSource(address)
        #expect(try read(source, 4) == "1\n2\n")
        let place = try position(of: source)
        try append("4\n", to: "app.log")
        try rename("app.log", "app.log.1")
        try write("5\n6\n", to: "app.log")
        // Times of a few nanoseconds apart are the same on some file systems.
        for (name, time) in [("app.log.1", 1000.0), ("app.log", 2000.0)] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)],
                ofItemAtPath: folder + "/" + name
            )
        }
        try rename("app.log.1", "app.log.2")
        try rename("app.log", "app.log.1")
        try write("7\n", to: "app.log")
        #expect(try read(files.openSource(address, at: place), 10) == "3\n4\n5\n6\n7\n")
        try FileManager.default.removeItem(atPath: folder + "/app.log.2")
        #expect(throws: TransportError.self) { try files.openSource(address, at: place) }
    }
}
