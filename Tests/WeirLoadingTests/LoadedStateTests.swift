import Foundation
import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirRecords

@testable import WeirLoading

/// What plugins in libraries know is saved through the boundary.
@Suite struct LoadedStateTests {
    private func loaded(_ name: String) throws -> LoadedPlugin {
        let path = Library.builtFolder.appendingPathComponent("libWeir\(name)Plugin.so").path
        try #require(FileManager.default.fileExists(atPath: path), "'swift build' makes \(path)")
        return try LoadedPlugin(path: path)
    }

    /// Rows that all four plugins can read, by the columns that are named.
    private func table(seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        var text = "time,key,x,y,z,steps,speed,text\n"
        for row in 0..<50 {
            let time = row * 100 + (number(12) == 0 ? -300 : number(90))
            let post = ["I love", "awful", "where is"][number(3)] + " " + ["apple", "google"][number(2)]
            let x = number(20) == 0 ? "?" : "\(number(3)).5"
            text += "\(time),k\(number(3) + row / 20),\(x),\(number(2)),0,\(row),\(number(25)).1,\(post)\n"
        }
        return text
    }

    private static let plugins: [(library: String, options: [String: String])] = [
        ("Shake", ["by": "key", "max-groups": "3", "forget-after": "200ms", "quiet-period": "100ms"]),
        ("Walk", ["by": "key", "steps": "ignored", "emit": "all"]),
        ("Sentiment", ["columns": "time=time,text=text,followers=steps", "window": "2s", "every": "1s"]),
        (
            "Fraud",
            [
                "columns": "card=key,amount=x,latitude=speed,longitude=z", "small": "1", "large": "2", "trials": "2",
                "within": "1s", "max-open": "3",
            ]
        ),
    ]

    @Test(arguments: 1...2 as ClosedRange<UInt64>, plugins.indices)
    func aRunGoesOnBehindEachRecord(seed: UInt64, index: Int) throws {
        let (library, options) = Self.plugins[index]
        let difference = try RestoreRun.difference(
            of: loaded(library),
            options,
            format: CSVFormat(),
            table(seed: seed)
        )
        #expect(difference == nil, "seed \(seed), \(library)")
    }

    /// What the library counts is part of what it knows, and is told once that is given back.
    @Test func whatWasCountedComesBack() throws {
        let plugin = try loaded("Fraud")
        let given = [
            "columns": "card=key,amount=x,latitude=speed,longitude=z", "small": "9", "large": "100", "max-open": "1",
        ]
        func start() throws -> (RecordConsumer, MatchOutput) {
            let output = MatchOutput()
            return (try plugin.start(OptionValues(plugin.options, given: given), output: output), output)
        }
        let (first, output) = try start()
        var reader = RecordReader(ByteSource(Array(table(seed: 3).utf8)), format: CSVFormat(), schema: first.schema)
        while try reader.next({ first.receive(&$0) }) {}
        let counted = output.counts.map(\.value)
        #expect(counted.contains { $0 > 0 })
        let bytes = try #require(try first.state?.save())
        let (second, other) = try start()
        let report = try second.state?.restore(bytes[...], false)
        #expect(report?.isComplete ?? false)
        #expect(other.counts.map(\.value) == counted)
        #expect(other.partialMatches == output.partialMatches)
    }

    @Test func whatDoesNotFitIsSaidWithItsParts() throws {
        let plugin = try loaded("Shake")
        func start(_ given: [String: String]) throws -> RecordConsumer {
            try plugin.start(OptionValues(plugin.options, given: given), output: MatchOutput())
        }
        let first = try start(["by": "key"])
        var reader = RecordReader(ByteSource(Array(table(seed: 1).utf8)), format: CSVFormat(), schema: first.schema)
        while try reader.next({ first.receive(&$0) }) {}
        let bytes = try #require(try first.state?.save())
        let refusing = try start([:])
        let empty = try refusing.state?.save()
        let error = #expect(throws: StateError.self) { try refusing.state?.restore(bytes[...], false) }
        guard case .mismatch(let report)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((report.changed + report.dropped).contains { $0.items > 0 }, "\(report)")
        // Nothing was given back.
        #expect(try refusing.state?.save() == empty)
        let dropping = try start([:])
        #expect(try dropping.state?.restore(bytes[...], true) == report)
        let broken = try start(["by": "key"])
        #expect(throws: (any Error).self) { try broken.state?.restore(bytes.dropLast(9), true) }
    }

    private static let functions = """
        static int instance;
        static const uint8_t x[] = "x", why[] = "no luck";
        static const weir_field field = {{x, 1}, 1, 0};
        static void *start(const weir_setting *s, size_t n, const weir_host *h)
            { (void)s; (void)n; h->take_schema(h->context, &field, 1, 1000000); return &instance; }
        static uint32_t receive(void *i, const weir_batch *b, const weir_host *h)
            { (void)i; (void)b; (void)h; return 1; }
        static void finish(void *i, weir_text f, const weir_host *h) { (void)i; (void)f; (void)h; }
        static void release(void *i) { (void)i; }
        static void demo(uint64_t s, const weir_host *h) { (void)s; (void)h; }

        """

    private func consumer(_ functions: String, size: String = "sizeof(weir_plugin)") throws -> RecordConsumer {
        let library = try Library(
            "#include <stddef.h>\n" + Self.functions + functions + """

                static const weir_plugin table = {.version = 1, .size = \(size), .name = {x, 1}, .start = start,
                    .receive = receive, .finish = finish, .release = release, .demo = demo,
                    .state_name = name, .save = save, .restore = restore};
                const weir_plugin *weir_plugin_entry(uint32_t v) { (void)v; return &table; }
                """
        )
        defer { library.remove() }
        let plugin = try LoadedPlugin(path: library.path)
        return try plugin.start(OptionValues(plugin.options), output: MatchOutput())
    }

    private static let trap = """
        static void name(void *i, const weir_host *h) { (void)i; (void)h; __builtin_trap(); }
        static uint32_t save(void *i, const weir_host *h) { (void)i; (void)h; __builtin_trap(); }
        static uint32_t restore(void *i, weir_text b, uint32_t d, const weir_host *h)
            { (void)i; (void)b; (void)d; (void)h; __builtin_trap(); }
        """

    @Test func anOlderLibraryIsWithout() throws {
        // Nothing behind the end of its table is called.
        #expect(try consumer(Self.trap, size: "offsetof(weir_plugin, state_name)").state == nil)
        #expect(try consumer(Self.trap, size: "offsetof(weir_plugin, restore)").state == nil)
        let body = "name(void *i, const weir_host *h) { (void)i; (void)h; "
        let unnamed = Self.trap.replacing(body + "__builtin_trap(); }", with: body + "}")
        #expect(try consumer(unnamed).state == nil)
    }

    @Test func aLibraryThatFailsSaysWhy() throws {
        let consumer = try consumer(
            """
            static void name(void *i, const weir_host *h) { (void)i; h->take_bytes(h->context, (weir_text){x, 1}); }
            static uint32_t save(void *i, const weir_host *h)
                { (void)i; h->fail(h->context, (weir_text){0, 0}, (weir_text){why, 7}); return 0; }
            static uint32_t restore(void *i, weir_text b, uint32_t d, const weir_host *h) {
                (void)i; (void)d;
                for (int n = 0; n < 20000; n++) h->take_loss(h->context, (weir_text){0, 9}, UINT64_MAX, 7);
                return b.length == 1 ? 2 : b.length == 2 ? 77 : 1;
            }
            """
        )
        let state = try #require(consumer.state)
        #expect(state.fingerprint == "x")
        let error = #expect(throws: (any Error).self) { try state.save() }
        #expect(error.map { "\($0)" } == "no luck")
        let silent = #expect(throws: (any Error).self) { try state.restore([1, 2], false) }
        #expect(silent.map { "\($0)" } == "the library says no reason")
        let misfit = #expect(throws: StateError.self) { try state.restore([1], false) }
        guard case .mismatch(let report)? = misfit else {
            Issue.record("\(String(describing: misfit))")
            return
        }
        #expect(report.dropped.count == 10_000)
        #expect(report.dropped.allSatisfy { $0.items == 1 << 48 })
        #expect(try state.restore([], false)?.dropped.count == 10_000)
    }
}
