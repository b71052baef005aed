import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// How a run of the program ended.
struct Outcome {
    let exitCode: Int32
    let output: String
    let errors: String

    /// The lines on standard error.
    var errorLines: [Substring] { errors.split(separator: "\n") }
}

/// The program, run as users run it.
final class WeirProcess {
    /// Where standard input comes from.
    enum Input {
        case nothing
        case text(String)
        case file(String)
        case pipe(Pipe)
        case handle(FileHandle)
    }

    /// How long a test waits for anything before it gives up.
    static let patience = 60.0

    /// Looks again and again until something holds of another process, which can tell no more than that; throws when it
    /// takes too long.
    static func eventually(_ what: String, _ condition: () throws -> Bool) throws {
        let limit = Date(timeIntervalSinceNow: patience)
        while try !condition() {
            try #require(Date() < limit, "\(what)")
            usleep(1000)
        }
    }

    let folder: String

    /// The program lies beside the tests.
    static var program: String {
        get throws {
            let places =
                [CommandLine.arguments[0], Bundle.main.executablePath, Bundle.main.bundlePath].compactMap { $0 }
                + Bundle.allBundles.map(\.bundlePath)
            let candidates = places.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/weir" }
            return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
        }
    }

    init() throws {
        folder = NSTemporaryDirectory() + "/weir-host-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Makes a file in the folder that the program runs in.
    @discardableResult
    func file(_ name: String, _ contents: [UInt8]) throws -> String {
        try Data(contents).write(to: URL(fileURLWithPath: folder + "/" + name))
        return name
    }

    @discardableResult
    func file(_ name: String, _ contents: String) throws -> String {
        try file(name, Array(contents.utf8))
    }

    /// What a file has, which another process may lengthen or truncate meanwhile: its length is not asked for.
    func contents(of name: String) throws -> [UInt8] {
        let descriptor = unsafe open(folder + "/" + name, O_RDONLY)
        guard descriptor >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return contents }
            contents += piece[..<count]
        }
    }

    func text(of name: String) throws -> String {
        String(decoding: try contents(of: name), as: UTF8.self)
    }

    /// Runs the program to its end.
    func run(_ arguments: String..., input: Input = .nothing) throws -> Outcome {
        try start(arguments, input: input).outcome()
    }

    /// Asks another run something with `weir top`, until it answers: a machine may take longer than users have to wait.
    func ask(_ path: String, _ option: String) throws -> String {
        var outcome: Outcome?
        try Self.eventually("'\(path)' answers") {
            outcome = try run("top", path, option)
            return outcome?.exitCode == 0
        }
        return outcome?.output ?? ""
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - input: Its standard input.
    ///   - output: Its standard output; a file where there is none.
    ///   - errors: Its standard error; a file where there is none.
    ///   - environment: Variables to set beside those of the tests.
    ///   - launcher: A command that runs the command that follows its words.
    /// - Returns: The run.
    /// - Throws: When the program cannot be started.
    func start(
        _ arguments: [String],
        input: Input,
        output: FileHandle? = nil,
        errors: FileHandle? = nil,
        environment: [String: String] = [:],
        launcher: [String] = []
    ) throws -> Running {
        let process = Process()
        let words = launcher + [try Self.program] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.arguments = Array(words.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        switch input {
        case .nothing: process.standardInput = FileHandle.nullDevice
        case .text(let text):
            try file(".input", text)
            process.standardInput = FileHandle(forReadingAtPath: folder + "/.input")
        case .file(let name): process.standardInput = FileHandle(forReadingAtPath: folder + "/" + name)
        case .pipe(let pipe): process.standardInput = pipe
        case .handle(let handle): process.standardInput = handle
        }
        try file(".output", "")
        try file(".errors", "")
        process.standardOutput = output ?? FileHandle(forWritingAtPath: folder + "/.output")
        process.standardError = errors ?? FileHandle(forWritingAtPath: folder + "/.errors")
        return try Running(process, in: self)
    }
}

/// A run of the program that has begun.
final class Running {
    let process: Process
    private let files: WeirProcess
    private let ended = DispatchSemaphore(value: 0)

    fileprivate init(_ process: Process, in files: WeirProcess) throws {
        self.process = process
        self.files = files
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
    }

    /// Waits for the end; a run that hangs is killed, and shows as a signal.
    func outcome() throws -> Outcome {
        if ended.wait(timeout: .now() + WeirProcess.patience) == .timedOut {
            Issue.record("the program hangs")
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
        }
        return Outcome(
            exitCode: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: try files.text(of: ".output"),
            errors: try files.text(of: ".errors")
        )
    }
}

/// Reads what arrives on a descriptor, without waiting for ever.
struct Arrivals {
    let descriptor: Int32
    private(set) var text = ""
    /// The start of a character whose rest has not arrived.
    private var unread: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    init(_ pipe: Pipe) {
        self.init(pipe.fileHandleForReading.fileDescriptor)
    }

    /// Reads until a text has arrived.
    ///
    /// - Returns: False when the other side ended before, or patience did.
    mutating func wait(for wanted: String) -> Bool {
        while !text.contains(wanted) {
            guard takeSome(milliseconds: Int32(WeirProcess.patience * 1000)) else { return false }
        }
        return true
    }

    /// Forgets what came up to the first place of a text, and the text.
    mutating func forget(through wanted: String) {
        if let range = text.range(of: wanted) { text.removeSubrange(..<range.upperBound) }
    }

    /// Reads until the other side has ended.
    mutating func waitForEnd() {
        while takeSome(milliseconds: Int32(WeirProcess.patience * 1000)) {}
    }

    /// Reads once what is there, or arrives in time.
    ///
    /// - Returns: Whether anything did.
    mutating func takeSome(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return false }
        unread += bytes.prefix(count)
        // Bytes that go on with a character have the bits 10 in front, and one that begins it says how many there are.
        let start = unread.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let isWhole = start == unread.count || unread.count - start >= max(1, (~unread[start]).leadingZeroBitCount)
        let end = isWhole ? unread.count : start
        text += String(decoding: unread[..<end], as: UTF8.self)
        unread.removeFirst(end)
        return true
    }
}
