import Foundation
import Testing

extension HostTests {
    /// `weir create plugin`, and libraries as plugins; the continuous integration builds and tests what is written.
    @Suite struct CreateTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        @Test func writesAPackage() throws {
            let outcome = try weir.run("create", "plugin", "hot-spots")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("weir run .build/release/libHotSpotsPlugin.so --from demo"))
            #expect(try weir.text(of: "hot-spots/Package.swift").contains(#"name: "hot-spots""#))
            #expect(
                try weir.text(of: "hot-spots/Sources/HotSpots/HotSpotsPlugin.swift").contains(#"name = "hot-spots""#)
            )
            let again = try weir.run("create", "plugin", "hot-spots")
            #expect(again.exitCode == 73)
            #expect(
                again.errors == "weir: there is something called 'hot-spots' already; remove it, or take another name\n"
            )
        }

        @Test(arguments: [
            (["create"], "weir can create a plugin: 'weir create plugin NAME'"),
            (["create", "plugin"], "name the plugin: 'weir create plugin NAME', such as 'hot-spots'"),
            (["create", "plugin", "a", "b"], "name the plugin: 'weir create plugin NAME', such as 'hot-spots'"),
            (["create", "plugin", "x", "--weir", "/nowhere"], "--weir: there is no package of Weir in '/nowhere'"),
        ])
        func wrongLinesAreExplained(arguments: [String], complaint: String) throws {
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors == "weir: \(complaint)\n")
        }

        @Test(arguments: ["swift", "any", "self", "testing", "foundation", "weir", "weir-core"])
        func namesOfOtherModulesAreRefused(name: String) throws {
            let outcome = try weir.run("create", "plugin", name)
            #expect(outcome.exitCode == 2)
            #expect(
                outcome.errors
                    == "weir: '\(name)' would collide with a module or a package that plugins need; take another name\n"
            )
        }

        @Test(arguments: [
            "Hot", "1hot", "hot--spots", "-hot", "höt", "hot_spots", "../hot", "hot/spots", "/hot", "hot.so", "hot-",
            "hot spots", "",
        ])
        func namesAreChecked(name: String) throws {
            #expect(try weir.run("create", "plugin", "--", name).exitCode == 2)
        }

        @Test func runsALibrary() throws {
            let library =
                URL(fileURLWithPath: try WeirProcess.program).deletingLastPathComponent().path
                + "/libWeirShakePlugin.so"
            let loaded = try weir.run("run", library, "--from", "demo")
            #expect(loaded.exitCode == 0)
            #expect(try loaded.output == weir.run("run", "shake", "--from", "demo").output)
            let help = try weir.run("run", library, "--help")
            #expect(help.output.contains("--threshold"))
        }

        @Test func aLibraryThatCannotBeLoadedIsOneLine() throws {
            try weir.file("x.so", "no library")
            let outcome = try weir.run("run", "x.so")
            #expect(outcome.exitCode == 69)
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors == "weir: cannot load 'x.so': it is no library\n")
            let folder = try weir.run("run", "./")
            #expect(folder.exitCode == 69)
            #expect(folder.errors == "weir: cannot load './': it is a folder\n")
        }

        /// A library that crashes takes the process with it; what came of the batches before was written.
        @Test func aPluginThatCrashesCostsNoEarlierMatch() throws {
            try weir.file("crash.c", Self.crash)
            let compiler = Process()
            compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let headers = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Core/CWeirPlugin/include").path
            compiler.arguments = ["clang", "-shared", "-fPIC", "-I", headers, "-o", "crash.so", "crash.c"]
            compiler.currentDirectoryURL = URL(fileURLWithPath: weir.folder)
            try compiler.run()
            compiler.waitUntilExit()
            try #require(compiler.terminationStatus == 0)

            let input = Pipe()
            let output = Pipe()
            let run = try weir.start(
                ["run", "shake", "./crash.so", "--quiet-period", "0"],
                input: .pipe(input),
                output: output.fileHandleForWriting
            )
            try output.fileHandleForWriting.close()
            var arrivals = Arrivals(output)
            try input.fileHandleForWriting.write(contentsOf: Data(jerk.utf8))
            let matchArrived = arrivals.wait(for: #""plugin":"shake""#)
            #expect(matchArrived)
            try input.fileHandleForWriting.write(contentsOf: Data("666,0,0,1\n".utf8))
            arrivals.waitForEnd()
            #expect(try run.outcome().exitCode < 0)
            #expect(arrivals.text.hasSuffix("\n"))
            #expect(arrivals.text.split(separator: "\n").count == 1)
            try input.fileHandleForWriting.close()
        }

        /// A plugin that breaks when it sees the time 666.
        private static let crash = """
            #include "weir_plugin.h"
            #include <string.h>
            #define TEXT(t) {(const uint8_t *)t, sizeof t - 1}
            static int instance;
            static const weir_field field = {TEXT("time"), 1, 1};
            static void *start(const weir_setting *s, size_t n, const weir_host *h)
                { (void)s; (void)n; h->take_schema(h->context, &field, 1, 1000000); return &instance; }
            static uint32_t receive(void *i, const weir_batch *b, const weir_host *h) {
                (void)i; (void)h;
                for (size_t row = 0; row < b->count; row++)
                    if (memcmp(b->bytes + b->slots[row].start, "666", 3) == 0) __builtin_trap();
                return 1;
            }
            static void finish(void *i, weir_text f, const weir_host *h) { (void)i; (void)f; (void)h; }
            static void release(void *i) { (void)i; }
            static void demo(uint64_t s, const weir_host *h) { (void)s; (void)h; }
            static const weir_plugin table = {.version = 1, .size = sizeof table, .name = TEXT("crash"), .start = start,
                .receive = receive, .finish = finish, .release = release, .demo = demo};
            const weir_plugin *weir_plugin_entry(uint32_t v) { (void)v; return &table; }

            """
    }
}
