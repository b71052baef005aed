import CWeirSockets
import Foundation
import TestThreads
import Testing
import WeirRecords

@testable import WeirNATS
@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// Reads a source on a thread of its own, and keeps what comes.
final class Collector: @unchecked Sendable {
    // Safety: the source is used by the thread, everything else under the lock.
    private let lock = NSLock()
    private var kept: [UInt8] = []
    private var ending: Result<Void, TransportError>?
    private let limit: Int
    let source: any TransportSource

    /// - Parameters:
    ///   - source: What to read.
    ///   - limit: How many bytes to read at most.
    ///   - share: How many bytes to read at a time.
    init(_ source: any TransportSource, limit: Int = .max, share: Int = 64 << 10) {
        self.source = source
        self.limit = limit
        Thread { [self] in run(share) }.start()
    }

    private func run(_ share: Int) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: share, alignment: 1)
        defer { unsafe buffer.deallocate() }
        while bytes.count < limit {
            do throws(TransportError) {
                let count = unsafe try source.read(into: buffer)
                let piece = unsafe Array(buffer.prefix(count))
                lock.withLock { kept += piece }
                guard count == 0 else { continue }
                lock.withLock { ending = .success(()) }
            } catch {
                lock.withLock { ending = .failure(error) }
            }
            return
        }
        lock.withLock { ending = .success(()) }
    }

    var bytes: [UInt8] { lock.withLock { kept } }
    var lines: [String] { String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) }
    var hasEnded: Bool { lock.withLock { ending != nil } }
    var metrics: TransportMetrics { source.meter?.metrics ?? TransportMetrics() }

    func waitForLines(_ count: Int, _ place: SourceLocation = #_sourceLocation) throws {
        do {
            try eventually("\(count) lines arrived") { lines.count >= count || hasEnded }
        } catch {
            Issue.record("\(error): \(lines.count) lines, \(source.meter?.takeNotices() ?? [])", sourceLocation: place)
            throw error
        }
    }

    func waitForEnd() throws -> TransportError? {
        try eventually("the source ended") { hasEnded }
        if case .failure(let error) = lock.withLock({ ending }) { return error }
        return nil
    }
}

extension TransportSink {
    func write(_ text: String) throws(TransportError) { try write(Array(text.utf8)) }
}

/// A port of the loopback address at which nothing listens, and that no other program gets meanwhile.
func reserve() throws -> (descriptor: Int32, port: UInt16) {
    var target = try HostAddress("//127.0.0.1:0", whole: "test", loopback: true).address
    let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(unsafe bound >= 0 && cweir_net_bind(bound, &target) == 0)
    _ = unsafe cweir_net_local_address(bound, &target)
    return (bound, target.port)
}

/// A socket that listens at a port of the loopback address.
func listen() throws -> (descriptor: Int32, port: UInt16) {
    let (listener, port) = try reserve()
    try #require(cweir_net_listen(listener) == 0)
    return (listener, port)
}

/// A server that does what a test tells it, for one connection after the other.
final class FakeServer: @unchecked Sendable {
    // Safety: what the thread changes is under the lock; the thread ends with the listener.
    private let lock = NSLock()
    private var heard: [String] = []
    private var count = 0
    private let listener: Int32
    let port: UInt16

    static let info = #"INFO {"server_id":"x","version":"2.12.0","headers":true,"max_payload":1024}"# + "\r\n"

    /// Starts a server.
    ///
    /// - Parameter serve: Called with each connection and its number, on a thread of the server.
    /// - Throws: What a check finds.
    init(_ serve: @escaping @Sendable (FakeConnection, Int) -> Void) throws {
        (listener, port) = try listen()
        Thread { [self] in
            while case let made = accept(listener, nil, nil), made >= 0 {
                serve(FakeConnection(made, self), lock.withLock { exchange(&count, with: count + 1) })
                close(made)
            }
            close(listener)
        }
        .start()
    }

    deinit { stop() }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    var address: String { "//127.0.0.1:\(port)" }
    var connections: Int { lock.withLock { count } }

    /// The lines and payloads that were received.
    var lines: [String] { lock.withLock { heard } }

    fileprivate func note(_ line: String) { lock.withLock { heard.append(line) } }
}

/// A connection of a fake server; its methods wait.
final class FakeConnection {
    private let descriptor: Int32
    private let server: FakeServer
    private var rest: [UInt8] = []

    fileprivate init(_ descriptor: Int32, _ server: FakeServer) {
        (self.descriptor, self.server) = (descriptor, server)
    }

    func send(_ text: String) {
        _ = unsafe Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    /// The next line, or the payload of a line that says how long it is; `nil` where the client has gone.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end].dropLast(), as: UTF8.self)
                rest.removeFirst(end + 1)
                server.note(line)
                return line
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            rest += bytes.prefix(count)
        }
    }

    /// Lets the client in.
    ///
    /// - Returns: Whether it came.
    @discardableResult
    func greet() -> Bool {
        send(FakeServer.info)
        guard line()?.hasPrefix("CONNECT ") == true, line() == "PING" else { return false }
        send("PONG\r\n")
        return true
    }

    /// Answers pings, and hands out all other lines until the client has gone or `body` has had enough.
    func serve(_ body: (String) -> Bool = { _ in true }) {
        while let line = line() {
            if line == "PING" { send("PONG\r\n") } else if !body(line) { return }
        }
    }
}

extension NATSClient {
    /// Stores numbers as messages of their own, each once.
    func publish(numbers range: Range<Int>, to subject: String = "in.a") throws {
        for number in range {
            try store(subject, Array("\(number)".utf8), expecting: .init(id: "\(subject) \(number)"))
        }
    }
}

/// Numbers as the lines that are read of them.
func linesOfNumbers(_ range: Range<Int>) -> [String] { range.map { "\($0)" } }
