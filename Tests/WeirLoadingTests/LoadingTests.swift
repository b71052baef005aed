import Foundation
import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirLoading
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
                .hasPrefix("'LIB' cannot be used as a plugin: its table has 8 bytes, not ") == true
        )
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
    }

    @Test(arguments: ["Walk", "Sentiment"])
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
