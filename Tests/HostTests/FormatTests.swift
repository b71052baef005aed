import Foundation
import Testing

extension HostTests {
    /// Dialects, logs and compressed files, from the command line.
    @Suite struct FormatTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private let log = """
            127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326
            ::1 - - [10/Oct/2000:13:55:37 -0700] "-" 400 -

            """

        private func convert(_ input: String, _ options: String...) throws -> Outcome {
            try weir.start(["convert"] + options, input: .text(input)).outcome()
        }

        @Test func logsAreConvertedAndBack() throws {
            try weir.file("a.clf", log)
            #expect(try weir.run("convert", "a.clf", "b.jsonl").exitCode == 0)
            #expect(
                try weir.text(of: "b.jsonl").split(separator: "\n").last
                    == #"{"host":"::1","ident":null,"user":null,"time":"10/Oct/2000:13:55:37 -0700","request":null,"status":400,"bytes":null}"#
            )
            #expect(try weir.run("convert", "b.jsonl", "c.clf").exitCode == 0)
            #expect(try weir.text(of: "c.clf") == log)
            let times = try convert(
                log,
                "--format",
                "clf",
                "--columns",
                "time,path",
                "--schema",
                "time=time",
                "--to-format",
                "csv"
            )
            #expect(times.output == "time,path\n2000-10-10T20:55:36Z,/a\n2000-10-10T20:55:37Z,\n")
            let pattern = try convert("[a] b c\nx\n", "--format", "pattern:[{level}] {rest}", "--to-format", "logfmt")
            #expect(
                pattern.output == "level=a rest=\"b c\"\n" && pattern.errors.contains("line 2 rejected: expected '['")
            )
            let lost = try convert("a,b\n1,2\n", "--to-format", "clf")
            #expect(
                lost.exitCode == 2
                    && lost.errors.contains("--to-format: there is no place for the field 'a' in an access log")
            )
            let wrong = try convert("a", "--format", "pattern:{a}{b}")
            #expect(wrong.exitCode == 2 && wrong.errors.contains("nothing stands between '{a}' and '{b}'"))
        }

        @Test func tablesAreWrittenInAnyWay() throws {
            let table = "a;b\n# nothing\n\"1;2\";x,y\n"
            let tabs = try convert(table, "--delimiter", ";", "--comment", "#", "--to-format", "tsv")
            #expect(tabs.output == "a\tb\n1;2\tx,y\n")
            let back = try convert(tabs.output, "--format", "tsv", "--to-format", "csv", "--to-delimiter", ";")
            #expect(back.output == "a;b\n\"1;2\";x,y\n")
            let bare = try convert("1|\"2\n3|4\n", "--delimiter", "|", "--quote", "none", "--header", "none")
            #expect(bare.output == "{\"1\":1,\"2\":\"\\\"2\"}\n{\"1\":3,\"2\":4}\n")
            let lines = try convert("a,b\ns,m\n1,2\n", "--header", "2", "--to-format", "csv", "--to-header", "none")
            #expect(lines.output == "1,2\n")
            try weir.file("a.tsv", "time\tx\ty\tz\n0\t0\t0\t0\n100\t0\t0\t9\n")
            #expect(try weir.run("run", "shake", "a.tsv").output.contains("\"axis\":\"z\""))
            try weir.file("b.csv", "0 0 0 0\n100 0 0 9\n")
            let named = ["--delimiter", " ", "--header", "none", "--columns", "time=1,x=2,y=3,z=4"]
            #expect(
                try weir.start(["run", "shake", "b.csv"] + named, input: .nothing).outcome().output.contains(
                    "\"axis\":\"z\""
                )
            )
            for (options, message) in [
                (
                    ["--format", "jsonl", "--comment", "#"],
                    "--comment: it is for tables, csv and tsv, and this is jsonl"
                ),
                (["--delimiter", "ab"], "--delimiter: 'ab' cannot separate fields"),
                (["--delimiter", "\""], "--delimiter: '\"' cannot separate fields"),
                (["--header", "0"], "--header: '0' is neither 'none' nor a number of lines"),
                (["--delimiter", "#", "--comment", "#"], "cannot separate fields as well"),
            ] {
                let outcome = try weir.start(["run", "shake"] + options, input: .text("x")).outcome()
                #expect(outcome.exitCode == 2 && outcome.errors.contains(message), "\(outcome.errors)")
            }
        }

        @Test func arraysOfJSONAreReadAndWritten() throws {
            let array = "[\n{\"a\":1,\"b\":\"x\"},\n{\"a\":2,\"b\":\"y\"}\n]\n"
            try weir.file("a.json", array)
            #expect(try weir.run("convert", "a.json", "--to-format", "csv").output == "a,b\n1,x\n2,y\n")
            #expect(try weir.run("convert", "a.json", "b.weir").exitCode == 0)
            #expect(try weir.run("convert", "b.weir", "c.json").exitCode == 0)
            #expect(try weir.text(of: "c.json") == array)
            #expect(try convert("a,b\n", "--to-format", "json").output == "[]\n")
            let damaged = try convert("[{\"a\":1},\n{\"a\":},\n{\"a\":3}\n", "--format", "json", "--to-format", "json")
            #expect(damaged.output == "[\n{\"a\":1},\n{\"a\":3}\n]\n" && damaged.errors.contains("2 rejected"))
            let lines = try convert(array, "--format", "jsonl")
            #expect(lines.errors.contains("(--format json reads arrays of them)"), "\(lines.errors)")
            let readings = (0..<3).map { "{\n\"time\": \($0 * 100), \"x\": 0, \"y\": 0, \"z\": \($0 * 9)}" }
            try weir.file("r.json", "[" + readings.joined(separator: ",\n") + "]")
            let run = try weir.run("run", "shake", "r.json")
            #expect(run.exitCode == 0 && run.output.contains("\"axis\":\"z\""), "\(run.errors)")
            for (arguments, message) in [
                (
                    ["convert", "a.json", "udp://:1", "--to-format", "json"],
                    "--to-format: the format json has no lines"
                ),
                (["run", "shake", "--from", "udp://:1", "--format", "json"], "jsonl is for messages"),
                (
                    ["convert", "a.json", "d.json", "--to-framing", "length"],
                    "--to-framing: the format json is one array, which has no frames"
                ),
                (["run", "shake", "r.json", "--workers", "2"], "--workers: 'r.json' is read by one thread"),
                (
                    ["convert", "a.json", "--to-format", "syslog"],
                    "there is no place for the field 'a' in a message of syslog"
                ),
            ] {
                let outcome = try weir.start(arguments, input: .nothing).outcome()
                #expect(outcome.exitCode == 2 && outcome.errors.contains(message), "\(outcome.errors)")
            }
        }

        @Test func anErrorNamesTheOptionThatHelps() throws {
            let semicolons = try weir.run("run", "shake", input: .text("time;x;y;z\n0;0;0;0\n"))
            #expect(
                semicolons.exitCode == 66
                    && semicolons.errors.contains("--delimiter ';' says that they separate fields")
            )
            let tabs = try weir.run("run", "shake", input: .text("time\tx\ty\tz\n0\t0\t0\t0\n"))
            #expect(tabs.errors.contains(#"--delimiter '\t' says that they separate fields"#))
        }

        // MARK: Compressed files

        @Test(arguments: ["gz", "zst", "xz", "bz2"])
        func compressedFilesAreReadAndWritten(ending: String) throws {
            let program = ["gz": "gzip", "zst": "zstd", "xz": "xz", "bz2": "bzip2"][ending] ?? ""
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/" + program) else { return }
            try weir.file("a.clf", log)
            let there = try weir.run("convert", "a.clf", "b.csv.\(ending)")
            #expect(there.exitCode == 0, "\(there.errors)")
            #expect(try weir.run("convert", "b.csv.\(ending)", "c.clf").exitCode == 0)
            #expect(try weir.text(of: "c.clf") == log)
            #expect(try weir.run("validate", "shake", "b.csv.\(ending)").errors.contains("the input has no field"))
            let piped = try weir.run(
                "convert",
                "--format",
                "csv",
                "--to-format",
                "clf",
                input: .file("b.csv.\(ending)")
            )
            #expect(piped.output == log)
            // Written behind it, as another piece with the header that is there.
            let more = try weir.run("convert", "a.clf", "file:b.csv.\(ending)?append=true")
            #expect(more.exitCode == 0, "\(more.errors)")
            #expect(try weir.run("convert", "b.csv.\(ending)", "--to-format", "clf").output == log + log)
            #expect(try weir.run("run", "shake", "--from", "demo", "--to", "m.jsonl.\(ending)").exitCode == 0)
            let matches = try weir.run("convert", "m.jsonl.\(ending)", "--columns", "axis", "--to-format", "csv").output
            #expect(matches.hasPrefix("axis\nx\n"))
        }

        @Test func aMissingProgramIsNamed() throws {
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip") else { return }
            try weir.file("a.csv", "a\n1\n")
            #expect(try weir.run("convert", "a.csv", "b.csv.gz").exitCode == 0)
            let empty = ["PATH": weir.folder]
            let reading = try weir.start(["convert", "b.csv.gz"], input: .nothing, environment: empty).outcome()
            #expect(reading.exitCode == 66 && reading.errorLines.count == 1)
            #expect(
                reading.errors.contains(
                    "there is no program 'gzip' for what is compressed so; install the package gzip"
                )
            )
            let writing = try weir.start(["convert", "a.csv", "c.csv.gz"], input: .nothing, environment: empty)
                .outcome()
            #expect(writing.exitCode == 73 && writing.errors.contains("install the package gzip"))
        }

        @Test func aStopLeavesAWholeFile() throws {
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip") else { return }
            let input = Pipe()
            let run = try weir.start(["convert", "-", "b.jsonl.gz"], input: .pipe(input))
            let writer = input.fileHandleForWriting
            try writer.write(contentsOf: Data("a\n".utf8))
            try writer.write(contentsOf: Data(String(repeating: "1\n", count: 100_000).utf8))
            run.process.interrupt()
            #expect(try run.outcome().exitCode == 130)
            let back = try weir.run("convert", "b.jsonl.gz", "--to-format", "csv")
            #expect(back.exitCode == 0 && back.output.hasPrefix("a\n1\n1\n"), "\(back.errors)")
        }

        // MARK: Guessing

        @Test func aGuessSaysHowToReadAnInput() throws {
            let cases: [(String, [String])] = [
                (
                    "t_ms;acc_x;acc_y;acc_z\n" + (1...9).map { "\($0)00;0;\($0).5;1\n" }.joined(),
                    [
                        "a table, separated by semicolons, with a header; 9 records looked at, 0 rejected",
                        "  acc_y  float, such as 1.5", "Time: 't_ms', counting ms",
                        "  weir run shake a --delimiter ';' --columns time=t_ms,x=acc_x,y=acc_y,z=acc_z\n",
                        "  weir convert a out.weir --delimiter ';' --schema t_ms=time,acc_x=integer,acc_y=float,acc_z=integer\n",
                    ]
                ),
                (
                    "1712345678|a b\n1712345679|\"c\n",
                    [
                        "separated by bars, without a header, without quotes", "Time: '1', counting s",
                        "weir convert a out.weir --delimiter '|' --quote none --header none --time-unit s --schema 1=time\n",
                    ]
                ),
                (
                    "{\"ts\":\"2024-06-08T16:05:00Z\",\"acc\":[1,2],\"user\":{\"id\":7}}\n",
                    [
                        "JSON Lines", "  acc.0    integer, such as 1", "  user.id  integer, such as 7",
                        "Time: 'ts', as text", "weir convert a out.weir --format jsonl --schema ts=time",
                    ]
                ),
                (log, ["an access log in the common format", "--format clf", "Time: 'time', as text"]),
                (
                    "[\n  {\n    \"ts\": \"2026-01-01T00:00:00Z\",\n    \"v\": {\"w\": 1}\n  }\n]\n",
                    ["an array of objects", "--format json", "Time: 'ts', as text", "v.w", "--schema ts=time"]
                ),
                (
                    "<34>Oct 11 22:14:15 box su: 'su root' failed\n<165>1 2026-01-01T00:00:00Z box app 7 - - up\n",
                    ["messages of syslog", "--format syslog", "Time: 'time', as text", "facility=integer"]
                ),
                ("Oct 11 22:14:15 box sshd[4711]: a=1 \"b\"\n", ["messages of syslog", "--format syslog"]),
                (
                    "2026-01-01T00:00:00Z,a:,1\n2026-01-01T00:00:01Z,b:,2\n",
                    ["separated by commas, without a header"]
                ),
                ("a=1 b=\"x y\"\na=2 b=z\n", ["logfmt", "--format logfmt"]),
                ("CEF:0|a|b|c|d|e|5|src=1\n", ["CEF", "--format cef"]),
                (
                    "time,x\n2026-02-01 13:00:00,1\n2026-02-01 13:00:01,2\n",
                    [
                        "Time: 'time', as text without a time zone\nWrite the zone of its clock in the place of UTC.\n",
                        "weir match 'any where true' a --time-zone UTC\n",
                        "weir convert a out.weir --time-zone UTC --schema time=time,x=integer\n",
                    ]
                ),
                (
                    "when;who;other\n01.02.2026 13:00:00;a;2026-01-01\n13.02.2026 14:00:00;b;2026-01-02\n",
                    [
                        "Time: 'when', as '%d.%m.%Y %H:%M:%S', without a time zone\n",
                        "weir match 'any where true' a --delimiter ';' --time-format '%d.%m.%Y %H:%M:%S' --time-zone UTC --time when\n",
                        "--schema when=time\n",
                    ]
                ),
                (
                    "02/13/2026 01:00:00 PM,1\n02/14/2026 02:00:00 PM,2\n",
                    ["as '%m/%d/%Y %I:%M:%S %p'", "--header none"]
                ),
                ("time,x\nms,m\n1,2.5\n2,3.5\n", ["with a header of 2 lines", "x     float", "--header 2"]),
                (
                    "2026-02-01 13:00:00,123 INFO starting up\n2026-02-01 13:00:01,007 WARN disk full, 99 %\n",
                    [
                        "a log, with lines such as '{time} {+time} {level} {rest}'",
                        "Time: 'time', as text without a time zone\n",
                        "--format 'pattern:{time} {+time} {level} {rest}'",
                    ]
                ),
                ("[2026-02-01T13:00:00Z] ERROR: no\n", ["pattern:[{time}] {level}: {rest}", "as text\n"]),
                ("2026/02/01 13:00:00 up\n2026/02/01 13:00:01 it goes down\n", ["'pattern:{time} {+time} {rest}'"]),
                ("# made by hand\na\tb\n1\t2\n", ["separated by tabs", "--format tsv --comment '#'"]),
            ]
            for (text, expected) in cases {
                try weir.file("a", text)
                let outcome = try weir.run("guess", "a")
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                for part in expected { #expect(outcome.output.contains(part), "\(part)\n\(outcome.output)") }
                // The commands that it names read the input.
                let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("  weir ") }
                #expect(!lines.isEmpty)
                for line in lines {
                    let shell = try weir.start(
                        [],
                        input: .nothing,
                        launcher: ["/bin/sh", "-c", "\"$0\" \(line.dropFirst("  weir ".count))"]
                    ).outcome()
                    #expect(shell.exitCode == 0 && shell.errors.contains(" 0 rejected"), "\(line): \(shell.errors)")
                }
            }
        }

        @Test func oneBadLineOfAFewDoesNotHideTheForm() throws {
            for (text, expected) in [
                ("{\"a\":1}\nbroken\n{\"a\":2}\n", "JSON Lines"),
                (
                    "time,x,y\n1,2,3\n2,3\n3,4,5\n",
                    "separated by commas, with a header; 2 records looked at, 1 rejected\n"
                ),
            ] {
                let outcome = try weir.run("guess", "-", input: .text(text))
                #expect(
                    outcome.exitCode == 0 && outcome.output.contains(expected),
                    "\(outcome.output)\(outcome.errors)"
                )
            }
        }

        @Test func aGuessMayFail() throws {
            for (text, message) in [
                ("", "standard input is empty"),
                ("some words\nand more, of them\n\nhere\n", "is of no format that is known"),
                ("\u{FEFF}", "is of no format that is known"),
            ] {
                let outcome = try weir.run("guess", "-", input: .text(text))
                #expect(
                    outcome.exitCode == 66 && outcome.output == "" && outcome.errors.contains(message),
                    "\(outcome.errors)"
                )
            }
            #expect(try weir.run("guess").exitCode == 2)
            #expect(try weir.run("guess", "nothing").exitCode == 66)
        }
    }
}
