import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import weir

#if canImport(Glibc)
    import Glibc
#endif

/// A run that saves its state, in this process.
struct StateRun {
    /// Each look takes a second, so that a checkpoint is due after as many.
    final class Clock: TimeSource {
        private let looks = Locked(0)

        /// After how many looks to kill the process, and how many microseconds later.
        private let end: (looks: Int, delay: UInt32)?

        init(killingAfter end: (looks: Int, delay: UInt32)? = nil) { self.end = end }

        /// How often it was looked at.
        var count: Int { looks.withLock { $0 } }

        func now() -> Timestamp {
            let count = looks.withLock { looks in
                looks += 1
                return looks
            }
            if let end, count == end.looks {
                Thread.detachNewThread {
                    usleep(end.delay)
                    _ = kill(getpid(), SIGKILL)
                }
            }
            return Timestamp(nanosecondsSinceEpoch: Int64(count) * 1_000_000_000)
        }
    }

    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "weir-staterun-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    init(in folder: String) { self.folder = folder }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }

    func append(_ text: String, to name: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: folder + "/" + name))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    func text(_ name: String) -> String {
        (try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    /// Runs a plugin; `$` stands for the folder.
    ///
    /// - Returns: How it ended, and what it said.
    func run(
        _ words: [String],
        plugin name: String = "count",
        interruption: Interruption? = nil,
        isSaveable: Bool = true,
        ballast: Int = 0,
        onEvent: (@Sendable (Int) -> Void)? = nil,
        onSave: (@Sendable () -> Void)? = nil,
        clock: Clock = Clock()
    ) throws -> (code: ExitCode, said: String) {
        let errors = folder + "/errors-" + UUID().uuidString
        defer { unsafe unlink(errors) }
        let console = Console(try FileTransport().openSink(errors))
        var registry = try Registry.builtIn(interruption: interruption)
        var plugin = StatePlugin()
        plugin.isSaveable = isSaveable
        (plugin.ballast, plugin.onSave) = (ballast, onSave)
        plugin.onEvent = onEvent
        try registry.register(plugin)
        let words = words.map { $0.replacingOccurrences(of: "$", with: folder) }
        let code: ExitCode
        do throws(HostError) {
            let request = try Self.request(words, plugin: name, registry)
            let context = Pipeline.Context(
                console: console,
                status: PipelineStatus(name: name),
                interruption: interruption,
                outputs: SharedOutputs(),
                stateClock: clock
            )
            let pipeline = try Pipeline(request, context)
            code = pipeline.exitCode(of: pipeline.run())
        } catch {
            console.write(error)
            code = error.exitCode
        }
        return (code, (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")
    }
}

extension StateRun {
    /// What some words ask for: those behind `weir run` and the plugin, or behind `weir match`.
    private static func request(
        _ words: [String],
        plugin name: String,
        _ registry: Registry
    ) throws(HostError) -> RunRequest {
        if name == "match" {
            let line = try RunLine([name] + words, of: MatchCommand.self, registry)
            guard case .pipeline(let arguments) = line.task else { throw .usage("no query") }
            return try line.request(arguments, registry)
        }
        let named = [RunRequest.Named(name: name, plugin: try registry.requiredPlugin(named: name))]
        let arguments = try Arguments(words, RunRequest.accepted(named), topic: "run \(name)")
        return try RunRequest(
            PipelineArguments(plugins: [name], places: arguments.places, options: arguments.options),
            name: nil,
            registry
        )
    }
}
