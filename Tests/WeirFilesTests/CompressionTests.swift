import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

/// Compressed files, read and written by the programs of the system.
@Suite struct CompressionTests {
    private static let forms = Compression.allCases.filter { form in
        ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
            .contains { FileManager.default.isExecutableFile(atPath: $0 + form.program) }
    }

    private let folder: TemporaryFolder
    private let transport = FileTransport(handlesCompression: true)

    init() throws {
        folder = try TemporaryFolder()
    }

    private let text = (0..<20_000).map { "line \($0 &* 7919 % 10_007)\n" }.joined()

    /// Letters that cannot be made much shorter, more than a block of any form.
    private static let longBytes: [UInt8] = {
        var state: UInt64 = 1
        return (0..<1_500_000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(ascii: "a") + UInt8(state >> 60)
        }
    }()

    /// What a program makes of a file, run by other means.
    private func run(_ program: String, _ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        let place = try folder.file("input-of-\(program)")
        try Data(input).write(to: URL(fileURLWithPath: place))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: place))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(bytes)
    }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = try folder.file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(arguments: forms)
    func readsWhatTheProgramHasWritten(form: Compression) throws {
        let packed = try run(form.program, ["-c"], input: Array(text.utf8))
        // The name says nothing about what is in a file.
        let path = try write(packed, "a.csv")
        #expect(try transport.openSource(path).readAll(1000) == text)
        // Several pieces one after the other.
        let twice = try write(packed + packed, "b" + form.ending)
        let source = try transport.openSource(twice)
        #expect(try source.readAll() == text + text)
        #expect(try source.readOnce() == "", "the end stays the end")
        #expect(source.expectedByteCount == nil)
        // Without being told to, the bytes are handed out as they are.
        let raw = try FileTransport().openSource(path).readAll(limit: 1 << 20, address: path)
        #expect(raw == packed)
    }

    @Test(arguments: forms)
    func whatIsCutOffIsReadAndThenAnError(form: Compression) throws {
        let packed = try run(form.program, ["-c"], input: Self.longBytes)
        let path = try write(Array(packed.dropLast(packed.count / 4)), "cut" + form.ending)
        let source = try transport.openSource(path)
        var read: [UInt8] = []
        let error = #expect(throws: TransportError.self) {
            while true {
                let piece = try source.readOnce(65536)
                if piece.isEmpty { return }
                read += piece.utf8
            }
        }
        #expect(!read.isEmpty && Self.longBytes.starts(with: read), "\(form): \(read.count)")
        guard case .readFailed(path, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("what is compressed is damaged or cut off: ") && reason.utf8.count > 50, "\(reason)")
    }

    @Test(arguments: forms)
    func whatFollowsAndIsNotCompressedIsAnError(form: Compression) throws {
        let packed = try run(form.program, ["-c"], input: Array(text.utf8))
        let path = try write(packed + Array("garbage".utf8) + packed, "followed" + form.ending)
        let source = try transport.openSource(path)
        #expect(throws: TransportError.self) { try source.readAll() }
    }

    @Test(arguments: forms)
    func writesWhatTheProgramReads(form: Compression) throws {
        let path = try write(Array("old".utf8), "out" + form.ending)
        let sink = try transport.openSink(path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old", "until something is written")
        try sink.write(text)
        try sink.finish()
        let packed = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(Compression(beginning: packed) == form)
        #expect(try run(form.program, ["-dc"], input: packed) == Array(text.utf8))
        // Behind it, as a piece of its own.
        let more = try transport.openSink(path + "?append=true")
        try more.write("more\n")
        try more.finish()
        #expect(try transport.openSource(path).readAll() == text + "more\n")
        // A file that nothing was written to is whole too.
        try transport.openSink(path).finish()
        #expect(try transport.openSource(path).readAll() == "")
    }

    /// A sink that is given up has its file whole all the same.
    @Test(arguments: forms)
    func aSinkThatIsNotFinishedLeavesAWholeFile(form: Compression) throws {
        let path = try folder.file("out" + form.ending)
        var sink: (any TransportSink)? = try transport.openSink(path)
        try sink?.write(text)
        sink = nil
        #expect(try transport.openSource(path).readAll() == text)
    }

    @Test func aReaderThatEndsEarlyLeavesNoProcess() throws {
        guard Self.forms.contains(.gzip) else { return }
        let path = try write(try run("gzip", ["-c"], input: Array(String(repeating: text, count: 20).utf8)), "a.gz")
        for _ in 0..<20 {
            let source = try transport.openSource(path)
            #expect(try source.readOnce(10).utf8.count == 10)
        }
        let children = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").flatMap { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8))?.split(separator: " ")
                ?? []
        }
        // Other tests may run programs meanwhile; these would be gzip, or dead.
        let names = children.compactMap { try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8) }
        #expect(names.count { $0.contains("(gzip)") && $0.contains(") Z") } == 0, "\(names)")
    }

    @Test func whatIsCompressedCannotBeFollowed() throws {
        guard Self.forms.contains(.gzip) else { return }
        let path = try write(try run("gzip", ["-c"], input: Array("a\n".utf8)), "a.gz")
        let error = #expect(throws: TransportError.self) { try transport.openSource(path + "?follow=true") }
        #expect(error?.description.hasSuffix("compressed with gzip, and what is compressed cannot be followed") == true)
    }

    @Test func anInterruptionEndsTheReading() throws {
        guard Self.forms.contains(.gzip) else { return }
        let path = try write(try run("gzip", ["-c"], input: Array(text.utf8)), "a.gz")
        let interruption = try Interruption()
        let source = try FileTransport(interruption: interruption, handlesCompression: true).openSource(path)
        _ = try source.readOnce(10)
        interruption.trigger()
        #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce(10) }
    }
}
