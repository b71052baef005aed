import Testing
import WeirCore
import WeirFormats
import WeirRecords

@Suite struct LinePatternTests {
    private func read(_ text: String, _ pattern: String, _ names: [String]) throws -> [String] {
        let fields = names.map { RecordSchema.Field($0) }
        let transcript = Transcript(Array(text.utf8), try LinePatternFormat(pattern), fields: fields)
        #expect(transcript.violations.isEmpty && transcript.error == nil)
        return transcript.records.map { record in record.fields.map { $0 ?? "-" }.joined(separator: "¦") }
            + transcript.rejections.map { "\($0.line): \($0.reason)" }
    }

    @Test func fieldsStandBetweenTexts() throws {
        let names = ["time", "level", "rest"]
        #expect(try read("12:00 INFO a b c\n", "{time} {level} {rest}", names) == ["12:00¦INFO¦a b c"])
        #expect(try read("[12:00] INFO: \r\n", "[{time}] {level}: {rest}", names) == ["12:00¦INFO¦"])
        #expect(try read("{12:00}\tINFO\\x\n", #"{{{time}}}\t{level}\\{rest}"#, names) == ["12:00¦INFO¦x"])
        // The first occurrence ends a field, the line's end the last one.
        #expect(try read("a::b::c ms ms\n", "{time}::{level}::{rest} ms", names) == ["a¦b¦c ms"])
        #expect(try read("a--b\n", "{x}--{y}", ["y", "x", "y"]) == ["b¦a¦b"])
        #expect(try read("a---b\n", "{x}--{y}", ["x", "y"]) == ["a¦-b"])
    }

    @Test func aFieldMayHaveTheTextsOfThePatternInIt() throws {
        let names = ["time", "level", "rest"]
        #expect(
            try read("2026-02-01 13:00 INFO a b\n", "{time} {+time} {level} {rest}", names) == [
                "2026-02-01 13:00¦INFO¦a b"
            ]
        )
        #expect(try read("a, b c|x\n", "{y}, {+y} {+y}|{x}", ["x", "y"]) == ["x¦a, b c"])
        #expect(try read("<a b c>\n", "<{x} {y} {+y}>", ["x", "y"]) == ["a¦b c"])
        #expect(
            try read("a b\nab\n", "{x} {+x} {y}", ["x"]) == [
                "1: there is no ' ' behind the field 'x', which starts at byte 1",
                "2: the field 'x' has fewer parts than the pattern, and starts at byte 1",
            ]
        )
    }

    @Test func aFieldWithTextsInItIsWrittenOnlyWhereItHasThem() throws {
        let format = try LinePatternFormat("{time} {+time} {rest}")
        for (time, isRefused) in [("a b", false), ("a", true), ("a b c", true), ("", true)] {
            let output = try Conversion(Array("time,rest\n\(time),x\n".utf8), from: CSVFormat(), to: format)
            #expect(output.text == (isRefused ? "" : "a b x\n") && output.rejections.isEmpty != isRefused, "\(time)")
        }
        let schema = OutputSchema(fields: [OutputSchema.Field("rest")], tellsTextFromNumbers: false)
        #expect(
            format.refusal(of: schema) == "the pattern has parts of the field 'time', which the output lacks"
        )
    }

    @Test func blanksThatPadAValueAreLeftOut() throws {
        let names = ["time", "level", "rest"]
        let padded = "{time->} {level->} [{thread}] {rest}"
        #expect(try read("12:00   INFO  [main]  a \n", padded, names) == ["12:00¦INFO¦ a "])
        #expect(try read("12:00 INFO [main] a\n", padded, names) == ["12:00¦INFO¦a"])
        #expect(try read("a     \n", "{time->} {level}", names.dropLast()) == ["a¦"])
        #expect(try read("a   : b  \n", "{time->}: {rest->}", ["time", "rest"]) == ["a¦b"])
        // Without the arrow each blank counts.
        #expect(try read("12:00  INFO a\n", "{time} {level} {rest}", names) == ["12:00¦¦INFO a"])
        #expect(
            try read("Jan  5 12:00   x\n", "{time->} {+time} {+time->} {rest}", ["time", "rest"]) == ["Jan  5 12:00¦x"]
        )
        #expect(throws: LinePatternError.self) { try LinePatternFormat("{->}") }
    }

    @Test func blanksThatWouldBeLeftOutAreNotWritten() throws {
        let format = try LinePatternFormat("{a->} {b}")
        for (a, b, text) in [("x", "y", "x y\n"), ("x ", "y", ""), ("x", " y", ""), ("", "y ", " y \n")] {
            let output = try Conversion(Array("a,b\n\(a),\(b)\n".utf8), from: CSVFormat(), to: format)
            #expect(output.text == text && output.rejections.isEmpty != text.isEmpty, "'\(a)' '\(b)'")
        }
    }

    @Test func otherLinesAreRejectedWithThePlace() throws {
        #expect(
            try read("x\n<a>\n<a> b\n<a> b!\n", "<{a}> {b}!", ["a", "b"]) == [
                "a¦b", "1: expected '<' at byte 1", "2: there is no '> ' behind the field 'a', which starts at byte 2",
                "3: the line does not end with '!' behind the field 'b', which starts at byte 5",
            ]
        )
        let bytes: [UInt8] = [0x61, 0x20, 0xFF, 0x0A]
        let transcript = Transcript(bytes, try LinePatternFormat("{a} {b}"), fields: [])
        #expect(transcript.rejections.map(\.reason) == ["the line is not valid UTF-8"])
    }

    @Test(arguments: [
        ("", "there is no field, such as '{time}', at character 1 of the pattern ''"),
        ("a", "there is no field, such as '{time}', at character 1 of the pattern 'a'"),
        ("{a", "a '{' is not closed; '{{' is a brace, at character 1 of the pattern '{a'"),
        ("x{}", "a field lacks its name, at character 2 of the pattern 'x{}'"),
        ("{a}}", "there is no '{' before a '}'; '}}' is a brace, at character 4 of the pattern '{a}}'"),
        ("{a} {a}", "the field 'a' comes twice, at character 5 of the pattern '{a} {a}'"),
        (
            "{a}{b}",
            "nothing stands between '{a}' and '{b}', so where one ends is unknown, at character 4 of the pattern '{a}{b}'"
        ),
        (
            "{a} {b} {+a}",
            "'{+a}' goes on with a field, which has to stand right before it, at character 9 of the pattern '{a} {b} {+a}'"
        ),
        (
            "{+a}",
            "'{+a}' goes on with a field, which has to stand right before it, at character 1 of the pattern '{+a}'"
        ),
        ("{a}{+a}", "nothing stands between '{a}' and '{+a}', at character 4 of the pattern '{a}{+a}'"),
        ("{a}\\x", "behind a '\\' stands 't', for a tab, or another '\\', at character 4 of the pattern '{a}\\x'"),
        ("{a{b}", "there is a '{' in the name 'a{b', at character 1 of the pattern '{a{b}'"),
    ])
    func wrongPatternsAreExplained(pattern: String, message: String) {
        let error = #expect(throws: LinePatternError.self) { try LinePatternFormat(pattern) }
        #expect(error?.description == message)
    }

    @Test func aFieldThatThePatternLacksIsSaid() throws {
        let transcript = Transcript(
            Array("a b".utf8),
            try LinePatternFormat("{a} {b}"),
            fields: [RecordSchema.Field("c")]
        )
        #expect(transcript.error == .missingFields(["c"], available: ["a", "b"]))
    }
}
