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
            // The program that was not installed is called by its path.
            let program = URL(fileURLWithPath: try WeirProcess.program).resolvingSymlinksInPath().path
            #expect(outcome.errors.contains("  \(program) run .build/release/libHotSpotsPlugin.so --from demo\n"))
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

        @Test(arguments: [("a", "A"), ("my-plugin-2", "MyPlugin2"), ("x9-8-z", "X98Z")])
        func partsOfANameMayBeNumbers(name: String, type: String) throws {
            let outcome = try weir.run("create", "plugin", name)
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(try weir.text(of: "\(name)/Sources/\(type)/\(type)Plugin.swift").contains("struct \(type)Plugin"))
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

        /// What a library counts is told at the end, and what it hands over is written or counted, whatever it is.
        @Test func aLibrarySaysWhatItCountsAndWritesWhatItLikes() throws {
            let body = """
                const weir_text lines = TEXT("{\\"a\\":1}\\nno object\\n[2]\\n");
                h->take_lines(h->context, lines, 3);
                const weir_text name = TEXT("records were counted by the library");
                h->take_count(h->context, 0, name, b->count);
                """
            _ = try weir.library("odd.so", WeirProcess.plugin("odd", receiving: body))
            try weir.file("in.csv", "time\n1\n2\n3\n")
            let plain = try weir.run("run", "./odd.so", "in.csv")
            #expect(plain.output == "{\"a\":1}\nno object\n[2]\n")
            #expect(plain.errors.hasPrefix("weir: 3 records were counted by the library\n"), "\(plain.errors)")
            for (style, output) in [("csv", "a\n1\n"), ("template:{a}", "1\n")] {
                let outcome = try weir.run("run", "./odd.so", "in.csv", "--output", style)
                #expect(outcome.output == output)
                #expect(
                    outcome.errors.contains(
                        "weir: 2 matches are no JSON objects and could not be written in this style; "
                            + "--output json keeps them\n"
                    ),
                    "\(outcome.errors)"
                )
            }
            let pretty = try weir.run("run", "./odd.so", "in.csv", "--output", "pretty")
            #expect(pretty.output == "{\n  \"a\": 1\n}\nno object\n[2]\n")
        }

        /// A library that crashes takes the process with it; what came of the batches before was written.
        @Test func aPluginThatCrashesCostsNoEarlierMatch() throws {
            let body = """
                for (size_t row = 0; row < b->count; row++)
                    if (memcmp(b->bytes + b->slots[row].start, "666", 3) == 0) __builtin_trap();
                """
            _ = try weir.library("crash.so", WeirProcess.plugin("crash", receiving: body))
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
    }
}
