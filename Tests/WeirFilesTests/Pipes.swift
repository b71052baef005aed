import Foundation
import WeirCore
import WeirRecords

@testable import WeirFiles

#if canImport(Glibc)
    import Glibc
#endif

/// Both ends of a pipe; they are closed with it unless they have another owner.
final class TestPipe {
    let reading: Int32
    let writing: Int32
    private var closesReading = true
    private var closesWriting = true

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(unsafe pipe(&ends) == 0, "the system has no pipes left")
        reading = ends[0]
        writing = ends[1]
        // A write to a pipe without a reader must fail, not end the tests.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func closeReading() {
        if closesReading { close(reading) }
        closesReading = false
    }

    func closeWriting() {
        if closesWriting { close(writing) }
        closesWriting = false
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(unsafe write(writing, bytes, bytes.count) == bytes.count)
    }

    /// Makes an end non-blocking.
    func makeNonBlocking(_ end: Int32) {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }

    /// A source that reads the pipe and owns its end.
    func source(interruption: Interruption? = nil) throws -> any TransportSource {
        closesReading = false
        return try DescriptorSource(reading, address: "pipe", isOwned: true, interruption: interruption)
    }

    /// A sink that writes to the pipe and owns its end.
    func sink() throws -> any TransportSink {
        closesWriting = false
        return try DescriptorSink(writing, address: "pipe", isOwned: true)
    }
}

extension TransportSource {
    /// Reads once.
    func readOnce(_ limit: Int = 4096) throws(TransportError) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let count = unsafe try read(into: buffer)
        return unsafe String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Reads to the end.
    func readAll(_ limit: Int = 4096) throws(TransportError) -> String {
        var text = ""
        while true {
            let piece = try readOnce(limit)
            if piece.isEmpty { return text }
            text += piece
        }
    }
}

extension TransportSink {
    func write(_ text: String) throws(TransportError) {
        try write(Array(text.utf8))
    }
}

/// A folder that goes away with the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/weir-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder, made with contents where there are any.
    func file(_ name: String, _ contents: String? = nil) throws -> String {
        let file = path + "/" + name
        if let contents { try Data(contents.utf8).write(to: URL(fileURLWithPath: file)) }
        return file
    }
}
