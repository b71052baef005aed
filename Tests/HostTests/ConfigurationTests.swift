import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// Pipelines of a configuration file.
    @Suite struct ConfigurationTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        @Test func eachPipelineRunsOnItsOwn() throws {
            try weir.file("a.csv", jerk)
            try weir.file(
                "c.json",
                """
                {"pipelines": {
                  "missing": {"plugin": "shake", "from": "nowhere.csv", "restarts": 1},
                  "demo": {"plugin": "shake", "from": "demo", "to": "demo.jsonl"},
                  "two": {"plugins": ["shake", "calm=shake"], "from": "a.csv", "quiet-period": 0, "calm.threshold": 9,
                          "columns": {"x": "x"}, "to": ["one.jsonl", "stdout"], "strict": true}
                }}
                """
            )
            let outcome = try weir.run("run", "--config", "c.json")
            #expect(outcome.exitCode == 66)
            #expect(try weir.text(of: "demo.jsonl").split(separator: "\n").count == 3)
            #expect(outcome.output.hasPrefix(#"{"plugin":"shake","time":20"#))
            #expect(try weir.text(of: "one.jsonl") == outcome.output)
            let missing = outcome.errorLines.filter { $0.hasPrefix("weir: [missing] ") }
            #expect(
                missing == [
                    "weir: [missing] cannot open 'nowhere.csv': no such file or directory",
                    "weir: [missing] starts again in 0.100 s (1 of 1)",
                    "weir: [missing] cannot open 'nowhere.csv': no such file or directory",
                ]
            )
        }

        @Test(arguments: [
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": "demo", "treshold": 2}}}"#,
                "1:57: there is no option 'treshold'; did you mean 'threshold'?"
            ),
            (
                "{\n  \"pipelines\": {\n    \"a\": {\"plugin\": \"shak\", \"from\": \"demo\"}}}",
                "3:21: there is no plugin 'shak'; did you mean 'shake'?"
            ),
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": "demo", "threshold": "big"}}}"#,
                "1:70: threshold: 'big' is not a number (in g, such as 1.5)"
            ),
            (#"{"pipelines": {"a": {"plugin": "shake", "from": "demo", "threshold": }}}"#, "1:70: a value is missing"),
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": "demo",}}}"#,
                "1:56: a comma stands before the '}'; remove it"
            ),
            (#"{"pipelines": {"a": {"plugin": "shake"}}}"#, "1:16: the pipeline 'a' needs an input, 'from'"),
            (
                #"{"pipelines": {"a": {"plugn": "shake", "from": "demo"}}}"#,
                "1:22: there is no 'plugn'; did you mean 'plugin'?"
            ),
            (#"{"pipeline": {}}"#, "1:2: there is no 'pipeline'; did you mean 'pipelines'?"),
            (#"{"pipelines": {"a": 1, "a": 2}}"#, "1:24: 'a' is given twice"),
            (
                "{\n \"pipelines\": {\"a\": {\"plugin\": \"shake\", \"from\": \"demo\", \"strict\": 1}}}",
                "2:67: 'strict' is true or false, not a number"
            ),
            (
                #"{"pipelines": {"ä": {"plugin": "shake", "from": "demo", "to": "f"}, "b": {"plugin": "shake", "from": "demo", "to": "f"}}}"#,
                "1:116: 'f' is an output of the pipeline 'ä' already; write to another file"
            ),
            ("", "1:1: a value is missing at the end of the file"),
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": "demo", "threshold": 01}}}"#,
                "1:70: '01' is no value; a text stands in double quotes"
            ),
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": "demo", "columns": {"x": "a,y=b"}}}}"#,
                "1:74: 'x=a,y=b' has a comma, or the end of a line, in it"
            ),
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": {"a": "b"}}}}"#,
                "1:49: 'from' cannot be an object"
            ),
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": "a\r\nb"}}}"#,
                "1:49: 'from' needs a value"
            ),
            (
                #"{"pipelines": {"a": {"plugin": "shake", "from": "demo", "by": "\ud800"}}}"#,
                "1:64: a surrogate stands alone"
            ),
        ])
        func mistakesHaveAPlaceAndASuggestion(text: String, message: String) throws {
            try weir.file("c.json", text)
            for command in ["run", "validate"] {
                let outcome = try weir.run(command, "--config", "c.json")
                #expect(outcome.exitCode == 78)
                #expect(
                    outcome.errors == "weir: c.json:\(message)\n" || outcome.errors == "weir: [a] c.json:\(message)\n"
                )
            }
        }

        /// The example of the help can be used as it is.
        @Test func theExampleOfTheHelpRuns() throws {
            let help = try weir.run("help", "config")
            #expect(help.exitCode == 0)
            for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
            let start = try #require(lines.firstIndex(of: "  {"))
            let end = try #require(lines.firstIndex(of: "  }"))
            try weir.file("pipelines.json", lines[start...end].joined(separator: "\n"))
            try weir.file("readings.csv", jerk.replacing("time", with: "t_ms") + "bad\n")
            for name in ["day-1.csv", "day-2.csv"] { try weir.file(name, jerk) }
            let validated = try weir.run("validate", "--config", "pipelines.json")
            #expect(validated.exitCode == 0, "\(validated.errors)")
            let outcome = try weir.run("run", "--config", "pipelines.json")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(outcome.output == jerkMatch)
            #expect(try weir.text(of: "shakes.jsonl") == jerkMatch)
            #expect(try weir.text(of: "bad-readings.jsonl").contains("bad"))
            #expect(try weir.text(of: "both.jsonl").contains(#""plugin":"mild""#))
        }

        @Test(arguments: [
            (#"{"pipelines": {}} / x"#, "1:19: something follows the end"),
            (#"{"pipelines": /* x */ {}}"#, "1:15: comments begin with '//' and end with their line"),
            ("{\"pipelines\": # x\n {}}", "1:15: comments begin with '//' and end with their line"),
            ("// only this", "1:13: a value is missing at the end of the file"),
            (String(repeating: "//\n", count: 200_000), "200001:1: a value is missing at the end of the file"),
        ])
        func commentsEndWithTheirLine(text: String, message: String) throws {
            try weir.file("c.json", text)
            let outcome = try weir.run("validate", "--config", "c.json")
            #expect(outcome.exitCode == 78)
            #expect(outcome.errors == "weir: c.json:\(message)\n")
        }

        @Test func validationOpensEverythingAndRunsNothing() throws {
            try weir.file("a.csv", jerk)
            try weir.file("kept.jsonl", "old\n")
            let good = try weir.run("validate", "shake", "a.csv", "--to", "kept.jsonl", "--rejected", "new.txt")
            #expect(good.exitCode == 0)
            #expect(good.errors == "weir: valid: shake from a.csv to kept.jsonl\n")
            #expect(try weir.text(of: "kept.jsonl") == "old\n")
            #expect(!FileManager.default.fileExists(atPath: weir.folder + "/new.txt"))
            let unwritable = try weir.run("validate", "shake", "a.csv", "--to", "nowhere/x")
            #expect(unwritable.exitCode == 73)
            let unreadable = try weir.run("validate", "shake", "b.csv")
            #expect(unreadable.exitCode == 66)
        }

        /// Two pipelines read from pipes that are written all the time, while one of them is replaced again and again.
        @Test func reloadingUnderLoadLosesNothingAndLeavesTheOthersAlone() throws {
            func configuration(_ threshold: Double, _ column: String) -> String {
                """
                {"pipelines": {
                  "changed": {"plugin": "shake", "from": "changed.fifo", "to": "changed.jsonl", "quiet-period": 0,
                              "format": "csv", "threshold": \(threshold), "columns": {"x": "\(column)"}},
                  "still": {"plugin": "shake", "from": "still.fifo", "to": "still.jsonl", "quiet-period": 0, "format": "csv"}
                }}
                """
            }
            for name in ["changed", "still"] { #expect(unsafe mkfifo(weir.folder + "/\(name).fifo", 0o600) == 0) }
            try weir.file("c.json", configuration(1, "x"))
            let errors = Pipe()
            let run = try weir.start(
                ["run", "--config", "c.json"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            let changed = try #require(FileHandle(forWritingAtPath: weir.folder + "/changed.fifo"))
            let still = try #require(FileHandle(forWritingAtPath: weir.folder + "/still.fifo"))
            var said = Arrivals(errors)
            var count = 0
            func feed(_ rows: Int) throws {
                let header = count == 0 ? "time,x,y,z,other\n" : ""
                let text = (count..<count + rows).map { "\($0 * 20),\($0 % 2 * 5),0,1,\($0 % 2 * 3)\n" }.joined()
                count += rows
                for pipe in [changed, still] { try pipe.write(contentsOf: Data((header + text).utf8)) }
            }
            try feed(1000)
            for round in 1...8 {
                // Every other round changes the columns, and so what is read of each record.
                let next = configuration(Double(1 + round % 3), round % 2 == 0 ? "x" : "other")
                try weir.file("c.json", next)
                kill(run.process.processIdentifier, SIGHUP)
                for _ in 0..<20 { try feed(97) }
                let hasReloaded = said.wait(for: "again: 'changed' changed")
                #expect(hasReloaded)
                said.forget(through: "again: 'changed' changed")
            }
            try weir.file("c.json", "{")
            kill(run.process.processIdentifier, SIGHUP)
            let wasRefused = said.wait(for: "the configuration stays as it was")
            #expect(wasRefused)
            try feed(500)
            try changed.close()
            try still.close()
            said.waitForEnd()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 0)
            let total = count.formatted(.number.locale(Locale(identifier: "en_US")))
            let summaries = said.text.split(separator: "\n").filter { $0.contains(" events read") }
            #expect(summaries.count == 2)
            for summary in summaries { #expect(summary.contains("] \(total) events read, 0 rejected, "), "\(summary)") }
            // Every pair of readings matches, in one plugin that ran all the time.
            #expect(try weir.text(of: "still.jsonl").split(separator: "\n").count == count - 1)
        }

        @Test func interruptingDrainsAllPipelines() throws {
            #expect(unsafe mkfifo(weir.folder + "/in.fifo", 0o600) == 0)
            try weir.file(
                "c.json",
                """
                {"pipelines": {
                  "one": {"plugin": "shake", "from": "in.fifo", "format": "csv", "to": "one.jsonl"},
                  "two": {"plugin": "shake", "from": "stdin", "format": "csv", "to": "stdout"}
                }}
                """
            )
            let input = Pipe()
            let output = Pipe()
            let run = try weir.start(
                ["run", "--config", "c.json"],
                input: .pipe(input),
                output: output.fileHandleForWriting
            )
            let fifo = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.fifo"))
            try input.fileHandleForWriting.write(contentsOf: Data(jerk.utf8))
            var arrivals = Arrivals(output)
            let matchArrived = arrivals.wait(for: jerkMatch)
            #expect(matchArrived)
            run.process.interrupt()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.errors.contains("weir: [one] interrupted; 0 events read"))
            #expect(outcome.errors.contains("weir: [two] interrupted; 2 events read, 0 rejected, 1 match in "))
            try fifo.close()
        }

        @Test func restartsBackOff() throws {
            try weir.file(
                "c.json",
                #"{"pipelines": {"one": {"plugin": "shake", "from": "nowhere.csv", "restarts": 3}}}"#
            )
            let outcome = try weir.run("run", "--config", "c.json")
            #expect(outcome.exitCode == 66)
            let pauses = outcome.errorLines.filter { $0.contains("starts again") }
            #expect(
                pauses == [
                    "weir: [one] starts again in 0.100 s (1 of 3)", "weir: [one] starts again in 0.200 s (2 of 3)",
                    "weir: [one] starts again in 0.400 s (3 of 3)",
                ]
            )
        }

        #if os(Linux)
            /// Pipelines that wait until the other end of a pipe is opened.
            @Test(arguments: ["in.fifo", "out.fifo"])
            func interruptingEndsTheWaitingForPipes(waited: String) throws {
                try weir.file("a.csv", jerk)
                #expect(unsafe mkfifo(weir.folder + "/" + waited, 0o600) == 0)
                let (from, to) = waited == "in.fifo" ? (waited, "m.jsonl") : ("a.csv", waited)
                try weir.file(
                    "c.json",
                    #"{"pipelines": {"one": {"plugin": "shake", "from": "\#(from)", "format": "csv", "to": "\#(to)"}}}"#
                )
                let alone = ["shake", from, "--format", "csv", "--to", to]
                for arguments in [["--config", "c.json"], alone] {
                    let socket = weir.folder + "/c.sock"
                    let run = try weir.start(["run"] + arguments + ["--control", "c.sock"], input: .nothing)
                    try WeirProcess.eventually("it waits for the pipe") {
                        // Alone, a pipeline opens everything before there is a socket.
                        try arguments == alone
                            ? Self.sleepsAndCatchesInterrupts(run.process.processIdentifier)
                            : FileManager.default.fileExists(atPath: socket)
                    }
                    kill(run.process.processIdentifier, SIGINT)
                    #expect(try run.outcome().exitCode == 130)
                }
            }

            /// Whether a process waits for something, and has said already what it does when it is interrupted.
            private static func sleepsAndCatchesInterrupts(_ process: Int32) throws -> Bool {
                let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
                func value(_ name: String) -> Substring? {
                    status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(separator: "\t").last
                }
                let caught = value("SigCgt").flatMap { UInt64($0, radix: 16) } ?? 0
                return value("State")?.hasPrefix("S") == true && caught & 1 << UInt64(SIGINT - 1) != 0
            }
        #endif
    }
}
