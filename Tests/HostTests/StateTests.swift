import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecording
import WeirRecords
import WeirState

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

extension String {
    fileprivate var lines: [Substring] { split(separator: "\n") }
}

extension HostTests {
    /// Runs that go on where others ended or were killed.
    @Suite struct StateTests {
        static let killCount = ProcessInfo.processInfo.environment["WEIR_STATE_KILLS"].flatMap(Int.init) ?? 54

        /// Rows with some that are rejected, by the format or by the plugin, and some that come late.
        static func table(seed: UInt64, count: Int, hasFlaws: Bool = true) -> String {
            var random = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
            func next(_ limit: UInt64) -> UInt64 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (random >> 33) % limit
            }
            var text = "time,key,value\n"
            for row in 0..<count {
                switch next(hasFlaws ? 40 : 1 << 30) {
                case 1: text += "no\n"
                case 2: text += "\(row * 10),k\(next(9)),x\n"
                case 3: text += "\(row * 10),\"a \"\"k\"\"\n\(next(3))\",\(next(99))\n"
                case 4: text += "\(max(0, row - 300) * 10),k1,\(next(99))\n"
                default: text += "\(row * 10 + Int(next(60))),k\(next(9)),\(next(99))\n"
                }
            }
            return text
        }

        static let variants: [[String]] = [
            ["$/a.csv", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            ["$/a.csv", "--to", "$/m.csv", "--rejected", "$/bad.txt", "--lateness", "200ms", "--late", "$/late.txt"],
            ["$/a.csv", "$/b.csv", "$/c.jsonl", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            ["$/c.json", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            ["$/a.csv.gz", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            ["recording:$/a.csv.rec", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            // Only the first lines of these show how they are written.
            ["$/table", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            ["$/lines", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            ["$/document", "$/lines", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
        ]

        static func prepare(_ run: StateRun, seed: UInt64, count: Int = 12_000) throws {
            try run.write(table(seed: seed, count: count), to: "a.csv")
            try run.write(table(seed: seed + 1, count: count / 2, hasFlaws: false), to: "b.csv")
            let rows = table(seed: seed + 2, count: count / 2, hasFlaws: false).split(separator: "\n").dropFirst()
            let transports: [(any Transport, String)] = [
                (FileTransport(handlesCompression: true), "a.csv.gz"), (RecordingTransport(), "a.csv.rec"),
            ]
            for (transport, name) in transports {
                let sink = try transport.openSink(run.folder + "/" + name)
                try sink.write(Array(run.text("a.csv").utf8))
                try sink.finish()
            }
            let objects = rows.map { row in
                let parts = row.split(separator: ",")
                return "{\"time\":\(parts[0]),\"key\":\"\(parts[1])\",\"value\":\(parts[2])}"
            }
            try run.write(objects.joined(separator: "\n") + "\n", to: "c.jsonl")
            try run.write("[" + objects.joined(separator: ",\n") + "]\n", to: "c.json")
            for (name, other) in [("a.csv", "table"), ("c.jsonl", "lines"), ("c.json", "document")] {
                try run.write(run.text(name), to: other)
            }
        }

        static let outputs = ["m.jsonl", "m.csv", "bad.txt", "late.txt"]

        @Test(arguments: variants.indices)
        func aRunThatIsKilledGoesOnAsIfNothingHadHappened(variant: Int) async throws {
            let durability = ["always", "interval", "never"][variant % 3]
            let words = Self.variants[variant] + ["--state", "$/state", "--checkpoint", "5s", "--fsync", durability]
            let whole = try StateRun()
            defer { whole.remove() }
            try Self.prepare(whole, seed: 7)
            let first = try whole.run(Self.variants[variant])
            #expect(first.code == .done, "\(first.said)")
            let expected = Self.outputs.map { whole.text($0) }
            #expect(expected.reduce(0) { $0 + $1.utf8.count } > 10_000)
            let clock = StateRun.Clock()
            #expect(try whole.run(words, clock: clock).code == .done)
            #expect(Self.outputs.map { whole.text($0) } == expected)
            let count = max(6, Self.killCount / Self.variants.count)
            var goneOn = 0
            var random = UInt64(variant + 1) &* 0x9E37_79B9_7F4A_7C15
            let run = try StateRun()
            defer { run.remove() }
            try Self.prepare(run, seed: 7)
            for kill in 0..<count {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                // A run that goes on looks less often, and may come to its end.
                let looks = 1 + Int(random >> 33) % (kill % 3 == 0 ? clock.count : max(1, clock.count / 3))
                let delay = UInt32(truncatingIfNeeded: random >> 20) % 3000
                await Self.killRun(in: run.folder, words, after: looks, delay)
                // One in three is read to its end, the others are killed again.
                guard kill % 3 == 2 || kill == count - 1 else { continue }
                let last = try run.run(words)
                if last.said.contains("goes on behind") { goneOn += 1 }
                #expect(last.code == .done, "\(last.said)")
                let found = Self.outputs.map { run.text($0) }
                for (name, (found, expected)) in zip(Self.outputs, zip(found, expected)) {
                    // Where inputs are merged, how far one was read ahead decides when its rejections are written.
                    let isOrdered = variant != 2 || name != "bad.txt"
                    let isSame = isOrdered ? found == expected : found.lines.sorted() == expected.lines.sorted()
                    #expect(isSame, "\(name), variant \(variant), kill \(kill): \(last.said)")
                }
                try FileManager.default.removeItem(atPath: run.folder + "/state")
            }
            #expect(goneOn > 0)
            print("weir --state: variant \(variant), \(count) kills, \(goneOn) runs went on")
        }

        /// Runs a plugin in another process, and kills that.
        static func killRun(
            in folder: String,
            _ words: [String],
            plugin: String = "count",
            ballast: Int = 0,
            after looks: Int,
            _ delay: UInt32
        ) async {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    folder = folder as String, words = words as [String], plugin = plugin as String,
                    ballast = ballast as Int, looks = looks as Int, delay = delay as UInt32
                ]
                in
                let clock = StateRun.Clock(killingAfter: (looks, delay))
                _ = try StateRun(in: folder).run(words, plugin: plugin, ballast: ballast, clock: clock)
                _ = Glibc.kill(getpid(), SIGKILL)
            }
        }

        /// What the plugins of the program read: options, and rows of which some are refused.
        private static let builtIn: [String: [String]] = [
            "shake": ["--by", "key", "--max-groups", "5", "--forget-after", "500ms", "--quiet-period", "100ms"],
            "walk": ["--by", "key", "--steps", "ignored", "--emit", "all"],
            "sentiment": ["--columns", "time=time,text=text,followers=steps", "--window", "2s", "--every", "1s"],
            "fraud": [
                "--columns", "card=key,amount=x,latitude=speed,longitude=z", "--small", "1", "--large", "2", "--trials",
                "2", "--within", "1s", "--trial-time", "500ms", "--max-cards", "5", "--max-open", "20",
            ],
        ]

        private static func updates(seed: UInt64, count: Int) -> String {
            var random = SeededGenerator(seed: seed)
            func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
            var text = "time,key,x,y,z,steps,speed,text\n"
            for row in 0..<count {
                let time = row * 10 + (number(20) == 0 ? -300 : number(9))
                let brand = ["apple", "google", "the weather"][number(3)]
                text += "\(time),k\(number(5) + row / 2000),\(number(3)).5,\(number(2)),0,\(row),\(number(25)).1,"
                text += "\(["I love", "awful", "where is"][number(3)]) \(brand)\n"
                if number(50) == 0 { text += "no\n" }
            }
            return text
        }

        @Test(arguments: ["shake", "walk", "sentiment", "fraud"])
        func aPluginOfTheProgramThatIsKilledGoesOn(plugin: String) async throws {
            let run = try StateRun()
            defer { run.remove() }
            try run.write(Self.updates(seed: 5, count: 12_000), to: "a.csv")
            let plain = ["$/a.csv", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"] + (Self.builtIn[plugin] ?? [])
            let words = plain + ["--state", "$/state", "--checkpoint", "3s"]
            let first = try run.run(plain, plugin: plugin)
            #expect(first.code == .done, "\(first.said)")
            let expected = Self.outputs.map { run.text($0) }
            #expect(expected[0].utf8.count > 10_000 && !expected[2].isEmpty)
            let clock = StateRun.Clock()
            #expect(try run.run(words, plugin: plugin, clock: clock).code == .done)
            #expect(Self.outputs.map { run.text($0) } == expected)
            var random = SeededGenerator(seed: 1)
            var goneOn = 0
            for _ in 0..<4 {
                try FileManager.default.removeItem(atPath: run.folder + "/state")
                for _ in 0..<2 {
                    let looks = Int.random(in: 2...max(2, clock.count / 2), using: &random)
                    await Self.killRun(in: run.folder, words, plugin: plugin, after: looks, UInt32(looks % 7) * 300)
                }
                let last = try run.run(words, plugin: plugin)
                #expect(last.code == .done, "\(last.said)")
                if last.said.contains("goes on behind") { goneOn += 1 }
                #expect(Self.outputs.map { run.text($0) } == expected, "\(last.said)")
            }
            #expect(goneOn > 0)
        }

        // MARK: Queries

        private static let rules = """
            // name: pair
            sequence by user with maxspan=20s [a where n > 5] [b where true] [c where true]
            ---
            // name: quiet
            sequence by user with maxspan=3s [a where true] ![b where true]
            ---
            // name: until
            sequence by user with maxspan=1h [d where true] with runs=2 [c where true] until [e where true]
            ---
            // name: sample
            sample by user [a where true] [d where n % 3 == 0] [e where true]
            ---
            // name: sorted
            sequence by user [a where true] [d where true] | unique n | sort n | tail 50
            ---
            // name: counted
            any where true | count type
            ---
            // name: first
            e where true | head 40
            """

        private static func logins(seed: UInt64, count: Int) -> (json: String, csv: String) {
            var random = SeededGenerator(seed: seed)
            var (json, csv) = ("", "time,type,user,n\n")
            for row in 0..<count {
                let type = ["a", "b", "c", "d", "e"][Int.random(in: 0..<5, using: &random)]
                let user = Int.random(in: 0..<40, using: &random) + row / 500
                let name = user % 3 == 0 ? "a user with a long name \(user)" : "u\(user)"
                // A few go back in time, and are refused.
                let time = row * 10 - (Int.random(in: 0..<30, using: &random) == 0 ? 200 : 0)
                json += "{\"time\":\(time),\"type\":\"\(type)\",\"user\":\"\(name)\",\"n\":\(row % 97)}\n"
                csv += "\(time),\(type),\(name),\(row % 97)\n"
            }
            return (json, csv)
        }

        private static let queries: [[String]] = [
            ["--rules", "$/rules.eql", "$/a.jsonl", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            ["--rules", "$/rules.eql", "$/a.csv", "--to", "$/m.jsonl", "--rejected", "$/bad.txt"],
            [
                "sequence by user with maxspan=20s [a where n > 5] [b where true]", "$/a.csv", "--output", "events",
                "--to", "$/m.jsonl", "--rejected", "$/bad.txt",
            ],
        ]

        @Test(arguments: queries.indices)
        func aQueryThatIsKilledGoesOnAsIfNothingHadHappened(variant: Int) async throws {
            let run = try StateRun()
            defer { run.remove() }
            let (json, csv) = Self.logins(seed: 3, count: 6_000)
            try run.write(json, to: "a.jsonl")
            try run.write(csv, to: "a.csv")
            try run.write(Self.rules, to: "rules.eql")
            let words = Self.queries[variant] + ["--state", "$/state", "--checkpoint", "2s"]
            let first = try run.run(Self.queries[variant], plugin: "match")
            #expect(first.code == .done, "\(first.said)")
            let expected = Self.outputs.map { run.text($0) }
            #expect(expected[0].utf8.count > 10_000 && !expected[2].isEmpty)
            let clock = StateRun.Clock()
            #expect(try run.run(words, plugin: "match", clock: clock).code == .done)
            #expect(Self.outputs.map { run.text($0) } == expected)
            let count = max(6, Self.killCount / Self.queries.count)
            var random = SeededGenerator(seed: UInt64(variant))
            var (goneOn, kills) = (0, 0)
            while kills < count {
                try FileManager.default.removeItem(atPath: run.folder + "/state")
                for _ in 0..<3 {
                    let looks = Int.random(in: 1...max(2, clock.count / 2), using: &random)
                    let delay = UInt32.random(in: 0..<3000, using: &random)
                    await Self.killRun(in: run.folder, words, plugin: "match", after: looks, delay)
                    kills += 1
                }
                let last = try run.run(words, plugin: "match")
                #expect(last.code == .done, "\(last.said)")
                if last.said.contains("goes on behind") { goneOn += 1 }
                let found = Self.outputs.map { run.text($0) }
                #expect(found == expected, "variant \(variant), kill \(kills): \(last.said)")
            }
            #expect(goneOn > 0)
            print("weir match --state: variant \(variant), \(kills) kills, \(goneOn) runs went on")
        }

        @Test func rulesThatChangeAreSaidAndTheOthersGoOn() throws {
            let run = try StateRun()
            defer { run.remove() }
            func events(_ times: Range<Int>, _ type: String) -> String {
                times.map { "{\"time\":\($0),\"type\":\"\(type)\",\"user\":\"u\($0 % 5)\"}\n" }.joined()
            }
            try run.write(events(0..<5, "a"), to: "a.jsonl")
            let same = "// name: same\nsequence by user [a where true] [b where true]\n---\n// name: other\n"
            try run.write(same + "sequence by user [a where true] [c where true]", to: "rules.eql")
            let words = Self.queries[0] + ["--state", "$/state"]
            #expect(try run.run(words, plugin: "match").code == .done)
            try run.append(events(5..<10, "b"), to: "a.jsonl")
            try run.write(same + "sequence by user [a where true] [b where true] [c where true]", to: "rules.eql")
            let refused = try run.run(words, plugin: "match")
            #expect(refused.code == .noInput)
            #expect(refused.said.contains("has the state of another pipeline: rules changed"), "\(refused.said)")
            #expect(refused.said.lines.count == 1, "\(refused.said)")
            let shown = try WeirProcess().run("state", run.folder + "/state")
            let shownWords = shown.output.split { $0.isWhitespace }.joined(separator: " ")
            #expect(shownWords.contains("rule same/partial matches 5 elements, "), "\(shown.output)")
            let dropped = try run.run(words + ["--state-mismatch", "drop"], plugin: "match")
            #expect(dropped.code == .done, "\(dropped.said)")
            let loss = "'rule other/partial matches' is changed, with 5 elements"
            #expect(dropped.said.contains(loss), "\(dropped.said)")
            #expect(run.text("m.jsonl").lines.count == 5)
            #expect(run.text("m.jsonl").lines.allSatisfy { $0.hasPrefix("{\"rule\":\"same\"") })
            // From here on it is the state of the new rules.
            #expect(try run.run(words, plugin: "match").said.contains("nothing to do"))
        }

        /// What was said is said again only where it is still so.
        @Test func categoriesThatWereSeenBeforeAreNotMissed() throws {
            let run = try StateRun()
            defer { run.remove() }
            try run.write("{\"time\":1,\"type\":\"a\",\"user\":\"u\"}\n", to: "a.jsonl")
            let words = [
                "sequence by user [a where true] [b where true]", "$/a.jsonl", "--to", "$/m.jsonl", "--state",
                "$/state",
            ]
            #expect(try run.run(words, plugin: "match").said.contains("no record has the category 'b'"))
            try run.append("{\"time\":2,\"type\":\"b\",\"user\":\"u\"}\n", to: "a.jsonl")
            let last = try run.run(words, plugin: "match")
            #expect(!last.said.contains("no record has the category"), "\(last.said)")
            #expect(run.text("m.jsonl").lines.count == 1)
        }

        @Test func aRunThatHasFinishedHasNothingToDoUntilSomethingIsAppended() throws {
            let run = try StateRun()
            defer { run.remove() }
            let table = Self.table(seed: 3, count: 900)
            let cut = try #require(
                table.range(of: "\n", range: table.index(table.startIndex, offsetBy: 9000)..<table.endIndex)
            )
            try run.write(table, to: "a.csv")
            let words = Self.variants[0] + ["--state", "$/state"]
            #expect(try run.run(Self.variants[0]).code == .done)
            let expected = Self.outputs.map { run.text($0) }
            try run.write(String(table[..<cut.upperBound]), to: "a.csv")
            #expect(try run.run(words).code == .done)
            #expect(run.text("m.jsonl").contains("all k1"))
            let before = run.text("m.jsonl")
            let again = try run.run(words)
            #expect(again.code == .done)
            #expect(again.said.contains("nothing to do: "), "\(again.said)")
            #expect(run.text("m.jsonl") == before)
            try run.append(String(table[cut.upperBound...]), to: "a.csv")
            let more = try run.run(words)
            #expect(more.code == .done)
            #expect(more.said.contains("goes on behind "), "\(more.said)")
            #expect(Self.outputs.map { run.text($0) } == expected)
            // The summary counts on.
            let whole = try run.run(Self.variants[0]).said.lines.last?.components(separatedBy: " in ").first
            #expect(more.said.lines.last?.hasPrefix(whole ?? "?") ?? false, "\(more.said)")
        }

        @Test func whatDoesNotFitIsRefusedOrDropped() throws {
            let run = try StateRun()
            defer { run.remove() }
            try run.write(Self.table(seed: 3, count: 900), to: "a.csv")
            let words = Self.variants[0] + ["--state", "$/state"]
            #expect(try run.run(words).code == .done)
            func refused(_ more: [String], _ reason: String, line: Int = #line) throws {
                let before = Self.outputs.map { run.text($0) }
                let outcome = try run.run(words + more)
                #expect(outcome.code != .done && outcome.code != .interrupted, "line \(line): \(outcome.said)")
                #expect(outcome.said.contains(reason), "line \(line): \(outcome.said)")
                #expect(outcome.said.split(separator: "\n").count == 1, "line \(line): \(outcome.said)")
                #expect(Self.outputs.map { run.text($0) } == before)
            }
            try refused(["--every", "4"], "has the state of another pipeline: --every was not given")
            try refused(["--from", "demo"], "'demo' is a new input")
            try run.append("1,k1,5\n", to: "a.csv")
            let whole = run.text("m.jsonl")
            try run.write(String(whole.dropLast(40)), to: "m2")
            let handle = try #require(FileHandle(forWritingAtPath: run.folder + "/m.jsonl"))
            try handle.truncate(atOffset: 10)
            try refused([], "m.jsonl' has 10 bytes, and ")
            try handle.write(contentsOf: Data(whole.utf8))
            try handle.close()
            try run.write("time,key,value\n1,k1,1\n", to: "b.csv")
            unsafe unlink(run.folder + "/a.csv")
            try FileManager.default.moveItem(atPath: run.folder + "/b.csv", toPath: run.folder + "/a.csv")
            try refused([], "it is another file than the one that was read before; with --state-mismatch drop")
            let dropped = try run.run(words + ["--state-mismatch", "drop", "--every", "1"])
            #expect(dropped.code == .done, "\(dropped.said)")
            #expect(dropped.said.contains("what 'count' knew does not fit any more; that is lost"), "\(dropped.said)")
            #expect(dropped.said.contains("it is read from its start"), "\(dropped.said)")
            #expect(
                run.text("m.jsonl").hasSuffix(
                    "{\"key\":\"k1\",\"count\":1,\"sum\":1}\n{\"key\":\"all k1\",\"count\":1,\"sum\":1}\n"
                )
            )
        }

        /// The half of a first line was the start of a document, the whole line is one of many.
        @Test func anInputWhoseFirstLinesShowAnotherFormatIsRefused() throws {
            let run = try StateRun()
            defer { run.remove() }
            let line = "{\"time\":1,\"key\":\"k1\",\"value\":1}"
            try run.write(String(line.dropLast(10)), to: "lines")
            let words = Self.variants[7] + ["--state", "$/state"]
            #expect(try run.run(words).said.contains("1 rejected"))
            try run.append("\"value\":1}\n\(line)\n", to: "lines")
            let second = try run.run(words)
            #expect(second.code == .noInput)
            #expect(second.said.contains("the first lines show another format than before"), "\(second.said)")
        }

        /// A folder that takes nothing for a while costs checkpoints, and nothing else.
        @Test func aStateThatCannotBeWrittenIsSaidOnceAndTheRunGoesOn() throws {
            let run = try StateRun()
            defer { run.remove() }
            try Self.prepare(run, seed: 5)
            #expect(try run.run(Self.variants[0]).code == .done)
            let expected = Self.outputs.map { run.text($0) }
            let folder = run.folder
            let words = Self.variants[0] + ["--state", "$/state", "--checkpoint", "2s"]
            let outcome = try run.run(words) { number in
                if number == 2000 { _ = unsafe rename(folder + "/state", folder + "/gone") }
                if number == 9000 { _ = unsafe rename(folder + "/gone", folder + "/state") }
            }
            #expect(outcome.code == .done)
            #expect(Self.outputs.map { run.text($0) } == expected)
            let said = outcome.said.lines
            #expect(said.count { $0.contains("the state cannot be saved, and the run goes on with") } == 1)
            #expect(said.count { $0.contains("the state is saved again") } == 1, "\(outcome.said)")
            #expect(try run.run(words).said.contains("nothing to do: "))
        }

        @Test func whatCannotBeSavedIsRefusedAtTheStart() throws {
            let run = try StateRun()
            defer { run.remove() }
            try run.write(Self.table(seed: 3, count: 30), to: "a.csv")
            func refused(_ words: [String], _ reason: String, isSaveable: Bool = true) throws {
                let outcome = try run.run(["$/a.csv"] + words, isSaveable: isSaveable)
                #expect(outcome.code == .usage || outcome.code == .cannotCreate, "\(outcome.said)")
                #expect(outcome.said.contains(reason), "\(outcome.said)")
                #expect(outcome.said.split(separator: "\n").count == 1, "\(outcome.said)")
            }
            try refused(["--state", "$/s"], "--state: what 'count' keeps cannot be saved", isSaveable: false)
            try refused(["--state", "$/s", "--to", "$/m.jsonl.gz"], "is compressed, and --state cuts outputs back")
            try refused(["--state", "$/s", "--report", "$/r.html"], "--report draws what one run sees")
            try refused(["--checkpoint", "1s"], "--checkpoint is of use only with --state DIR")
            try refused(["--state", "$/s", "--checkpoint", "0"], "--checkpoint: must be longer than 0")
            try refused(["--state", "$"], "is no folder of --state: it has ")
            try refused(["--state", "/dev/null/x"], "not a directory")
            #expect(!FileManager.default.fileExists(atPath: run.folder + "/m.jsonl.gz"))
        }

        /// A file that grows and is rotated between runs, each of which is interrupted.
        @Test(arguments: 1...4 as ClosedRange<UInt64>)
        func aFollowedFileIsReadOnceThroughRotations(seed: UInt64) throws {
            let run = try StateRun()
            defer { run.remove() }
            let table = Self.table(seed: seed, count: 1500)
            try run.write(table, to: "a.csv")
            #expect(try run.run(Self.variants[0]).code == .done)
            let expected = run.text("m.jsonl").split(separator: "\n").filter { !$0.contains("all ") }
            let rejected = run.text("bad.txt")
            let words = [
                "file:$/app.csv?follow=true&poll=1ms", "--to", "$/m.jsonl", "--rejected", "$/bad.txt", "--state",
                "$/state",
            ]
            var random = SystemNumbers(seed: seed)
            var rest = Array(table.utf8)[...]
            try run.write("", to: "app.csv")
            var runs = 0
            var rotations = 0
            var files: [String] = []
            func age(_ name: String) throws {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_000_000 + Double(rotations) * 10)],
                    ofItemAtPath: run.folder + "/" + name
                )
            }
            while !rest.isEmpty {
                var piece = rest.prefix(Int(random.next() % 1000))
                if random.next() % 2 == 0 {
                    piece = rest.firstIndex(of: UInt8(ascii: "\n")).map { rest[...$0] } ?? rest
                }
                rest = rest.dropFirst(piece.count)
                try run.append(String(decoding: piece, as: UTF8.self), to: "app.csv")
                // The writer goes on with another file between two lines only.
                if random.next() % 3 == 0, run.text("app.csv").hasSuffix("\n") {
                    rotations += 1
                    files.append("app.csv.\(rotations)")
                    try FileManager.default.moveItem(
                        atPath: run.folder + "/app.csv",
                        toPath: run.folder + "/" + files[files.count - 1]
                    )
                    try age(files[files.count - 1])
                    try run.write("", to: "app.csv")
                }
                guard random.next() % 2 == 0 else { continue }
                let interruption = try Interruption()
                interruption.trigger()
                let outcome = try run.run(words, interruption: interruption)
                #expect(outcome.code == .interrupted, "\(outcome.said)")
                runs += 1
            }
            var length = -1
            while length != run.text("m.jsonl").utf8.count {
                length = run.text("m.jsonl").utf8.count
                let interruption = try Interruption()
                interruption.trigger()
                #expect(try run.run(words, interruption: interruption).code == .interrupted)
            }
            #expect(run.text("m.jsonl").split(separator: "\n") == expected, "seed \(seed)")
            #expect(run.text("bad.txt") == rejected, "seed \(seed)")
            print("weir --state: followed, seed \(seed), \(runs) runs, \(rotations) rotations")
        }

        private struct SystemNumbers {
            private var state: UInt64

            init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state >> 33
            }
        }

        @Test func whatIsSavedCanBeShown() throws {
            let weir = try WeirProcess()
            for (name, number) in [("one", 3), ("two", 4)] {
                let folder = try StateFolder(weir.folder + "/state/" + name)
                var checkpoint = RunCheckpoint()
                checkpoint.program = "9.9"
                let place = RunCheckpoint.BytePlace(
                    position: SourcePosition(offset: 120),
                    prelude: [],
                    unread: [1, 2],
                    line: UInt64(number)
                )
                checkpoint.inputs = [RunCheckpoint.Input(name: "in.csv", place: .bytes(place), byteCount: 120)]
                checkpoint.outputs = [RunCheckpoint.Output(name: "--to m.jsonl", byteCount: 77, node: 1)]
                checkpoint.consumers = [
                    RunCheckpoint.Consumer(name: "count", fingerprint: "f", partialMatches: 2, bytes: [1, 2, 3])
                ]
                checkpoint.counts = [("events", 1234)]
                _ = try folder.write(&checkpoint, isDurable: false)
            }
            let one = try weir.run("state", "state/one")
            #expect(one.exitCode == 0, "\(one.errors)")
            for text in ["by weir 9.9", "line 3, byte 118", "77 bytes", "3 bytes, 2 partial matches", "1,234"] {
                #expect(one.output.contains(text), "\(text): \(one.output)")
            }
            let both = try weir.run("state", "state", "--format", "json")
            let json = try #require(try JSONSerialization.jsonObject(with: Data(both.output.utf8)) as? [[String: Any]])
            #expect(json.map { $0["folder"] as? String } == ["state/one", "state/two"])
            let inputs = try #require(json.last?["inputs"] as? [[String: Any]])
            #expect(inputs.first?["line"] as? Int == 4)
            try weir.file("letter", "x")
            let none = try weir.run("state", ".")
            #expect(none.exitCode == 66)
            #expect(none.errors.contains("is no folder of --state"), "\(none.errors)")
            // What the help says of the plugins of the program.
            for plugin in ["shake", "walk", "sentiment", "fraud"] {
                let saved = try weir.run("run", plugin, "--from", "demo", "--state", "new-\(plugin)")
                #expect(saved.exitCode == 0, "\(saved.errors)")
                #expect(try weir.run("state", "new-\(plugin)").output.contains(plugin))
            }
            let near = ["match", "sequence [a where true] [b where true]", "--near", "1", "--from", "demo"]
            let refused = try weir.start(near + ["--state", "new"], input: .nothing).outcome()
            #expect(refused.exitCode == 2)
            #expect(refused.errors.contains(" keeps cannot be saved"), "\(refused.errors)")
            #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
            let validated = try weir.run("validate", "walk", "--from", "demo", "--state", "letter")
            #expect(validated.exitCode == 73, "\(validated.errors)")
        }

        @Test func anInterruptedRunGoesOn() throws {
            let run = try StateRun()
            defer { run.remove() }
            for variant in Self.variants {
                try Self.prepare(run, seed: 11, count: 3000)
                #expect(try run.run(variant).code == .done)
                let expected = Self.outputs.map { run.text($0) }
                let words = variant + ["--state", "$/state"]
                let interruption = try Interruption()
                interruption.trigger()
                #expect(try run.run(words, interruption: interruption).code == .interrupted)
                let last = try run.run(words)
                #expect(last.code == .done, "\(last.said)")
                #expect(last.said.contains("goes on behind"), "\(last.said)")
                #expect(Self.outputs.map { run.text($0) } == expected, "\(variant)")
                try FileManager.default.removeItem(atPath: run.folder + "/state")
                for name in Self.outputs { unsafe unlink(run.folder + "/" + name) }
            }
        }
    }
}
