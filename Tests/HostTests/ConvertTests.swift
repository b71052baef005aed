import Foundation
import Testing

extension HostTests {
    @Suite struct ConvertTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private let trades = "time,price,size,note\n0,1.50,7,\n20,2.25,,\"a \"\"b\"\"\"\n40,-0.00,9,\"x,y\"\n"

        /// A dot in a name is a part of it where nobody has written a path.
        @Test func namesWithDotsStayThemselves() throws {
            let lines = [#"{"a.b":2,"a":{"b":3}}"#, #"{"a":{"b":3},"a.b":2}"#, #"{"tags.0":"x","tags":["y"]}"#]
            for line in lines {
                let members = { (text: Substring) in text.dropFirst().dropLast().split(separator: ",").sorted() }
                try weir.file("in.jsonl", line + "\n{\"a\":{\"b\":3}}\n")
                let outcome = try weir.run("convert", "in.jsonl", "--to-format", "jsonl")
                let found = outcome.output.split(separator: "\n")
                #expect(found.count == 2 && found.last == "{\"a\":{\"b\":3}}", "\(outcome)")
                #expect(found.first.map(members) == members(Substring(line)), "\(outcome)")
            }
            let path = try weir.run("convert", "in.jsonl", "--to-format", "jsonl", "--columns", "a.b")
            #expect(path.output.hasSuffix("{\"a.b\":3}\n"), "\(path)")
        }

        @Test func keepsTheOutputWhereTheHeaderIsOfNoUse() throws {
            try weir.file("a.csv", "a,b,a\n1,2,3\n")
            try weir.file("b.jsonl", "as it was\n")
            let outcome = try weir.run("convert", "a.csv", "b.jsonl")
            #expect(outcome.exitCode == 66)
            #expect(outcome.errors == "weir: 'a.csv' cannot be read as csv: the header names the field 'a' twice\n")
            #expect(try weir.text(of: "b.jsonl") == "as it was\n")
        }

        @Test func aTableComesBackByteForByte() throws {
            try weir.file("trades.csv", trades)
            let there = try weir.run("convert", "trades.csv", "trades.weir")
            #expect(there.exitCode == 0)
            #expect(there.output == "")
            #expect(there.errors.hasPrefix("weir: 3 records converted, 0 rejected in "))
            #expect(try weir.contents(of: "trades.weir").prefix(8) == [0x89, 0x57, 0x45, 0x49, 0x52, 0x0D, 0x0A, 0x1A])
            #expect(try weir.run("convert", "trades.weir", "back.csv").exitCode == 0)
            #expect(try weir.text(of: "back.csv") == trades)
            #expect(try weir.run("convert", "trades.weir", "--to-format", "csv").output == trades)
        }

        @Test func readsStandardInputAndWritesStandardOutput() throws {
            let expected = """
                {"time":0,"price":1.50,"size":7,"note":""}
                {"time":20,"price":2.25,"size":"","note":"a \\"b\\""}
                {"time":40,"price":-0.00,"size":9,"note":"x,y"}

                """
            #expect(try weir.run("convert", input: .text(trades)).output == expected)
            #expect(try weir.run("convert", "-", "-", input: .text(trades)).output == expected)
            #expect(
                try weir.run("convert", "--from", "stdin", "--to", "stdout", input: .text(trades)).output == expected
            )
            let lines = try weir.run("convert", "--format", "jsonl", "--to-format", "csv", input: .text(expected))
            #expect(lines.output == trades)
        }

        @Test func columnsAndTypesCanBeChosen() throws {
            let outcome = try weir.run(
                "convert",
                "--columns",
                "volume=size,time",
                "--schema",
                "time=time,volume=float",
                input: .text(trades)
            )
            #expect(
                outcome.output == """
                    {"volume":7.0,"time":"1970-01-01T00:00:00Z"}
                    {"volume":null,"time":"1970-01-01T00:00:00.02Z"}
                    {"volume":9.0,"time":"1970-01-01T00:00:00.04Z"}

                    """
            )
        }

        @Test func allNamesOfAFileAreFound() throws {
            let lines = (0..<5_000).map { "{\"a\":\($0)}\n" }.joined() + "{\"late\":1}\n"
            try weir.file("a.jsonl", lines)
            let outcome = try weir.run("convert", "a.jsonl", "--to-format", "csv")
            #expect(outcome.output.hasPrefix("a,late\n0,\n"))
            #expect(outcome.output.hasSuffix("4999,\n,1\n"))
        }

        @Test func aNameThatComesTooLateIsNoLossInSilence() throws {
            let lines = (0..<200_000).map { "{\"a\":\($0 + 100_000)}\n" }.joined() + "{\"late\":1}\n"
            let outcome = try weir.run(
                "convert",
                "--format",
                "jsonl",
                "--to-format",
                "csv",
                "--strict",
                input: .text(lines)
            )
            #expect(outcome.exitCode == 1)
            #expect(
                outcome.errorLines.first
                    == "weir: line 200001 rejected: a field that the output lacks (see --columns) starts at byte 2: {\"late\":1}"
            )
        }

        @Test func frames() throws {
            let framed = try weir.start(["convert", "--to-framing", "length"], input: .text("a\n1\n2\n")).outcome()
            #expect(framed.output == "\0\0\0\u{8}{\"a\":1}\n\0\0\0\u{8}{\"a\":2}\n")
            let back = try weir.run(
                "convert",
                "--format",
                "jsonl",
                "--framing",
                "length",
                "--to-format",
                "csv",
                input: .text(framed.output)
            )
            #expect(back.output == "a\n1\n2\n")
        }

        @Test func pluginsReadTheBinaryFormat() throws {
            try weir.file("a.csv", jerk)
            #expect(try weir.run("convert", "a.csv", "a.weir").exitCode == 0)
            for arguments in [["run", "shake", "a.weir"], ["run", "shake", "--format", "binary", "a.weir"]] {
                let outcome = try weir.start(arguments, input: .nothing).outcome()
                #expect(outcome.output == jerkMatch)
                #expect(outcome.exitCode == 0)
            }
        }

        @Test func aTornFileIsNoticed() throws {
            try weir.file("trades.csv", trades)
            _ = try weir.run("convert", "trades.csv", "trades.weir")
            try weir.file("torn.weir", Array(try weir.contents(of: "trades.weir").dropLast(20)))
            let outcome = try weir.run("convert", "torn.weir", "--strict")
            #expect(outcome.exitCode == 1)
            #expect(outcome.errorLines.first?.contains("the input ends inside of a block: it was cut off") == true)
        }

        @Test(arguments: [
            (["convert", "nothere"], 66, "cannot open 'nothere': no such file or directory"),
            (["convert", "a.csv", "/nowhere/b.weir"], 73, "cannot open '/nowhere/b.weir': no such file or directory"),
            (
                ["convert", "a.csv", "a.csv"], 2,
                "--to: 'a.csv' is the input, which would be overwritten; write to another file"
            ),
            (["convert", "a.csv", "b", "c"], 2, "'c' is one place too many; there is one input and one output"),
            (
                ["convert", "a.csv", "--to-format", "xml"], 2,
                "there is no format 'xml', only csv, tsv, jsonl, json, binary, logfmt, clf, combined, cef, leef, syslog and pattern:TEXT"
            ),
            (["convert", "a.csv", "--schema", "x=flot"], 2, "--schema: there is no type 'flot'"),
            (["convert", "a.csv", "--schema", "nam=text"], 2, "--schema: there is no field 'nam'"),
            (["convert", "a.csv", "--schema", "x"], 2, "--schema: 'x' is not of the form NAME=TYPE"),
            (["convert", "a.csv", "--columns", "x,,y"], 2, "--columns: '' is neither NAME nor NAME=NAME-IN-THE-INPUT"),
            (["convert", "a.csv", "--columns", "x,x"], 2, "--columns: 'x' is named twice; rename one, as in other=x"),
            (["convert", "a.csv", "--columns", "q"], 66, "'a.csv' cannot be read as csv: the input has no field 'q'"),
            (
                ["convert", "a.csv", "--format", "binary"], 66,
                "'a.csv' cannot be read as binary: the header cannot be read"
            ),
            (["convert", "a.csv", "--framing", "x"], 2, "--framing: 'x' is not one of newline, length"),
            (
                ["convert", "a.csv", "b.weir", "--to-framing", "length"], 2,
                "--to-framing: the format binary has frames"
            ),
            (["convert", "a.csv", "--time-unit", "h"], 2, "--time-unit: 'h' is not one of s, ms, us, ns, auto"),
            (["run", "shake", "--from", "demo", "--framing", "length"], 2, "--framing: the demo has no frames"),
        ])
        func saysWhatIsWrongInOneLine(arguments: [String], code: Int, message: String) throws {
            try weir.file("a.csv", jerk)
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            #expect(outcome.exitCode == Int32(code))
            #expect(outcome.output == "")
            #expect(outcome.errors.hasPrefix("weir: " + message))
            #expect(outcome.errorLines.count <= (code == 66 ? 2 : 1))
        }

        @Test func aPathMayHaveAnyCharacter() throws {
            for name in ["why?.csv", "why?\u{301}.csv", "?\u{308}"] {
                try weir.file(name, "a\n1\n")
                #expect(try weir.run("convert", name).output == "{\"a\":1}\n", "\(name)")
                #expect(try weir.run("convert", "file:\(name)?").output == "{\"a\":1}\n", "\(name)")
                #expect(try weir.run("convert", name, "b\(name)", "--to-format", "csv").exitCode == 0, "\(name)")
                #expect(try weir.text(of: "b\(name)") == "a\n1\n", "\(name)")
            }
            try weir.file("\u{301}a", "a\n1\n")
            #expect(try weir.run("convert", "file:\u{301}a").output == "{\"a\":1}\n")
        }

        @Test func theFirstBytesShowJSON() throws {
            let lines = "{\"a\":1,\"b\":{\"c\":2}}\n{\"a\":3}\n"
            try weir.file("lines", lines)
            try weir.file("list", "[\n  {\"a\": 1}\n]\n")
            #expect(try weir.run("convert", "lines").output == lines)
            #expect(try weir.run("convert", "-", input: .text(lines)).output == lines)
            #expect(try weir.run("convert", "lines", "--columns", "a", "--to-format", "csv").output == "a\n1\n3\n")
            #expect(try weir.run("convert", "list").output == "{\"a\":1}\n")
            // What an option says holds.
            #expect(try weir.run("convert", "list", "--header", "none").output.hasPrefix("{\"1\":\"[\"}"))
            #expect(try weir.run("convert", "-", input: .text("a\n1\n")).output == "{\"a\":1}\n")
        }

        @Test func anEmptyInputIsEmpty() throws {
            for format in ["csv", "jsonl", "binary"] {
                let outcome = try weir.run("convert", "--format", format, input: .text(""))
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors.hasPrefix("weir: the input is empty; 0 records converted"))
            }
        }
    }
}
