import Foundation
import TestServers
import Testing
import WeirNATS

#if canImport(Glibc)
    import Glibc
#endif

/// `weir` with a server of NATS.
@Suite(.serialized, .enabled(if: NATSServer.program != nil, "\(NATSServer.isMissing)")) struct NATSTests {
    private let weir: WeirProcess
    private let server: NATSServer

    init() throws {
        weir = try WeirProcess()
        server = try NATSServer()
        let client = try server.client()
        for name in ["in", "out"] { try client.createStream(JetStreamSettings(name, subjects: [name])) }
    }

    private static let query = "any where value % 7 == 3"

    /// Readings, and what the query finds in them.
    private func expected(count: Int) throws -> [UInt8] {
        let lines = (0..<count).map { "{\"time\":\($0 * 10),\"value\":\($0 * 31 % 1009)}\n" }
        try weir.file("in.jsonl", lines.joined())
        let outcome = try weir.run("match", Self.query, "in.jsonl", "--time", "time", "--to", "expected.jsonl")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let sent = try weir.run(
            "convert",
            "in.jsonl",
            "nats:\(server.address)/in?stream=in",
            "--to-format",
            "jsonl"
        )
        #expect(sent.exitCode == 0 && sent.errors.contains("\(count) sent, \(count) delivered"), "\(sent.errors)")
        return try weir.contents(of: "expected.jsonl")
    }

    @Test func findsTheSameInAStreamHoweverOftenItIsKilled() throws {
        let wanted = try expected(count: 20_000)
        #expect(!wanted.isEmpty)
        var arguments = [
            "match", Self.query, "--from", "nats:\(server.address)/in?stream=in&batch=50", "--format", "jsonl",
        ]
        arguments += ["--time", "time", "--state", "state", "--checkpoint", "5ms", "--to", "out.jsonl"]
        for part in 1...8 {
            let running = try weir.start(arguments, input: .nothing)
            let size = wanted.count * part / 10
            try WeirProcess.eventually("it goes on") { (try? weir.contents(of: "out.jsonl").count) ?? 0 > size }
            kill(running.process.processIdentifier, SIGKILL)
            _ = try running.outcome()
        }
        let last = try weir.start(arguments, input: .nothing)
        try WeirProcess.eventually("it reads all") { try weir.contents(of: "out.jsonl").count >= wanted.count }
        kill(last.process.processIdentifier, SIGINT)
        _ = try last.outcome()
        #expect(try weir.contents(of: "out.jsonl") == wanted)
    }

    @Test func passwordsAreShownNowhere() throws {
        let guarded = try NATSServer(
            ["--user", "me", "--pass", "secret"],
            credentials: .user("me", password: "secret")
        )
        try guarded.client().createStream(JetStreamSettings("in", subjects: ["in"]))
        let address = "nats://me:secret@127.0.0.1:\(guarded.port)/in?stream=in"
        try weir.file("in.jsonl", "{\"time\":1,\"value\":3}\n")
        let sent = try weir.run("convert", "in.jsonl", address, "--to-format", "jsonl")
        #expect(sent.exitCode == 0, "\(sent.errors)")
        let running = try weir.start(
            [
                "match", Self.query, "--from", address, "--format", "jsonl", "--time", "time", "--state", "state",
                "--to", "m.jsonl",
            ],
            input: .nothing
        )
        try WeirProcess.eventually("it reads") { (try? weir.contents(of: "m.jsonl").isEmpty) == false }
        kill(running.process.processIdentifier, SIGINT)
        let outcome = try running.outcome()
        let state = try weir.run("state", "state")
        #expect(state.exitCode == 0 && state.output.contains("***@127.0.0.1"), "\(state.output)")
        #expect(state.output.contains("before message 2 of the stream"), "\(state.output)")
        let refused = try weir.run(
            "match",
            Self.query,
            "--from",
            address + "&strem=x",
            "--format",
            "jsonl",
            "--time",
            "time"
        )
        #expect(refused.exitCode == 2)
        for text in [sent.errors, outcome.errors, outcome.output, state.output, refused.errors] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }

    @Test func aJournalIsForWhatNobodyKeeps() throws {
        let arguments = ["--format", "jsonl", "--time", "time", "--state", "state", "--journal"]
        let stream = try weir.start(
            ["match", Self.query, "--from", "nats:\(server.address)/in?stream=in"] + arguments,
            input: .nothing
        )
        let outcome = try stream.outcome()
        #expect(outcome.exitCode == 2 && outcome.errors.contains("can be read again without it"), "\(outcome.errors)")
    }

    @Test func recordsArePublishedByTheirKeys() throws {
        try server.client().createStream(JetStreamSettings("parts", subjects: ["by.*"]))
        let lines = (0..<3000).map { "{\"time\":\($0),\"user\":\"u\($0 % 40)\"}" }
        try weir.file("in.jsonl", lines.map { $0 + "\n" }.joined())
        let to = "nats:\(server.address)/by?stream=parts"
        let outcome = try weir.run("produce", "in.jsonl", "--to", to, "--key", "user", "--partitions", "8")
        #expect(outcome.exitCode == 0 && outcome.errors.contains("3000 sent, 3000 delivered"), "\(outcome.errors)")
        var partitions: [String: Set<Int>] = [:]
        var all: [String] = []
        #expect(try server.client().stream("parts").last == 3000)
        let readers = try (0..<8).map { partition in
            try weir.start(
                [
                    "convert", "--from", "nats:\(server.address)/by.\(partition)?stream=parts", "--format", "jsonl",
                    "--columns", "time,user", "--to", "\(partition).jsonl",
                ],
                input: .nothing
            )
        }
        func read(_ partition: Int) -> [String] {
            ((try? weir.text(of: "\(partition).jsonl")) ?? "").split(separator: "\n").map(String.init)
        }
        try WeirProcess.eventually("all is read") { (0..<8).reduce(0) { $0 + read($1).count } == 3000 }
        for reader in readers { kill(reader.process.processIdentifier, SIGINT) }
        for reader in readers { _ = try reader.outcome() }
        for partition in 0..<8 {
            all += read(partition)
            for line in read(partition) { partitions[String(line.drop { $0 != "u" }), default: []].insert(partition) }
        }
        #expect(partitions.count == 40 && partitions.values.allSatisfy { $0.count == 1 })
        #expect(all.sorted() == lines.sorted())
        for (arguments, reason) in [
            (["--to", "out.jsonl", "--key", "user"], "publishes to NATS"), (["--to", to], "--key FIELD"),
            (["--to", to, "--key", "nobody"], "has no field 'nobody'"),
            (["--to", to, "--key", "user", "--columns", "time"], "leaves out 'user'"),
        ] {
            let refused = try weir.start(["produce", "in.jsonl"] + arguments, input: .nothing).outcome()
            #expect(refused.exitCode == 2 && refused.errors.contains(reason), "\(refused.errors)")
        }
        // A record that is longer than the server takes costs no other one.
        let long = (0..<5).map {
            "{\"time\":\($0),\"user\":\"u\(String(repeating: "x", count: $0 == 2 ? 1 << 20 : 1))\"}\n"
        }
        try weir.file("long.jsonl", long.joined())
        for arguments in [
            ["produce", "long.jsonl", "--to", to, "--key", "user"],
            ["convert", "long.jsonl", "nats:\(server.address)/by.0?stream=parts", "--to-format", "jsonl"],
        ] {
            let outcome = try weir.start(arguments + ["--max-line", "4MiB"], input: .nothing).outcome()
            #expect(outcome.exitCode == 0 && outcome.errors.contains("4 sent, 4 delivered"), "\(outcome.errors)")
            #expect(
                outcome.errors.contains("line 3 rejected: as a message it has 1048597 bytes, and 'nats:"),
                "\(outcome.errors)"
            )
            #expect(outcome.errors.contains("4 records converted, 1 rejected"), "\(outcome.errors)")
        }
        for (name, text, code) in [("empty.csv", "", 0), ("empty.jsonl", "", 0), ("odd.jsonl", "{\n", 65)]
            as [(_, _, Int32)]
        {
            try weir.file(name, text)
            let outcome = try weir.run("produce", name, "--to", to, "--key", "user")
            #expect(outcome.exitCode == code && outcome.errors.contains("0 records"), "\(name): \(outcome.errors)")
        }
    }

    /// Before the first MiB has come, which says what the fields of JSON are.
    @Test(arguments: [SIGINT, SIGTERM])
    func whatWasReadBeforeAnInterruptionIsPublished(signal: Int32) throws {
        try server.client().createStream(JetStreamSettings("parts", subjects: ["by.*"]))
        let pipe = Pipe()
        // The pipe's own is closed with the start.
        let reading = dup(pipe.fileHandleForReading.fileDescriptor)
        defer { close(reading) }
        let running = try weir.start(
            ["produce", "--format", "jsonl", "--to", "nats:\(server.address)/by?stream=parts", "--key", "user"],
            input: .pipe(pipe)
        )
        let lines = (0..<100).map { "{\"time\":\($0),\"user\":\"u\($0 % 7)\"}\n" }
        pipe.fileHandleForWriting.write(Data((lines.joined() + "{\"time\":1").utf8))
        try WeirProcess.eventually("it has read") {
            var waiting: Int32 = 0
            return unsafe ioctl(reading, UInt(FIONREAD), &waiting) == 0 && waiting == 0
        }
        kill(running.process.processIdentifier, signal)
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 130 && outcome.errors.contains("100 sent, 100 delivered"), "\(outcome.errors)")
        #expect(outcome.errors.contains("interrupted; 100 records converted, 1 rejected"), "\(outcome.errors)")
        #expect(try server.client().stream("parts").last == 100)
    }

    @Test func aStreamThatIsDeletedEndsTheProgram() throws {
        let client = try server.client()
        try client.createStream(JetStreamSettings("parts", subjects: ["by.*"]))
        let pipe = Pipe()
        // A pipe that nobody reads would end this process.
        let reading = dup(pipe.fileHandleForReading.fileDescriptor)
        defer { close(reading) }
        let address = "nats:\(server.address)/by?stream=parts&timeout=200ms&retry=50ms"
        let running = try weir.start(
            ["produce", "--format", "jsonl", "--columns", "time,user", "--to", address, "--key", "user"],
            input: .pipe(pipe)
        )
        func write(_ number: Int) throws {
            try pipe.fileHandleForWriting.write(contentsOf: Data("{\"time\":\(number),\"user\":\"u\"}\n".utf8))
        }
        try write(0)
        try WeirProcess.eventually("it is kept") { try client.stream("parts").last == 1 }
        _ = try client.request("$JS.API.STREAM.DELETE.parts", [])
        var number = 1
        try WeirProcess.eventually("it ends") {
            // No more than a pipe takes though nobody reads any more.
            var count: Int32 = 0
            if unsafe ioctl(reading, UInt(FIONREAD), &count) == 0, count < 1000 { try? write(number) }
            number += 1
            return !running.process.isRunning
        }
        let outcome = try running.outcome()
        let words =
            "cannot write to '\(address)': there is no stream 'parts'; make one: nats stream add parts "
            + "--subjects 'by.*' --defaults; it has been missing for 1.2 seconds"
        #expect(outcome.exitCode == 74 && outcome.errors.contains(words), "\(outcome.errors)")
    }
}
