import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecording
import WeirRecords

@testable import weir

#if canImport(Glibc)
    import Glibc
#endif

// Runs that are killed at any moment: what they write is what a run without a stop writes.
extension HostTests.StateTests {
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

    private static func sorted(_ text: String) -> [Substring] { text.split(separator: "\n").sorted() }

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
        var (kill, goneOn) = (0, 0)
        var random = UInt64(variant + 1) &* 0x9E37_79B9_7F4A_7C15
        let run = try StateRun()
        defer { run.remove() }
        try Self.prepare(run, seed: 7)
        while Self.needsKill(kill, of: count, goneOn) {
            defer { kill += 1 }
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // A run that goes on looks less often, and may come to its end.
            let looks = 1 + Int(random >> 33) % (kill % 3 == 0 ? clock.count : max(1, clock.count / 3))
            let delay = UInt32(truncatingIfNeeded: random >> 20) % 3000
            await Self.killRun(in: run.folder, words, after: looks, delay)
            // One in three is read to its end, the others are killed again.
            guard kill % 3 == 2 || kill >= count - 1 else { continue }
            let last = try run.run(words)
            if last.said.contains("goes on behind") { goneOn += 1 }
            #expect(last.code == .done, "\(last.said)")
            let found = Self.outputs.map { run.text($0) }
            for (name, (found, expected)) in zip(Self.outputs, zip(found, expected)) {
                // Where inputs are merged, how far one was read ahead decides when its rejections are written.
                let isOrdered = variant != 2 || name != "bad.txt"
                let isSame = isOrdered ? found == expected : Self.sorted(found) == Self.sorted(expected)
                #expect(isSame, "\(name), variant \(variant), kill \(kill): \(last.said)")
            }
            try FileManager.default.removeItem(atPath: run.folder + "/state")
        }
        #expect(goneOn > 0)
        print("weir --state: variant \(variant), \(kill) kills, \(goneOn) runs went on")
    }

    /// Whether to kill once more.
    ///
    /// Which kills come behind a written state depends on the machine: it takes more of them where none did.
    static func needsKill(_ kills: Int, of count: Int, _ goneOn: Int) -> Bool {
        kills < count || goneOn == 0 && kills < 10 * count
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
        var (kills, goneOn) = (0, 0)
        while Self.needsKill(kills, of: 8, goneOn) {
            try FileManager.default.removeItem(atPath: run.folder + "/state")
            for _ in 0..<2 {
                let looks = Int.random(in: 2...max(2, clock.count / 2), using: &random)
                await Self.killRun(in: run.folder, words, plugin: plugin, after: looks, UInt32(looks % 7) * 300)
                kills += 1
            }
            let last = try run.run(words, plugin: plugin)
            #expect(last.code == .done, "\(last.said)")
            if last.said.contains("goes on behind") { goneOn += 1 }
            #expect(Self.outputs.map { run.text($0) } == expected, "\(last.said)")
        }
        #expect(goneOn > 0)
    }

    // MARK: Queries

    static let rules = """
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

    static func logins(seed: UInt64, count: Int) -> (json: String, csv: String) {
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

    static let queries: [[String]] = [
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
        while Self.needsKill(kills, of: count, goneOn) {
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
}
