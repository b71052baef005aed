import Foundation
import Testing

extension HostTests {
    /// What `weir guess` says, and that the commands that it names read the input without a loss.
    @Suite struct GuessTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        /// What is said of a file, after each of the commands has read it.
        private func guess(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
            try weir.file("a", text)
            let outcome = try weir.run("guess", "a")
            #expect(outcome.exitCode == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
            let commands = outcome.output.split(separator: "\n").filter { $0.hasPrefix("  weir ") }
            #expect(!commands.isEmpty, sourceLocation: sourceLocation)
            for command in commands {
                let shell = try weir.start(
                    [],
                    input: .nothing,
                    launcher: ["/bin/sh", "-c", "\"$0\" \(command.dropFirst("  weir ".count))"]
                ).outcome()
                #expect(
                    shell.exitCode == 0 && shell.errors.contains(" 0 rejected"),
                    "\(command): \(shell.errors)",
                    sourceLocation: sourceLocation
                )
            }
            return outcome.output
        }

        @Test func aTypeKeepsEachDigit() throws {
            let table = """
                time,tel,id,long,x,y,big
                1700000000,+31612345678,18446744073709551615,9007199254740993,0.12345678901234567891,0.1234567890123456,1
                1700000001,+31612345679,18446744073709551614,9007199254740992.5,0.12345678901234567892,1e-7,-2

                """
            // JSON itself tells text from numbers.
            let json = try guess("{\"id\":18446744073709551615,\"time\":1}\n")
            #expect(json.contains("--schema time=time\n"), "\(json)")
            let output = try guess(table)
            let schema = "--schema time=time,tel=text,id=text,long=decimal,x=text,y=float,big=integer\n"
            #expect(output.contains(schema), "\(output)")
            #expect(output.contains("  tel   text, such as +31612345678\n"))
            let back = try weir.run("convert", "out.weir", "--to-format", "csv").output
            #expect(
                back
                    == table.replacing("1700000000", with: "2023-11-14T22:13:20Z")
                    .replacing("1700000001", with: "2023-11-14T22:13:21Z").replacing("1e-7", with: "1e-07")
            )
        }

        @Test(arguments: [
            ("t_ms", "ms"), ("eventTime", "an unknown unit"), ("GPSTime_s", "s"), ("timestamp_ns_since_boot", "ns"),
            ("Time (micros)", "us"), ("@timestamp", "an unknown unit"), ("datetimeMillis", "ms"), ("created_at", ""),
            ("createdAt", ""), ("mean_sentiment", nil), ("uptime", nil), ("at_home", nil), ("items", nil),
        ])
        func namesOfTimesAreWords(name: String, unit: String?) throws {
            let output = try guess("id,\(name),x\n7,5,1\n6,4,2\n")
            let expected = unit.map { "Time: '\(name)', counting \($0)" } ?? "Time: no field looks like one\n"
            #expect(output.contains(expected), "\(output)")
        }

        @Test func aUnitInANameIsTheUnit() throws {
            // As milliseconds these would be of 2009.
            let output = try guess("timestamp_ns_since_boot,x\n1245907240064,1\n1245917304595,2\n")
            #expect(output.contains("Time: 'timestamp_ns_since_boot', counting ns\n"))
            #expect(output.contains("a --time-unit ns --time timestamp_ns_since_boot\n"), "\(output)")
        }

        @Test func aDateThatIsUnclearIsSaidToBe() throws {
            let note = "No day is greater than 12, so '%m/%d/%Y' fits as well; write it if it is meant.\n"
            let output = try guess("when,v\n01/02/2026,1\n03/04/2026,1\n")
            #expect(output.contains("Time: 'when', as '%d/%m/%Y', without a time zone\n" + note), "\(output)")
            for date in ["13/04/2026", "04/13/2026", "13.04.2026"] {
                let output = try guess("when,v\n\(date),1\n\(date),1\n")
                #expect(!output.contains("fits as well"), "\(output)")
            }
            let dots = try guess("when,v\n01.02.2026,1\n03.04.2026,1\n")
            #expect(!dots.contains("fits as well"), "\(dots)")
        }

        // MARK: What cannot be read

        private func refusal(_ bytes: [UInt8]) throws -> String {
            try weir.file("a", bytes)
            let outcome = try weir.run("guess", "a")
            #expect(outcome.exitCode == 66 && outcome.output == "" && outcome.errorLines.count == 1)
            return outcome.errors
        }

        @Test func carriageReturnsAloneAreNamed() throws {
            let message =
                "'a' has lines that end with a carriage return alone; \"tr '\\r' '\\n'\" makes line feeds of them\n"
            #expect(try refusal(Array("a,b\r1,2\r3,4\r".utf8)).hasSuffix(message))
            _ = try guess("a,b\r\n1,2\r\n3,4\r\n")
        }

        @Test func textThatIsNotUTF8IsNamed() throws {
            let advice = "'iconv -f LATIN1 -t UTF-8' makes UTF-8 of Latin-1"
            let lines = (1...3).map { Array("\($0),caf".utf8) + [0xE9, 0x0A] }
            let header = Array("time,name\n".utf8)
            #expect(try refusal(header + lines.joined()).hasSuffix("'a' is not UTF-8; \(advice)\n"))
            try weir.file("a", header + lines[0] + Array("2,tea\n3,milk\n".utf8))
            let outcome = try weir.run("guess", "a")
            #expect(outcome.output.contains("\nLines that are not UTF-8 are rejected; \(advice).\n"), "\(outcome)")
            #expect(try !guess("time,name\n1,caf\u{E9}\n").contains("UTF-8"))
        }

        @Test(arguments: [
            "[[1,2],[3,4]]", "[1,2,3]\n", "5", "[\n  [1, \"a\"],\n  []\n]\n", "[1,2]\n[3,4]\n", "[1,\n2,\n",
        ])
        func theJSONHasNoObjects(text: String) throws {
            #expect(try refusal(Array(text.utf8)).contains("'a' is JSON without objects, and records are objects; "))
        }

        @Test(arguments: ["5\n6\n", "[12] a=1 b=2\n", "1,2\n", "[2026-02-01T13:00:00Z] up\n", "[{\"a\":1}]\n"])
        func otherTextIsNoSuchJSON(text: String) throws {
            #expect(try !weir.run("guess", "-", input: .text(text)).errors.contains("JSON without objects"))
        }

        // MARK: Logs

        @Test(arguments: [
            (
                "2024-01-15 10:00:01,123 INFO  [main] app - up\n2024-01-15 10:00:02,456 ERROR [db] app - no\n",
                "{time} {+time} {level->} {rest}"
            ),
            (
                "2024-01-15T10:00:01.123Z  INFO 1 --- [main] a : up\n2024-01-15T10:00:02.456Z ERROR 1 --- [db] a : no\n",
                "{time->} {level->} {rest}"
            ),
            (
                "2024-01-15 10:00:01,123 - root - INFO - up\n2024-01-15 10:00:02,456 - a.b - WARNING - slow, 12 s\n",
                "{time} {+time} - {logger} - {level} - {rest}"
            ),
            (
                "2024-01-15 10:00:01.123 | INFO     | m:f:12 - up\n2024-01-15 10:00:01.124 | CRITICAL | m:f:12 - no\n",
                "{time} {+time} | {level->} | {rest}"
            ),
            ("[10/Jan/2024:13:00:00 +0100] [error] no\n", nil),
            (
                "2024-01-15 10:00:01,123 [main] INFO  a.B - up\n2024-01-15 10:00:02,456 [db] ERROR a.B - no\n",
                "{time} {+time} [{thread}] {level->} {rest}"
            ),
            ("2024-03-01 12:00:01,123 started\n2024-03-01 12:00:01,623 done\n", "{time} {+time} {rest}"),
            ("2024-03-01 12:00:01 a started\n2024-03-01 18:00:01 b stopped\n", "{time} {+time} {rest}"),
            (
                "2024-01-15 10:00:01 | INFO    | a\n2024-01-15 10:00:02 | SUCCESS | b\n2024-01-15 10:00:02 | INFO    | c\n"
                    + "2024-01-15 10:00:03 | TRACING | d\n",
                "{time} {+time} | {level->} | {rest}"
            ),
            ("2024/01/15 10:00:01 [ERR] no\n2024/01/15 10:00:02 [INF] up\n", "{time} {+time} [{level}] {rest}"),
            // Words that are no levels.
            ("2024-01-15 10:00:01 Started up\n2024-01-15 10:00:02 Stopped\n", "{time} {+time} {rest}"),
        ])
        func logsOfProgramsAreReadByTheirForm(text: String, pattern: String?) throws {
            let output = try guess(text)
            if let pattern { #expect(output.contains("--format 'pattern:\(pattern)'"), "\(output)") }
        }

        /// A stack is of the line before it.
        @Test func aLogWithStacksIsOne() throws {
            let stack = "java.lang.RuntimeException: boom\n\tat a.B.c(B.java:12)\n\tat a.B.d(B.java:13)\n"
            let text = "2024-01-15 10:00:01,123 INFO up\n2024-01-15 10:00:02,456 ERROR no\n" + stack
            let outcome = try weir.run("guess", "-", input: .text(text))
            #expect(
                outcome.output.contains("'{time} {+time} {level} {rest}'; 2 records looked at, 3 rejected"),
                "\(outcome)"
            )
        }

        @Test(arguments: [
            "12:00:01,ok,node1\n12:00:02,fail,node2\n", "10.0.0.1,GET,/a\n10.0.0.2,GET,/b\n",
            "I, [2024-03-01T12:00:00.000001 #1]  INFO -- : up\nE, [2024-03-01T12:00:01.000001 #1] ERROR -- : no\n",
        ])
        func aLineWithDataIsNoHeader(text: String) throws {
            #expect(try guess(text).contains("without a header; 2 records"))
        }

        @Test func aDateIsToldFromATime() throws {
            let output = try guess("date,time,value\n2024-03-01,06:00:01,1\n2024-03-01,18:00:01,2\n")
            #expect(output.contains("Time: 'date', "), "\(output)")
            #expect(output.contains("It has no time of day: records of one day have the same time."), "\(output)")
        }

        // MARK: Names

        @Test(arguments: ["{\"\":6,\"time\":1}\n", ",time\n6,1\n7,2\n"])
        func aFieldWithoutANameHasNoType(text: String) throws {
            let output = try guess(text)
            #expect(output.contains("--schema time=time\n"), "\(output)")
        }

        @Test func namesThatAreThereTwiceAreLeftOut() throws {
            for (text, left, options) in [
                ("id,id,v\n1,2,3\n", "'id'", "a out.weir --columns v --schema v=integer"),
                ("a,b,,\n1,2,,\n", "(empty)", "a out.weir --columns a,b --schema a=integer,b=integer"),
                (
                    "id;time; id;;c;\nx;100;y;;z;\n", "'id', (empty)",
                    "a out.weir --delimiter ';' --columns time,c --schema time=time"
                ),
            ] {
                let output = try guess(text)
                #expect(output.contains(", with a header; 1 record looked at, 0 rejected\n"), "\(output)")
                #expect(output.contains("\nLeft out, since their names are there more than once: \(left)\n"))
                #expect(output.contains("  weir convert \(options)\n"))
            }
            // Words that are there twice in any line, and no name that --columns takes.
            #expect(try guess("a,a,b\nc,c,d\n").contains("without a header; 2 records"))
            #expect(try guess("\"a,b\",c,c\n1,2,3\n").contains("without a header; 2 records"))
            #expect(try guess("\"a,b\"\n1\n").contains("with a header; 1 record "))
        }

        // MARK: Groups

        @Test func timesThatBeginAnewAreReadByAField() throws {
            func table(_ recordings: Range<Int>) -> String {
                let rows = recordings.flatMap { recording in
                    (0..<3).map { "shake,\($0),r\(recording),\(20 * $0),0,0,\($0)\n" }
                }
                return "label,sample,recording,t_ms,x,y,z\n" + rows.joined()
            }
            let output = try guess(table(0..<9))
            #expect(output.contains("  weir run shake a --columns time=t_ms --by recording\n"), "\(output)")
            let one = try guess(table(0..<1))
            #expect(one.contains("  weir run shake a --columns time=t_ms\n"), "\(one)")
            // No field explains why times go back.
            try weir.file("a", "time,x,y,z\n" + (0..<9).map { "\(9 - $0),0,0,\($0)\n" }.joined())
            #expect(try !weir.run("guess", "a").output.contains("--by"))
        }
    }
}
