import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// What opening an output would destroy.
    @Suite struct OverwritingTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
            try weir.file("a.csv", jerk)
        }

        @Test(arguments: [
            ["--to", "new", "--to", "./new"], ["--to", "new", "--rejected", "./new"],
            ["--rejected", "new", "--report", "./new"], ["--to", "new", "--metrics", "./new"],
            ["--metrics", "a.csv"], ["--metrics", "./new", "--rejected", "file:new"],
        ])
        func aFileIsWrittenOnce(options: [String]) throws {
            for command in ["run", "validate"] {
                let outcome = try weir.start([command, "shake", "a.csv"] + options, input: .nothing).outcome()
                #expect(outcome.exitCode == 2, "\(command) \(options)")
                #expect(outcome.errorLines.count == 1)
            }
            #expect(try weir.text(of: "a.csv") == jerk)
            #expect(!FileManager.default.fileExists(atPath: weir.folder + "/new"))
        }

        @Test(arguments: [
            (
                #""a": {"plugin": "shake", "from": "demo", "to": "f"}, "b": {"plugin": "shake", "from": "demo", "to": "./f"}"#,
                "1:116: './f' is an output of the pipeline 'a' already; write to another file"
            ),
            (
                #""a": {"plugin": "shake", "from": "a.csv"}, "b": {"plugin": "shake", "from": "demo", "rejected": "./a.csv"}"#,
                "1:49: 'a.csv' is an output of the pipeline 'b', which would empty it; read another file"
            ),
            (
                #""a": {"plugin": "shake", "from": "a.csv", "to": "./c.json"}"#,
                "1:64: './c.json' is this configuration, which would be overwritten; write to another file"
            ),
            (
                #""a": {"plugin": "shake", "from": "stdin"}, "b": {"plugin": "shake", "from": "/dev/stdin", "to": "f"}"#,
                "1:92: '/dev/stdin' is read by the pipeline 'a' already, and can be read once"
            ),
        ])
        func aPipelineLeavesTheFilesOfOthersAlone(pipelines: String, message: String) throws {
            try weir.file("c.json", "{\"pipelines\": {\(pipelines)}}")
            for command in ["run", "validate"] {
                let outcome = try weir.run(command, "--config", "c.json")
                #expect(outcome.exitCode == 78)
                #expect(outcome.errors == "weir: c.json:\(message)\n")
            }
            #expect(try weir.text(of: "a.csv") == jerk)
            #expect(!FileManager.default.fileExists(atPath: weir.folder + "/f"))
        }

        @Test func pipelinesMayWriteToTheSameDevice() throws {
            let pipelines = ["a", "b"].map { #""\#($0)": {"plugin": "shake", "from": "demo", "to": "/dev/null"}"# }
            try weir.file("c.json", "{\"pipelines\": {\(pipelines.joined(separator: ","))}}")
            #expect(try weir.run("run", "--config", "c.json").exitCode == 0)
            let precious = try weir.run("run", "--config", "c.json", "--metrics", "c.json")
            #expect(precious.exitCode == 2)
            #expect(try weir.text(of: "c.json").hasPrefix("{\"pipelines\""))
        }

        @Test func theFilesOfPluginsAreNotOverwritten() throws {
            try weir.file("words", "good\t3\n")
            try weir.file("posts.jsonl", #"{"created_at":1,"text":"apple"}"#)
            for option in ["--to", "--rejected", "--report"] {
                let outcome = try weir.run(
                    "run",
                    "sentiment",
                    "posts.jsonl",
                    "--lexicon",
                    "words",
                    option,
                    "./words"
                )
                #expect(outcome.exitCode == 2)
                #expect(
                    outcome.errors
                        == "weir: \(option): './words' is the file of --lexicon, which would be overwritten; "
                        + "write to another file\n"
                )
                #expect(try weir.text(of: "words") == "good\t3\n")
            }
            try FileManager.default.copyItem(
                atPath: URL(fileURLWithPath: try WeirProcess.program).deletingLastPathComponent().path
                    + "/libWeirShakePlugin.so",
                toPath: weir.folder + "/shake.so"
            )
            let library = try weir.run("run", "one=./shake.so", "a.csv", "--to", "shake.so")
            #expect(library.exitCode == 2)
            #expect(library.errors.contains("'shake.so' is the file of the plugin"), "\(library.errors)")
        }

        @Test func allMayGoToTheNullDevice() throws {
            let outcome = try weir.run(
                "run",
                "shake",
                "a.csv",
                "--to",
                "/dev/null",
                "--rejected",
                "/dev/null",
                "--report",
                "/dev/null"
            )
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(try weir.run("report", "shake", "a.csv", "--to", "/dev/null").exitCode == 0)
        }

        @Test func aPipeIsReadOnce() throws {
            #expect(unsafe mkfifo(weir.folder + "/in", 0o600) == 0)
            let outcome = try weir.run("run", "shake", "in", "./in")
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors == "weir: --from: './in' is given twice; it can be read once\n")
        }

        @Test func metricsReplaceOnlyFiles() throws {
            #expect(unsafe mkfifo(weir.folder + "/m", 0o600) == 0)
            for command in ["run", "validate"] {
                let outcome = try weir.run(command, "shake", "a.csv", "--metrics", "m")
                #expect(outcome.exitCode == 73)
                #expect(outcome.errors == "weir: --metrics: cannot open 'm': it is not a regular file\n")
            }
        }

        @Test func validationOpensWhatPeopleLookAtToo() throws {
            for option in ["--metrics", "--control"] {
                let outcome = try weir.run("validate", "shake", "a.csv", option, "nowhere/x")
                #expect(outcome.exitCode == 73)
                #expect(outcome.errorLines.count == 1)
                #expect(try weir.run("validate", "shake", "a.csv", option, "x").exitCode == 0)
                #expect(!FileManager.default.fileExists(atPath: weir.folder + "/x"))
            }
        }

        @Test func validationKeepsARecording() throws {
            #expect(try weir.run("record", "a.csv", "old.rec").exitCode == 0)
            let before = try weir.contents(of: "old.rec")
            for option in ["--to", "--rejected", "--report"] {
                let outcome = try weir.run("validate", "shake", "a.csv", option, "recording:old.rec")
                #expect(outcome.exitCode == 0)
                #expect(try weir.contents(of: "old.rec") == before)
            }
            #expect(try weir.run("validate", "shake", "a.csv", "--to", "recording:new.rec").exitCode == 0)
            #expect(!FileManager.default.fileExists(atPath: weir.folder + "/new.rec"))
        }
    }
}
