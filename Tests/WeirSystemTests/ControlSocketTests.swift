import Foundation
import TestThreads
import Testing
import WeirCore
import WeirRecords
import WeirSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite final class ControlSocketTests {
    private let folder: String

    init() throws {
        // Short: the path of a Unix socket has room for about a hundred bytes.
        folder = "/tmp/weir-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static let answering: @Sendable (String) -> String? = { $0 == "ping" ? "pong\n" : nil }

    /// A socket that has time for clients of a busy machine.
    private func open(_ path: String) throws -> ControlSocket {
        try ControlSocket(path: path, patience: .seconds(600), answer: Self.answering)
    }

    /// Asks, and has time for a program of a busy machine.
    private func ask(_ path: String, _ question: String) throws -> String {
        try ControlSocket.ask(path, question, patience: .seconds(300))
    }

    @Test func answersLinesAndPages() throws {
        let path = folder + "/a.sock"
        let socket = try open(path)
        #expect(try ask(path, "ping") == "pong\n")
        #expect(try ask(path, "who") == "error: there is no answer to 'who'\n")
        #expect(try ask(path, "GET /ping HTTP/1.1\r").hasSuffix("Content-Length: 5\r\n\r\npong\n"))
        #expect(try ask(path, "GET /who HTTP/1.1\r").hasPrefix("HTTP/1.0 404 Not Found\r\n"))
        // A program has two seconds to show that it is there.
        try eventually("it is found") { ControlSocket.living(in: folder) == [path] }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        socket.remove()
        #expect(throws: TransportError.self) { try ask(path, "ping") }
        #expect(ControlSocket.living(in: folder).isEmpty)
    }

    @Test func socketsOfProcessesThatAreGoneAreRemoved() throws {
        // The number of a process that is gone may be given to another one at once.
        try eventually("the socket of a process that is gone is removed") {
            let gone = Process()
            gone.executableURL = URL(fileURLWithPath: "/bin/sh")
            gone.arguments = ["-c", "exit 0"]
            try gone.run()
            gone.waitUntilExit()
            let names = ["\(gone.processIdentifier).sock", "\(getpid()).sock", "mine.sock"]
            for name in names { bindAndLeave(folder + "/" + name) }
            ControlSocket.removeAbandoned(in: folder)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            for name in left { try FileManager.default.removeItem(atPath: folder + "/" + name) }
            #expect(Set(left).isSuperset(of: names.dropFirst()))
            return left == names.dropFirst().sorted()
        }
    }

    @Test func onlyWhatIsLeftBehindIsReplaced() throws {
        let path = folder + "/a.sock"
        let first = try open(path)
        let inUse = TransportError.cannotOpen(address: path, reason: "another program answers there")
        // A program has two seconds to show that it is there; its socket stays, whatever is said.
        try eventually("it is said to be in use") {
            let error = #expect(throws: TransportError.self) { _ = try open(path) }
            return error == inUse
        }
        #expect(try ask(path, "ping") == "pong\n")
        first.remove()

        bindAndLeave(path)
        #expect(FileManager.default.fileExists(atPath: path))
        let second = try open(path)
        #expect(try ask(path, "ping") == "pong\n")
        second.remove()

        let file = folder + "/file"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let noSocket = TransportError.cannotOpen(address: file, reason: "there is something that is no socket")
        #expect(throws: noSocket) { try ControlSocket(path: file, answer: Self.answering) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        let long = folder + "/" + String(repeating: "x", count: 200)
        #expect(throws: TransportError.self) { try ControlSocket(path: long, answer: Self.answering) }
    }

    /// As of a program that was stopped: it listens and says nothing.
    @Test func aProgramThatDoesNotAnswerKeepsItsSocket() throws {
        let path = folder + "/a.sock"
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 8) == 0)
        #expect(throws: TransportError.cannotOpen(address: path, reason: "a program is there that does not answer")) {
            _ = try ControlSocket(path: path, answer: Self.answering)
        }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    /// A client that sends a byte now and then has its time in all, and not from each byte to the next.
    @Test func aSlowClientDoesNotKeepOthersWaiting() throws {
        let path = folder + "/a.sock"
        let socket = try ControlSocket(path: path, patience: .milliseconds(300), answer: Self.answering)
        let slow = connect(to: path)
        try #require(slow >= 0)
        let isDone = Locked(false)
        let dripping = Thread {
            // The bytes of a line that never ends.
            while !isDone.withLock({ $0 }) {
                var byte = UInt8(ascii: "x")
                guard unsafe send(slow, &byte, 1, noSignal) == 1 else { break }
                var entry = pollfd(fd: -1, events: 0, revents: 0)
                _ = unsafe poll(&entry, 1, 100)
            }
            close(slow)
        }
        dripping.start()
        defer { isDone.withLock { $0 = true } }
        // The one who asks has no more time than the slow one.
        try eventually("another one is answered") { (try? ask(path, "ping")) == "pong\n" }
        socket.remove()
    }

    /// Clients that say nothing keep no other one waiting, however many there are.
    @Test func silentClientsKeepNobodyWaiting() throws {
        let path = folder + "/a.sock"
        let socket = try open(path)
        var silent: [Int32] = []
        defer { for client in silent { close(client) } }
        for _ in 0..<100 {
            let client = connect(to: path)
            try #require(client >= 0)
            silent.append(client)
            #expect(try ask(path, "ping") == "pong\n")
        }
        socket.remove()
    }

    /// A client that asks for much and takes nothing has its time, and others have theirs meanwhile.
    @Test func aClientThatDoesNotTakeItsAnswerKeepsNobodyWaiting() throws {
        let path = folder + "/a.sock"
        let long = String(repeating: "x", count: 4 << 20)
        let socket = try ControlSocket(path: path, patience: .seconds(600)) { $0 == "long" ? long : "pong\n" }
        var greedy: [Int32] = []
        defer { for client in greedy { close(client) } }
        for _ in 0..<3 {
            let client = connect(to: path)
            try #require(client >= 0)
            greedy.append(client)
            #expect(unsafe send(client, "long\n", 5, noSignal) == 5)
            // Its answer has begun.
            var byte: UInt8 = 0
            #expect(unsafe recv(client, &byte, 1, 0) == 1)
            #expect(try ask(path, "ping") == "pong\n")
        }
        #expect(try ask(path, "long") == long)
        socket.remove()
    }

    /// A program that answers a byte now and then has its time in all, and not from each byte to the next.
    @Test func anAnswerThatDoesNotEndIsNotWaitedFor() throws {
        let path = folder + "/a.sock"
        let listener = makeSocket()
        defer { close(listener) }
        #expect(unsafe withAddress(path) { unsafe bind(listener, $0, $1) } == 0)
        #expect(listen(listener, 1) == 0)
        let isDone = Locked(false)
        let dripping = Thread {
            let client = accept(listener, nil, nil)
            // At the latest after ten minutes, so that the test ends where the answer is waited for.
            for _ in 0..<6000 where !isDone.withLock({ $0 }) {
                var byte = UInt8(ascii: "x")
                guard unsafe send(client, &byte, 1, noSignal) == 1 else { break }
                var entry = pollfd(fd: -1, events: 0, revents: 0)
                _ = unsafe poll(&entry, 1, 100)
            }
            close(client)
        }
        dripping.start()
        defer { isDone.withLock { $0 = true } }
        let silence = TransportError.cannotOpen(address: path, reason: "no program answers there")
        #expect(throws: silence) { try ControlSocket.ask(path, "ping", patience: .milliseconds(400)) }
    }

    // MARK: Sockets

    private func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func makeSocket() -> Int32 {
        #if canImport(Glibc)
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
    }

    private func connect(to path: String) -> Int32 {
        let client = makeSocket()
        guard unsafe withAddress(path, { unsafe connectSocket(client, $0, $1) }) == 0 else { return -1 }
        return client
    }

    /// Makes a socket that nobody listens at, as a program that was killed leaves it.
    private func bindAndLeave(_ path: String) {
        let listener = makeSocket()
        _ = unsafe withAddress(path) { unsafe bind(listener, $0, $1) }
        close(listener)
    }
}

// Under other names than the methods of the suite.
#if canImport(Darwin)
    private let connectSocket = unsafe Darwin.connect
    private let noSignal: Int32 = 0
#elseif canImport(Glibc)
    private let connectSocket = unsafe Glibc.connect
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif
