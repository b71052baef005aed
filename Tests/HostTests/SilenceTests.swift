import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// What must not happen without a word.
    @Suite struct SilenceTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
            try weir.file("a.csv", jerk)
        }

        @Test(arguments: ["", "?lines=1"])
        func datagramsThatNobodyTakesAreAFailure(options: String) throws {
            // Below the ports that systems hand out, and the discard service is off everywhere.
            let outcome = try weir.run("run", "shake", "--from", "demo", "--to", "udp://127.0.0.1:9\(options)")
            #expect(outcome.exitCode == 74, "\(outcome.errors)")
            let count = options.isEmpty ? 1 : 3
            #expect(outcome.errors.contains("output: \(count) to send, 0 sent, \(count) dropped (refused)\n"))
            #expect(outcome.errors.contains("messages were lost: \(count) refused"), "\(outcome.errors)")
        }

        // MARK: Outputs

        @Test(arguments: [
            ["--to", "x", "--to", "dl"], ["--to", "dl", "--to", "x"], ["--to", "x", "--rejected", "far"],
            ["--to", "folder/x", "--late", "dl2", "--lateness", "1s"],
        ])
        func aLinkToAFileThatIsNotThereYetIsThatFile(options: [String]) throws {
            try FileManager.default.createDirectory(atPath: weir.folder + "/real", withIntermediateDirectories: true)
            let links = [("x", "dl"), ("./dl", "far"), ("real", "folder"), ("real/x", "dl2"), ("loop", "loop")]
            for (target, link) in links {
                #expect(unsafe symlink(target, weir.folder + "/" + link) == 0)
            }
            for command in ["run", "validate"] {
                let outcome = try weir.start([command, "shake", "a.csv"] + options, input: .nothing).outcome()
                #expect(outcome.exitCode == 2, "\(command) \(options): \(outcome.errors)")
                #expect(outcome.errorLines.count == 1)
            }
            #expect(!FileManager.default.fileExists(atPath: weir.folder + "/x"))
            // Alone it is as good as any other name, for a check too, which leaves it as it is.
            #expect(try weir.run("validate", "shake", "a.csv", "--to", "dl").exitCode == 0)
            #expect(!FileManager.default.fileExists(atPath: weir.folder + "/x"))
            #expect(try weir.run("run", "shake", "a.csv", "--to", "dl").exitCode == 0)
            #expect(try weir.text(of: "x") == jerkMatch)
            #expect(try weir.run("run", "shake", "a.csv", "--to", "loop").exitCode == 73)
        }

        @Test func twoPipelinesDoNotMeetBehindALink() throws {
            #expect(unsafe symlink("x", weir.folder + "/dl") == 0)
            let one = #""plugin": "shake", "from": "demo", "to""#
            try weir.file("c.json", "{\"pipelines\": {\"a\": {\(one): \"x\"}, \"b\": {\(one): \"dl\"}}}")
            let outcome = try weir.run("run", "--config", "c.json")
            #expect(outcome.exitCode == 78)
            #expect(outcome.errors.contains("'dl' is an output of the pipeline 'a' already"), "\(outcome.errors)")
        }

        @Test func aTableOfSomethingElseIsLeftAlone() throws {
            #expect(try weir.run("run", "shake", "--from", "demo", "--to", "m.csv").exitCode == 0)
            let before = try weir.text(of: "m.csv")
            for command in ["fraud", "walk", "sentiment"] {
                let outcome = try weir.run("run", command, "--from", "demo", "--to", "file:m.csv?append=true")
                #expect(outcome.exitCode == 73, "\(outcome.errors)")
                #expect(outcome.errors.contains("'m.csv' is a table of something else: it has 'axis' and lacks "))
                #expect(try weir.text(of: "m.csv") == before)
            }
            #expect(
                try weir.run("run", "shake", "--from", "demo", "--to", "file:m.csv?append=true").exitCode == 0
            )
        }

        @Test func aReportThatIsInterruptedSaysSo() throws {
            let input = Pipe()
            let errors = Pipe()
            let run = try weir.start(
                ["report", "shake", "stdin", "--format", "csv", "--to", "p.html", "--rejected", "r"],
                input: .pipe(input),
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            var said = Arrivals(errors)
            try input.fileHandleForWriting.write(contentsOf: Data((jerk + "nothing\n").utf8))
            let wasRead = said.wait(for: "line 4 rejected")
            #expect(wasRead)
            // The line is whole, though nothing follows it.
            try WeirProcess.eventually("it is kept") { try weir.text(of: "r") == "nothing\n" }
            run.process.interrupt()
            said.waitForEnd()
            try input.fileHandleForWriting.close()
            #expect(try run.outcome().exitCode == 130)
            #expect(said.text.contains("'p.html' covers what was read until the interruption\n"), "\(said.text)")
            let page = try weir.text(of: "p.html")
            #expect(page.contains("interrupted") && page.contains("covers what was read until then"))
            #expect(try weir.run("report", "shake", "a.csv", "--to", "p.html").exitCode == 0)
            #expect(try !weir.text(of: "p.html").contains("interrupted"))
        }

        // MARK: Messages

        @Test(arguments: [
            ([0x1F, 0x8B, 0x08, 0x00] as [UInt8], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD, 0x0A], "zstd"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0x0A], "xz"), (Array("BZh91AY&SY\n".utf8), "bzip2"),
        ])
        func compressedInputIsNamed(bytes: [UInt8], program: String) throws {
            try weir.file("in.csv", bytes + Array("\"a,b\nc\n".utf8))
            try weir.file("in.jsonl", bytes + Array("\"a,b\nc\n".utf8))
            for input in ["in.csv", "in.jsonl"] {
                for command in [["run"], ["validate"]] {
                    let outcome = try weir.start(command + ["shake", input], input: .nothing).outcome()
                    #expect(outcome.exitCode == 66)
                    let message = "'\(input)': what is compressed is damaged or cut off: \(program)"
                    #expect(outcome.errors.contains(message), "\(outcome.errors)")
                }
            }
            let pipe = Pipe()
            let run = try weir.start(["run", "shake"], input: .pipe(pipe))
            try pipe.fileHandleForWriting.write(contentsOf: try weir.contents(of: "in.csv"))
            try pipe.fileHandleForWriting.close()
            let piped = try run.outcome()
            #expect(piped.exitCode == 66 && piped.errors.contains("it is compressed; '\(program) -dc'"))
        }

        @Test func aConfigurationMayBeginWithAMark() throws {
            try weir.file(
                "c.json",
                "\u{FEFF}{\"pipelines\": {\"a\": {\"plugin\": \"shake\", \"from\": \"a.csv\", \"to\": \"m\"}}}"
            )
            #expect(try weir.run("validate", "--config", "c.json").exitCode == 0)
        }

        @Test func anAddressIsToBlameAndNotItsPipeline() throws {
            let start = #"{"pipelines": {"a": {"plugin": "shake", "from": "demo", "to": "#
            for (address, flaw) in [
                ("kafka:topic", "there is no transport 'kafka'"), ("u\\u0000x", "there is a zero in 'u\\u0000x'"),
            ] {
                try weir.file("c.json", start + "\"\(address)\"}}}")
                for command in ["run", "validate"] {
                    let outcome = try weir.run(command, "--config", "c.json")
                    #expect(outcome.exitCode == 78)
                    let message = "c.json:1:\(start.count + 1): \(flaw)"
                    #expect(outcome.errors.contains(message), "\(outcome.errors)")
                }
            }
        }

        @Test func aTemplateMayNameAnObject() throws {
            let outcome = try weir.run("run", "shake", "a.csv", "--output", "template:{axis} {current} {current.x}")
            #expect(outcome.output.hasPrefix("x {\"time\":20,"), "\(outcome.output)")
            #expect(!outcome.errors.contains("no match has"))
        }

        @Test func optionsThatFindNothingAreNamed() throws {
            let outcome = try weir.run("run", "sentiment", "--from", "demo", "--brand", "Foo=zzzqqq")
            #expect(outcome.errors.contains("nothing was found with --brand as given, and "), "\(outcome.errors)")
        }

        @Test func aVariableThatIsNearlyOneIsNoticed() throws {
            let outcome = try weir.start(
                ["run", "shake", "a.csv"],
                input: .nothing,
                environment: ["WEIR_TRESHOLD": "9", "WEIR_QQQQQQQQ": "1", "WEIR_THRESHOLD": "0.5"]
            )
            .outcome()
            #expect(outcome.exitCode == 0)
            let notice = "weir: the variable WEIR_TRESHOLD is none that weir reads; did you mean WEIR_THRESHOLD?"
            #expect(outcome.errors.hasPrefix(notice + "\n"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("QQQ"))
        }
    }
}
