import Foundation
import Testing

extension HostTests {
    @Suite struct RunTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        @Test func runsTheDemo() throws {
            let outcome = try weir.run("run", "shake", "--from", "demo")
            #expect(outcome.exitCode == 0)
            #expect(outcome.output.split(separator: "\n").count >= 1)
            #expect(outcome.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
            #expect(outcome.errors.hasPrefix("weir: 1,000 events read, 0 rejected, "))
            #expect(outcome.errorLines.count == 1)
        }

        @Test func theSeedDecidesTheDemo() throws {
            let one = try weir.run("run", "shake", "--from", "demo")
            #expect(try weir.run("run", "shake", "--from", "demo", "--seed", "1").output == one.output)
            #expect(try weir.run("run", "shake", "--from", "demo", "--seed", "2").output != one.output)
        }

        @Test func readsFilesAndStandardInputAlike() throws {
            try weir.file("a.csv", jerk)
            let outcomes = [
                try weir.run("run", "shake", "a.csv"), try weir.run("run", "shake", "--from", "file:a.csv"),
                try weir.run("run", "shake", "file:a.csv"), try weir.run("run", "shake", input: .file("a.csv")),
                try weir.run("run", "shake", "--from", "stdin", input: .text(jerk)),
                try weir.run("run", "shake", "-", input: .text(jerk)),
            ]
            for outcome in outcomes {
                #expect(outcome.exitCode == 0)
                #expect(outcome.output == jerkMatch)
                #expect(outcome.errors.hasPrefix("weir: 2 events read, 0 rejected, 1 match in "))
            }
        }

        @Test(arguments: ["a.jsonl", "a.ndjson", "A.JSONL", "jsonl:a.txt"])
        func knowsTheFormatByTheEndingOrTheOption(name: String) throws {
            let lines = #"{"time":0,"x":0,"y":0,"z":1}"# + "\n" + #"{"time":20,"x":2,"y":0,"z":1}"# + "\n"
            let parts = name.split(separator: ":").map(String.init)
            let file = try weir.file(parts[parts.count - 1], lines)
            let outcome =
                parts.count == 1
                ? try weir.run("run", "shake", file) : try weir.run("run", "shake", file, "--format", parts[0])
            #expect(outcome.output == jerkMatch)
        }

        @Test func writesMatchesToAFile() throws {
            try weir.file("out.jsonl", "what was there before, which is longer than what comes" + jerkMatch)
            let outcome = try weir.run("run", "shake", "--to", "file:out.jsonl", input: .text(jerk))
            #expect(outcome.output == "")
            #expect(try weir.text(of: "out.jsonl") == jerkMatch)
        }

        @Test func saysWhyTheInputCannotBeOpened() throws {
            let missing = try weir.run("run", "shake", "missing.csv")
            #expect(missing.exitCode == 66)
            #expect(missing.errors == "weir: cannot open 'missing.csv': no such file or directory\n")
            let meant = try weir.run("run", "shake", "--from", "demp")
            #expect(meant.exitCode == 66)
            #expect(meant.errors == "weir: cannot open 'demp': no such file or directory; did you mean 'demo'?\n")
            let directory = try weir.run("run", "shake", weir.folder)
            #expect(directory.exitCode == 66)
            #expect(directory.errors == "weir: cannot open '\(weir.folder)': is a directory\n")
            let redirected = try weir.run("run", "shake", input: .handle(try directoryHandle()))
            #expect(redirected.exitCode == 66)
            #expect(redirected.errors == "weir: cannot open 'stdin': is a directory\n")
        }

        private func directoryHandle() throws -> FileHandle {
            let descriptor = unsafe open(weir.folder, O_RDONLY)
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }

        @Test func saysWhichFieldsTheHeaderLacks() throws {
            try weir.file("a.csv", "t_ms,x,y\n0,1,2\n")
            let outcome = try weir.run("run", "shake", "a.csv", "--columns", "x=acc_x")
            #expect(outcome.exitCode == 66)
            #expect(
                outcome.errors
                    == "weir: 'a.csv' cannot be read as csv: the input has no field 'time', 'acc_x', 'z'; its header has "
                    + "'t_ms', 'x', 'y'; say which to read with --columns time=NAME\n"
            )
        }

        @Test func saysWhichOptionNamesAFieldThatThereIsNot() throws {
            try weir.file("a.csv", jerk)
            let outcome = try weir.run("run", "shake", "a.csv", "--by", "device")
            #expect(outcome.exitCode == 66)
            #expect(outcome.errors.hasSuffix("; say which to read with --by NAME\n"))
        }

        @Test func readsJSONThatIsPipedIn() throws {
            for text in [#"{"time":0,"x":0,"y":0,"z":1}"#, #"[ {"time":0,"x":0,"y":0,"z":1}]"#, "{}\n{}\n"] {
                let outcome = try weir.run("run", "shake", input: .text(text))
                #expect(
                    outcome.errors.contains(text == "{}\n{}\n" ? "2 rejected" : "1 event read"),
                    "\(outcome.errors)"
                )
            }
            let table = try weir.run("run", "shake", "--header", "1", input: .text(#"{"time":0,"x":0,"y":0,"z":1}"#))
            #expect(table.exitCode == 66)
        }

        @Test func suggestsTheFormatThatItMayBe() throws {
            let outcome = try weir.run("run", "shake", input: .text(#"<"time":0,"x":0,"y":0,"z":1>"#))
            #expect(outcome.exitCode == 66)
            #expect(outcome.errors.contains("; --format says how it is written, and 'weir guess' finds out"))
        }

        @Test func saysWhyAnOutputCannotBeOpenedBeforeItReads() throws {
            for option in ["--to", "--rejected"] {
                let outcome = try weir.run("run", "shake", option, "nowhere/a", input: .text(jerk))
                #expect(outcome.exitCode == 73)
                #expect(outcome.output == "")
                #expect(outcome.errors == "weir: cannot open 'nowhere/a': no such file or directory\n")
            }
        }

        @Test func doesNotOverwriteWhatItReads() throws {
            try weir.file("a.csv", jerk)
            for arguments in [
                ["--to", "a.csv"], ["--rejected", "a.csv"], ["--to", "b", "--rejected", "b"], ["--rejected", "stdout"],
            ] {
                let outcome = try weir.start(["run", "shake", "a.csv"] + arguments, input: .nothing).outcome()
                #expect(outcome.exitCode == 2)
                #expect(try weir.text(of: "a.csv") == jerk)
            }
            let redirected = try weir.run("run", "shake", "--to", "a.csv", input: .file("a.csv"))
            #expect(redirected.exitCode == 2)
            #expect(try weir.text(of: "a.csv") == jerk)
        }

        #if os(Linux)
            @Test func saysThatAnOutputIsFull() throws {
                let matches = try weir.run("run", "shake", "--to", "/dev/full", input: .text(jerk))
                #expect(matches.exitCode == 74)
                #expect(matches.errors.hasPrefix("weir: cannot write to '/dev/full': no space left on device\n"))
                let rejected = try weir.run("run", "shake", "--rejected", "/dev/full", input: .text(jerk + "bad\n"))
                #expect(rejected.exitCode == 74)
                #expect(rejected.errors.contains("weir: cannot write to '/dev/full': no space left on device\n"))
            }
        #endif

        @Test func stopsQuietlyWhenNobodyReadsTheMatches() throws {
            let pipe = Pipe()
            let outcome = try run(writingTo: pipe.fileHandleForWriting) {
                try pipe.fileHandleForReading.close()
            }
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors == "")
        }

        private func run(writingTo output: FileHandle, before body: () throws -> Void) throws -> Outcome {
            try body()
            return try weir.start(["run", "shake", "--from", "demo"], input: .nothing, output: output).outcome()
        }

        @Test(arguments: ["--help", "--version"])
        func helpIsQuietToo(argument: String) throws {
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            let outcome = try weir.start([argument], input: .nothing, output: pipe.fileHandleForWriting).outcome()
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors == "")
        }

        @Test func neverTakesAFileForAClosedStream() throws {
            // A shell closes standard output; the rejected lines must not become the place of the matches.
            let program = try WeirProcess.program
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.currentDirectoryURL = URL(fileURLWithPath: weir.folder)
            process.arguments = [
                "-c", "\"$0\" run shake --rejected kept --from demo >&- 2>errors; echo $? > code", program,
            ]
            try process.run()
            process.waitUntilExit()
            #expect(try weir.text(of: "code") == "73\n")
            #expect(try weir.text(of: "errors") == "weir: cannot open 'stdout': it is not open for writing\n")
        }
    }
}
