internal import CBench
internal import Comparing
internal import Foundation
internal import Synchronization

/// `nats-server` with JetStream at a port of this machine, with a folder that goes away with it.
final class NATSServer: Sendable {
    static let shared = NATSServer()

    /// The program; `nil` where it is missing.
    static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/nats-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private let process = Mutex<(server: Process, port: UInt16)?>(nil)
    private let folder = FileManager.default.temporaryDirectory.path + "/weir-nats-\(UUID().uuidString.prefix(8))"

    /// The port of the server.
    ///
    /// - Throws: ``MeasurementFailure`` where there is none.
    func port() throws -> UInt16 {
        guard let port = process.withLock({ $0?.port }) else { throw MeasurementFailure("there is no server of NATS") }
        return port
    }

    /// Starts the server, and waits until it answers; it ends with this process.
    func start() throws {
        guard let program = Self.program else { throw MeasurementFailure("there is no nats-server") }
        // A port that is free: one that was in use a moment ago.
        var port: UInt16 = 0
        cbench_close(cbench_open_port(4096, &port))
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments =
            ["setpriv", "--pdeathsig", "KILL", program, "-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", folder]
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        process.withLock { $0 = (server, port) }
        let limit = ContinuousClock.now + .seconds(20)
        while (try? NATSTalk("SUB by.hand 1\r\n").ask("INFO", "")) == nil {
            guard ContinuousClock.now < limit else { throw MeasurementFailure("the server does not answer") }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    func stop() {
        guard let (server, _) = process.withLock({ exchange(&$0, with: nil) }) else { return }
        server.terminate()
        server.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
        defer { value = new }
        return value
    }
}

/// A connection by hand, whose answers are lines that are counted.
final class NATSTalk {
    private let socket: Int32

    /// How many lines have come that were not asked for yet.
    private var ahead: Int64 = 0

    /// Connects, and waits until the server has handled the first words.
    init(_ words: String) throws {
        socket = cbench_connect(try NATSServer.shared.port())
        guard socket >= 0 else { throw MeasurementFailure("the server is not there") }
        try say(#"CONNECT {"verbose":false}"# + "\r\n" + words + "PING\r\n")
        // INFO and PONG.
        try receive(lines: 2)
    }

    deinit { cbench_close(socket) }

    func say(_ words: [UInt8]) throws {
        guard cbench_send_all(socket, words, UInt64(words.count)) == 0 else {
            throw MeasurementFailure("the server has gone")
        }
    }

    func say(_ words: String) throws { try say(Array(words.utf8)) }

    /// Asks JetStream for something, and waits for an answer of two lines.
    func ask(_ subject: String, _ question: String) throws {
        try say("PUB $JS.API.\(subject) by.hand \(question.utf8.count)\r\n\(question)\r\n")
        try receive(lines: 2)
    }

    func receive(lines: Int) throws {
        ahead += cbench_receive_lines(socket, Int64(lines) - ahead) - Int64(lines)
        guard ahead >= 0 else { throw MeasurementFailure("the server does not say enough") }
    }
}
