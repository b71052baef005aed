import CWeirSockets
import Foundation
import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// A folder that goes away with the test, with a path that is short enough for sockets.
final class Folder {
    let path: String

    init() throws {
        path = "/tmp/weir-" + UUID().uuidString.prefix(13)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }

    func mode(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: self(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @discardableResult
    func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self(name))
        return self(name)
    }
}

/// A port of UDP where nobody listens, and which nobody else is given: it is bound to, and takes what comes from itself alone.
final class SilentPort {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        var address = try HostAddress("//127.0.0.1:0", whole: "test", loopback: true).address
        descriptor = unsafe cweir_net_socket(&address, SocketKind.datagram.number)
        try #require(unsafe descriptor >= 0 && cweir_net_bind(descriptor, &address) == 0)
        try #require(unsafe cweir_net_local_address(descriptor, &address) == 0)
        try #require(unsafe cweir_net_connect(descriptor, &address) == 0)
        number = address.port
    }

    deinit { cweir_net_close(descriptor) }
}

/// Reads a source on a thread of its own, and keeps what comes.
final class Collector: @unchecked Sendable {
    // Safety: the source is used by the thread, everything else under the lock.
    private let lock = NSLock()
    private var kept: [UInt8] = []
    private var lineCount = 0
    private var ending: Result<Void, TransportError>?
    private var isPaused = false
    private let keeps: Bool
    let source: any TransportSource

    init(_ source: any TransportSource, keeps: Bool = true, isPaused: Bool = false) {
        self.source = source
        self.keeps = keeps
        self.isPaused = isPaused
        Thread { [self] in run() }.start()
    }

    private func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { unsafe buffer.deallocate() }
        while true {
            while lock.withLock({ isPaused }) { usleep(500) }
            do throws(TransportError) {
                let count = unsafe try source.read(into: buffer)
                let piece = unsafe Array(buffer.prefix(count))
                let lines = piece.count { $0 == UInt8(ascii: "\n") }
                lock.withLock {
                    if keeps { kept += piece }
                    lineCount += lines
                    if count == 0 { ending = .success(()) }
                }
                if count == 0 { return }
            } catch {
                lock.withLock { ending = .failure(error) }
                return
            }
        }
    }

    func resume() { lock.withLock { isPaused = false } }

    var bytes: [UInt8] { lock.withLock { kept } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    var count: Int { lock.withLock { lineCount } }
    var hasEnded: Bool { lock.withLock { ending != nil } }
    var metrics: TransportMetrics { source.meter?.metrics ?? TransportMetrics() }

    func waitForLines(_ count: Int, _ place: SourceLocation = #_sourceLocation) throws {
        do {
            try eventually("\(count) lines arrived") { self.count >= count || hasEnded }
        } catch {
            Issue.record("\(error): \(self.count) lines, \(metrics)", sourceLocation: place)
            throw error
        }
    }

    func waitForEnd() throws -> TransportError? {
        try eventually("the source ended") { hasEnded }
        if case .failure(let error) = lock.withLock({ ending }) { return error }
        return nil
    }
}

/// A peer that connects to a Unix socket, or sends datagrams.
final class Peer {
    let descriptor: Int32

    init(unix path: String, _ kind: SocketKind = .stream) throws {
        let place = try UnixPlace(path, inherits: false, address: path)
        let target = try place.address(for: path)
        descriptor = try Self.connect(target, kind)
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    init(udp host: String, _ port: UInt16) throws {
        let address = try HostAddress("//\(host):\(port)", whole: "test", loopback: false).address
        descriptor = try Self.connect(address, .datagram)
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    init(tcp port: UInt16) throws {
        let address = try HostAddress("//127.0.0.1:\(port)", whole: "test", loopback: false).address
        guard case .begun(let made) = SocketPlace.port(address).connect(for: "test") else {
            throw Impatience(description: "there is no connection")
        }
        descriptor = made
        _ = fcntl(descriptor, F_SETFL, 0)
        // Waits for the connection, or its error.
        var ready = pollfd(fd: made, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&ready, 1, -1)
        if let error = SystemError(cweir_net_error(made)) { throw error }
    }

    private static func connect(_ target: cweir_net_address_t, _ kind: SocketKind) throws -> Int32 {
        unsafe try withUnsafePointer(to: target) { target in
            let made = unsafe cweir_net_socket(target, kind.number)
            try #require(made >= 0)
            let status = unsafe cweir_net_connect(made, target)
            guard status == 0 else {
                cweir_net_close(made)
                throw try #require(SystemError(status))
            }
            return made
        }
    }

    deinit { close() }

    private var isOpen = true

    func close() {
        if isOpen { cweir_net_close(descriptor) }
        isOpen = false
    }

    /// Sends, waiting where it has to.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        repeat {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return false }
            rest = rest.dropFirst(count)
        } while !rest.isEmpty
        return true
    }

    /// Reads once, waiting.
    func receive() -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        repeat { count = unsafe recv(descriptor, &bytes, bytes.count, 0) } while count < 0 && errno == EINTR
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// The port that the system chose, as a notice tells.
func port(_ meter: TransportMeter?) throws -> UInt16 {
    let notices = meter?.takeNotices() ?? []
    let text = notices.first { $0.contains(" listens at ") }?.split(separator: ":").last
    return try #require(text.flatMap { UInt16($0) }, "\(notices)")
}

/// How many descriptors the process has open.
func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// Another program.
final class Program {
    let process = Process()
    private let output = Pipe()
    private let lock = NSLock()

    init(_ arguments: [String], input: String? = nil, outputPath: String? = nil) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        if let input {
            let pipe = Pipe()
            process.standardInput = pipe
            try process.run()
            pipe.fileHandleForWriting.write(Data(input.utf8))
            try pipe.fileHandleForWriting.close()
            return
        }
        process.standardInput = FileHandle.nullDevice
        if let outputPath {
            _ = FileManager.default.createFile(atPath: outputPath, contents: nil)
            process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        }
        try process.run()
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    func waitForEnd() throws -> Int32 {
        try eventually("\(process.arguments ?? []) ended") { !process.isRunning }
        return process.terminationStatus
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Whether a program can be found here.
    static func has(_ name: String) -> Bool {
        ["/usr/bin/", "/bin/", "/usr/local/bin/", "/root/.pyenv/shims/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + name)
        }
    }
}

extension TransportSink {
    func write(_ text: String) throws(TransportError) { try write(Array(text.utf8)) }
}

/// Numbers that look random, the same for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}

/// Something that a test hands to one thread at a time, though the compiler cannot see it.
struct Lent<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
