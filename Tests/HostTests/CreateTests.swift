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

        @Test(arguments: ["Hot", "1hot", "hot--spots", "-hot", "höt", "hot_spots", "../hot", ""])
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
            #expect(outcome.errors.hasPrefix("weir: cannot load 'x.so': "))
        }
    }
}
