import Foundation
import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirLoading
import WeirRecords
import WeirShake

@Suite struct LoadingTests {
    /// The functions that a well-formed library needs.
    private static let functions = """
        static void *start(const weir_setting *s, size_t n, const weir_host *h) { (void)s; (void)n;
            static const uint8_t x[] = "x", why[] = "no luck";
            h->fail(h->context, (weir_text){x, 1}, (weir_text){why, 7}); return 0; }
        static uint32_t receive(void *i, const weir_batch *b, const weir_host *h)
            { (void)i; (void)b; (void)h; return 1; }
        static void finish(void *i, weir_text f, const weir_host *h) { (void)i; (void)f; (void)h; }
        static void release(void *i) { (void)i; }
        static void demo(uint64_t s, const weir_host *h) { (void)s; (void)h; }
        #define TEXT(t) {(const uint8_t *)t, sizeof t - 1}

        """

    private func library(_ table: String, _ more: String = "") throws -> Library {
        try Library(
            Self.functions + more + """
                static const weir_plugin table = {\(table)};
                const weir_plugin *weir_plugin_entry(uint32_t v) { (void)v; return &table; }
                """
        )
    }

    private func complaint(_ library: Library) -> String? {
        defer { library.remove() }
        let error = #expect(throws: LoadingError.self) { try LoadedPlugin(path: library.path) }
        return error?.description.replacing(library.path, with: "LIB")
    }

    private let whole = """
        .size = sizeof(weir_plugin), .name = TEXT("x"), .start = start, .receive = receive, .finish = finish,
        .release = release, .demo = demo
        """

    @Test func whatIsNoLibraryIsRefused() throws {
        let missing = #expect(throws: LoadingError.self) { try LoadedPlugin(path: "/nowhere/x.so") }
        #expect(missing?.description.hasPrefix("cannot load '/nowhere/x.so': ") == true)
        let text = #expect(throws: LoadingError.self) { try LoadedPlugin(path: #filePath) }
        #expect(text?.description.hasPrefix("cannot load '") == true)
        #expect(try complaint(Library("int x;"))?.hasPrefix("'LIB' is no plugin: it does not export") == true)
        #expect(
            try complaint(Library("const weir_plugin *weir_plugin_entry(uint32_t v) { (void)v; return 0; }"))?
                .hasPrefix("'LIB' is no plugin") == true
        )
    }

    /// Files that the system's loader would stumble over, or explain badly.
    @Test func whatIsNoWholeLibraryOfThisMachineIsRefused() throws {
        let library = try library(".version = 1, " + whole)
        defer { library.remove() }
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: library.path)))
        let folder = URL(fileURLWithPath: library.path).deletingLastPathComponent().path
        func complaint(_ bytes: [UInt8]) throws -> String? {
            let path = folder + "/changed.so"
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: LoadingError.self) { try LoadedPlugin(path: path) }
            return error?.description.replacing("cannot load '\(path)': ", with: "")
        }
        for length in [0, 1, 3] { #expect(try complaint(Array(bytes.prefix(length))) == "it is no library") }
        for length in [4, 63, 64, 100, 1_000, 4_000, bytes.count / 2] {
            #expect(try complaint(Array(bytes.prefix(length)))?.hasPrefix("it is cut off: it has \(length) ") == true)
        }
        for (place, reason) in [
            (4, "another kind of machine"), (5, "another kind of machine"), (18, "another kind"), (16, "no library"),
        ] {
            var changed = bytes
            changed[place] ^= 0x7F
            #expect(try complaint(changed)?.contains(reason) == true, "byte \(place)")
        }
        // Whatever the program headers say, nothing outside of the file is touched.
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var changed = Array(bytes.prefix(bytes.count - 1))
            for _ in 0..<4 { changed[32 + Int(random.next() % 200)] = UInt8(truncatingIfNeeded: random.next()) }
            changed[32] = 0xFF
            changed[39] = 0x7F
            _ = try complaint(changed)
        }
        let error = #expect(throws: LoadingError.self) { try LoadedPlugin(path: folder) }
        #expect(error?.description == "cannot load '\(folder)': it is a folder")
        let device = #expect(throws: LoadingError.self) { try LoadedPlugin(path: "/dev/null") }
        #expect(device?.description == "cannot load '/dev/null': it is not a file")
    }

    @Test func anotherVersionIsRefused() throws {
        #expect(
            try complaint(library(".version = 99, " + whole))
                == "'LIB' was built for version 99 of the plugin interface, this is version 1; "
                + "build it again with this version of Weir"
        )
    }

    @Test func anotherLayoutIsRefused() throws {
        #expect(
            try complaint(library(".version = 1, " + whole.replacing("sizeof(weir_plugin)", with: "8")))?
                .hasPrefix("'LIB' cannot be used as a plugin: its table has 8 bytes, which no version of Weir has")
                == true
        )
        for size in ["sizeof(weir_plugin) + 3", "sizeof(weir_plugin) - 20", "100000"] {
            #expect(
                try complaint(library(".version = 1, " + whole.replacing("sizeof(weir_plugin)", with: size)))?
                    .hasPrefix("'LIB' cannot be used as a plugin: its table has ") == true
            )
        }
    }

    /// A library of the first table, which ended before what was added since, and one of a table that is longer than this.
    @Test func olderAndNewerTablesLoad() throws {
        for size in ["offsetof(weir_plugin, partition_field)", "sizeof(weir_plugin) + 8"] {
            let library = try Library(
                "#include <stddef.h>\n" + Self.functions + """
                    static void boom(const weir_setting *s, size_t n, const weir_host *h)
                        { (void)s; (void)n; (void)h; __builtin_trap(); }
                    static const struct { weir_plugin table; void *more; } longer = {{.version = 1,
                        \(whole.replacing("sizeof(weir_plugin)", with: size)),
                        .partition_field = \(size.contains("+") ? "0" : "boom"), .graph = \(size.contains("+") ? "0" : "boom")}};
                    const weir_plugin *weir_plugin_entry(uint32_t v) { (void)v; return &longer.table; }
                    """
            )
            defer { library.remove() }
            let plugin = try LoadedPlugin(path: library.path)
            let options = try OptionValues(plugin.options)
            #expect(plugin.partitionField(options) == nil)
            #expect(plugin.graph(options).nodes.map(\.label) == ["records", "x", "matches"])
        }
    }

    @Test func aTableMustBeComplete() throws {
        #expect(
            try complaint(library(".version = 1, " + whole.replacing(".demo = demo", with: "")))
                == "'LIB' cannot be used as a plugin: its table lacks functions"
        )
        #expect(
            try complaint(library(".version = 1, " + whole.replacing("TEXT(\"x\")", with: "TEXT(\"a b\")")))
                == "'LIB' cannot be used as a plugin: 'a b' is no name for a plugin"
        )
    }

    @Test(arguments: [
        (".name = TEXT(\"x\"), .summary = {(const uint8_t *)\"\\xFF\", 1}", "its summary is not valid UTF-8"),
        (".name = {(const uint8_t *)\"\\xC3\", 1}", "its name is not valid UTF-8"),
        (".name = {0, 5}", "its name has 5 bytes"),
        (".name = {(const uint8_t *)\"x\", (size_t)-1}", "its name has -1 bytes"),
        (".name = {(const uint8_t *)\"x\", (size_t)1 << 60}", "its name has 1152921504606846976 bytes"),
        (".name = TEXT(\"x\"), .option_count = 3", "it says that it has 3 options"),
        (
            ".name = TEXT(\"x\"), .options = &option, .option_count = (size_t)1 << 50",
            "it says that it has 1125899906842624 options"
        ),
        (".name = TEXT(\"x\"), .options = &option, .option_count = 1", "'' is no name for an option"),
        (".name = TEXT(\"x\"), .example_count = (size_t)-1", "it says that it has -1 examples"),
        (".name = TEXT(\"\")", "'' is no name for a plugin"),
    ])
    func whatATableSaysMustBePossible(members: String, reason: String) throws {
        let library = try library(
            ".version = 1, " + whole.replacing(".name = TEXT(\"x\")", with: members),
            "static const weir_option option;\n"
        )
        #expect(complaint(library) == "'LIB' cannot be used as a plugin: " + reason)
    }

    @Test(arguments: [
        ("return &table_;", "the plugin does not say which fields it wants"),
        ("return 0;", "the plugin does not start, and says no reason"),
        ("h->take_schema(h->context, 0, 5, 1000000); return 0;", "the plugin says that it wants 5 fields"),
        (
            "h->take_schema(h->context, &field, (size_t)-2, 1000000); return 0;",
            "the plugin says that it wants -2 fields"
        ),
        ("h->take_schema(h->context, &field, 1, 77); return 0;", "the plugin's times count 77 ns, which is no unit"),
        ("h->fail(h->context, (weir_text){0, 9}, (weir_text){x, 2}); return 0;", "x\u{FFFD}"),
    ])
    func aPluginThatDoesNotStartIsAnError(start: String, reason: String) throws {
        let library = try library(
            ".version = 1, " + whole.replacing(".start = start", with: ".start = begin"),
            """
            static int table_;
            static const uint8_t x[] = "x\\xFF";
            static const weir_field field = {TEXT("a"), 1, 0};
            static void *begin(const weir_setting *s, size_t n, const weir_host *h)
                { (void)s; (void)n; (void)h; (void)x; (void)field; (void)table_; \(start) }

            """
        )
        defer { library.remove() }
        let plugin = try LoadedPlugin(path: library.path)
        let error = #expect(throws: PluginError.self) { try PluginRun(plugin, csv: "a\n1\n") }
        #expect(error == .cannotStart(reason: reason))
    }

    /// What a plugin tells during a call is not trusted further than its memory.
    @Test func whatAPluginTellsIsChecked() throws {
        let library = try library(
            ".version = 1, "
                + whole.replacing(".start = start", with: ".start = begin")
                .replacing(".receive = receive", with: ".receive = tell")
                .replacing(".demo = demo", with: ".demo = offer")
                + ", .partition_field = name, .graph = draw, .partial_matches = held",
            """
            static int instance;
            static const uint8_t lines[] = "{}\\n{\\xFF}", why[] = "so";
            static const weir_field field = {TEXT("a"), 1, 0};
            static void *begin(const weir_setting *s, size_t n, const weir_host *h)
                { (void)s; (void)n; h->take_schema(h->context, &field, 1, 1000000); return &instance; }
            static uint32_t tell(void *i, const weir_batch *b, const weir_host *h) {
                (void)i; (void)b;
                h->take_lines(h->context, (weir_text){lines, sizeof lines - 1}, 77);
                h->take_lines(h->context, (weir_text){0, 9}, 1);
                h->take_lines(h->context, (weir_text){lines, (size_t)-1}, 1);
                h->take_lines(h->context, (weir_text){lines, 0}, 1);
                h->reject(h->context, 2, 4000000000u, 4000000000u, (weir_text){why, 2});
                h->reject(h->context, 2, 0, 4000000000u, (weir_text){0, 2});
                h->take_count(h->context, (size_t)-5, (weir_text){why, 2}, 3);
                h->take_count(h->context, 9, (weir_text){why, 2}, 3);
                h->take_count(h->context, 0, (weir_text){why, 2}, 3);
                h->take_count(h->context, 1, (weir_text){why, 1}, UINT64_MAX);
                return 1;
            }
            static void offer(uint64_t s, const weir_host *h) { (void)s; h->take_bytes(h->context, (weir_text){0, 3}); }
            static void name(const weir_setting *s, size_t n, const weir_host *h)
                { (void)s; (void)n; h->take_bytes(h->context, (weir_text){lines, (size_t)-9}); }
            static uint64_t held(void *i) { (void)i; return UINT64_MAX - 1; }
            static const uint32_t sources[] = {7};
            static const weir_node node = {TEXT("n"), sources, 1, 1, 0};
            static void draw(const weir_setting *s, size_t n, const weir_host *h)
                { (void)s; (void)n; h->take_node(h->context, &node); }

            """
        )
        defer { library.remove() }
        let plugin = try LoadedPlugin(path: library.path)
        let run = try PluginRun(plugin, csv: "a\n1\n")
        #expect(run.lines == ["{}", "{\u{FFFD}}"])
        #expect(run.reasons == ["so", ""])
        #expect(run.counts == ["so": 3, "s": 1 << 48])
        #expect(run.partialMatches == 1 << 48)
        let options = try OptionValues(plugin.options)
        #expect(plugin.partitionField(options) == nil)
        // Its only operator comes after one that there is not.
        #expect(plugin.graph(options).nodes.map(\.label) == ["records", "x", "matches"])
        _ = plugin.makeDemo(seed: 1)
    }

    @Test(arguments: [
        (#"{.name = TEXT("a"), .kind = 77}"#, "its option 'a' is of no known kind"),
        (#"{.name = TEXT("a"), .kind = 2, .least = 3, .most = 2}"#, "its option 'a' is of no known kind"),
        (
            #"{.name = TEXT("a"), .kind = 1, .has_default = 1, .default_text = TEXT("x")}"#,
            "the default of its option cannot be read: --a: 'x' is not a duration; write 250ms, 5m or 1h30m"
        ),
        (#"{.name = TEXT("a"), .kind = 1}, {.name = TEXT("a"), .kind = 1}"#, "it declares --a twice"),
    ])
    func optionsMustMakeSense(options: String, reason: String) throws {
        let count = options.count(of: ".name")
        let library = try library(
            ".version = 1, .options = options, .option_count = \(count), " + whole,
            "static const weir_option options[] = {\(options)};\n"
        )
        #expect(complaint(library) == "'LIB' cannot be used as a plugin: " + reason)
    }

    @Test func aPluginThatDoesNotStartSaysWhy() throws {
        let library = try library(".version = 1, " + whole)
        defer { library.remove() }
        let plugin = try LoadedPlugin(path: library.path)
        let error = #expect(throws: PluginError.self) { try PluginRun(plugin, csv: "a\n1\n") }
        #expect(error == .invalidOption(name: "x", reason: "no luck"))
    }

    @Test(arguments: [
        ["quiet-period": "0"], ["by": "who", "max-groups": "1"], ["unit": "mg", "threshold": "0.001"],
    ])
    func aLoadedPluginDoesWhatTheLinkedOneDoes(options: [String: String]) throws {
        let path = Library.builtFolder.appendingPathComponent("libWeirShakePlugin.so").path
        try #require(FileManager.default.fileExists(atPath: path), "'swift build' makes \(path)")
        let loaded = try LoadedPlugin(path: path)
        let linked = ShakePlugin()
        #expect(loaded.name == linked.name)
        #expect(loaded.summary == linked.summary)
        #expect(loaded.options.map(\.kind) == linked.options.map(\.kind))
        #expect(loaded.options.map(\.defaultText) == linked.options.map(\.defaultText))
        #expect(loaded.examples.map(\.arguments) == linked.examples.map(\.arguments))

        var csv = "who,time,x,y,z\n"
        for row in 0..<2_000 {
            csv += row % 97 == 0 ? "a,oops,1,2,3\n" : "\(row % 2 == 0 ? "a" : "b"),\(row),\(row % 7),\(row % 3),\"1\"\n"
        }
        let (one, other) = (try PluginRun(linked, options, csv: csv), try PluginRun(loaded, options, csv: csv))
        #expect(one.lines == other.lines)
        #expect(!one.lines.isEmpty)
        #expect(one.rejections == other.rejections)
        #expect(one.reasons == other.reasons)
        #expect(!one.rejections.isEmpty)

        let demos = (
            try PluginRun(linked, source: linked.makeDemo(seed: 3)),
            try PluginRun(loaded, source: loaded.makeDemo(seed: 3))
        )
        #expect(demos.0.lines == demos.1.lines)
        let (mine, theirs) = (
            try OptionValues(linked.options, given: options), try OptionValues(loaded.options, given: options)
        )
        #expect(loaded.partitionField(theirs) == linked.partitionField(mine))
        #expect(loaded.graph(theirs) == linked.graph(mine))
    }

    @Test(arguments: ["Fraud", "Walk", "Sentiment"])
    func theOtherBuiltInPluginsLoadToo(name: String) throws {
        let path = Library.builtFolder.appendingPathComponent("libWeir\(name)Plugin.so").path
        let plugin = try LoadedPlugin(path: path)
        #expect(plugin.name == name.lowercased())
        let run = try PluginRun(plugin, source: plugin.makeDemo(seed: 1))
        #expect(!run.lines.isEmpty)
        #expect(run.rejections.isEmpty)
        if name == "Walk" { #expect(run.counts.values.contains { $0 > 0 }) }
    }

    @Test func aLoadedPluginCanEndTheRun() throws {
        let path = Library.builtFolder.appendingPathComponent("libWeirSentimentPlugin.so").path
        let plugin = try LoadedPlugin(path: path)
        let output = MatchOutput()
        let consumer = try plugin.start(OptionValues(plugin.options, given: ["take": "3"]), output: output)
        var reader = RecordReader(plugin.makeDemo(seed: 1), format: CSVFormat(), schema: consumer.schema)
        var batches = 0
        while !output.isFinished, try reader.next({ consumer.receive(&$0) }) { batches += 1 }
        #expect(batches == 1)
        #expect(output.count == 3)
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
