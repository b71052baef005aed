import Testing
import WeirCore
import WeirFormats
import WeirRecords

@Suite struct JSONLinesDecoderTests {
    private func read(_ text: String, _ names: [String] = ["a", "b"], limit: Int = 1 << 20) -> Transcript {
        Transcript(Array(text.utf8), JSONLinesFormat(), fields: names.map { RecordSchema.Field($0) }, limit: limit)
    }

    private func lines(_ transcript: Transcript) -> [String] {
        transcript.records.map { record in
            "\(record.line): " + record.fields.map { $0 ?? "-" }.joined(separator: "|")
        }
    }

    private func complaint(_ text: String) -> String? {
        let transcript = read(text)
        #expect(transcript.records.isEmpty, "\(text)")
        return transcript.rejections.first?.reason
    }

    @Test func fieldsAreFoundByNameInAnyOrder() {
        let text = """
            {"a":1,"b":"x"}
            {"b":-2.5e3,"c":[1,{"a":7}],"a":true}
             { "c" : null , "a" : false }\u{20}
            {}
            {"a":{"a":1},"b":[]}
            """
        #expect(lines(read(text)) == ["1: 1|x", "2: true|-2.5e3", "3: false|-", "4: -|-", "5: {\"a\":1}|[]"])
        #expect(lines(read("{\"a\":1,\"b\":2}\n", ["b", "a", "b"])) == ["1: 2|1|2"])
    }

    @Test func theLastOfTwoEqualNamesCounts() {
        #expect(lines(read("{\"a\":1,\"a\":null}\n{\"a\":1,\"b\":3,\"a\":\"2\"}\n")) == ["1: -|-", "2: 2|3"])
    }

    @Test func fieldsWithDotsAreMembersOfMembers() {
        let names = ["user.name", "user.home.city", "user", "id"]
        let text = """
            {"id":1,"user":{"age":3,"name":"Ada","home":{"city":"London","x":[{}]}}}
            {"user":{"home":{"city":"Rome"}},"id":2}
            {"user":{"name":"\\u0041"},"user":{"home":{}},"id":3}
            {"user":{"name":"Bob"},"user":7,"id":4}
            {"user.name":"flat","user.home.city":"Oslo","id":5}
            {"user":[{"name":"no"}],"id":6}
            {"name":"no","home":{"city":"no"},"id":7}
            {"us\\u0065r":{"name":"yes"},"id":8}
            """
        #expect(
            lines(read(text, names)) == [
                #"1: Ada|London|{"age":3,"name":"Ada","home":{"city":"London","x":[{}]}}|1"#,
                #"2: -|Rome|{"home":{"city":"Rome"}}|2"#,
                #"3: -|-|{"home":{}}|3"#,
                "4: -|-|7|4",
                "5: flat|Oslo|-|5",
                #"6: -|-|[{"name":"no"}]|6"#,
                "7: -|-|-|7",
                #"8: yes|-|{"name":"yes"}|8"#,
            ]
        )
        #expect(read("{\"user\":{\"name\":1", names).rejections.count == 1)
    }

    @Test func nestingIsLimitedAlsoWhereSomethingIsWanted() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{\"a\":", count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
        }
        #expect(read(nested(512), ["a.a.b"]).records.count == 1)
        #expect(read(nested(513), ["a.a.b"]).rejections.count == 1)
    }

    @Test func namesAndTextsMayHaveEscapes() {
        #expect(lines(read("{\"\\u0061\":\"\\ud83d\\ude00\\n\\\"\\/\\u00e9\",\"b\":\"é\"}")) == ["1: 😀\n\"/é|é"])
    }

    @Test func namesThatAreWrittenWithEscapesAreNotExpectedWithoutThem() {
        // The second lines are no JSON, or have another name: a quote, a backslash or a tab stands there as it is.
        let quote = read(#"{"a\"b":1}"# + "\n" + #"{"a"b":2}"#, [#"a"b"#])
        #expect(lines(quote) == ["1: 1"])
        #expect(quote.rejections.map(\.line) == [2])
        #expect(lines(read(#"{"a\\b":1}"# + "\n" + #"{"a\b":2}"#, [#"a\b"#])) == ["1: 1", "2: -"])
        let tab = read(#"{"a\tb":1}"# + "\n{\"a\tb\":2}", ["a\tb"])
        #expect(lines(tab) == ["1: 1"])
        #expect(tab.rejections.map(\.line) == [2])
    }

    @Test func aMemberWithADotOutlivesAnObjectThatLacksIt() {
        let names = ["user.name", "user.age"]
        #expect(lines(read(#"{"user.name":"flat","user":{"age":3}}"#, names)) == ["1: flat|3"])
        #expect(lines(read(#"{"user":{"age":3},"user.name":"flat"}"#, names)) == ["1: flat|3"])
        #expect(lines(read(#"{"user.name":"flat","user":{"name":"inside"}}"#, names)) == ["1: inside|-"])
    }

    @Test func blankLinesReturnsAndByteOrderMarkAreNoData() {
        #expect(lines(read("\u{FEFF}\r\n{\"a\":1}\r\n \t\r\n\n{\"b\":2}")) == ["2: 1|-", "5: -|2"])
        #expect(read("") == read("\n\r\n  \n"))
    }

    @Test func flawsAreNamedWithTheirPlace() {
        #expect(
            complaint("[1]") == "a line must be an object (--format json reads arrays of them); expected '{' at byte 1"
        )
        #expect(complaint("17") == "a line must be an object; expected '{' at byte 1")
        #expect(complaint("{\"a\" 1}") == "expected ':' at byte 6")
        #expect(complaint("{\"a\":1,}") == "expected a name in quotes at byte 8")
        #expect(complaint("{a:1}") == "expected a name in quotes at byte 2")
        #expect(complaint("{\"a\":1 \"b\":2}") == "expected ',' or '}' at byte 8")
        #expect(complaint("{\"a\":[1 2]}") == "expected ',' or ']' at byte 9")
        #expect(complaint("{\"a\":1}x") == "there is text after the object at byte 8")
        #expect(complaint("{\"a\":01}") == "a number starts with a needless zero at byte 7")
        #expect(complaint("{\"a\":-}") == "expected a digit at byte 7")
        #expect(complaint("{\"a\":1.}") == "expected a digit after the point at byte 8")
        #expect(complaint("{\"a\":1e+}") == "expected a digit in the exponent at byte 9")
        #expect(complaint("{\"a\":NaN}") == "expected a value at byte 6")
        #expect(complaint("{\"a\":+1}") == "expected a value at byte 6")
        #expect(complaint("{\"a\":\"x") == "the string is not closed at byte 8")
        #expect(complaint("{\"a\":\"\t\"}") == "there is a control character in a string at byte 7")
        #expect(complaint("{\"a\":\"\\x\"}") == "there is no such escape at byte 7")
        #expect(complaint("{\"a\":\"\\u12g4\"}") == "an escape needs four hexadecimal digits at byte 7")
        #expect(complaint("{\"a\":\"\\ud800\"}") == "a surrogate stands alone at byte 7")
        #expect(complaint("{\"a\":\"\\udc00\"}") == "a surrogate stands alone at byte 7")
        #expect(complaint("{\"a\":\"\\ud800\\u0041\"}") == "a surrogate stands alone at byte 7")
        #expect(complaint("{") == "expected a name in quotes at byte 2")
        #expect(complaint("{\"a\":") == "expected a value at byte 6")
        #expect(complaint("{\"a\":1") == "expected ',' or '}' at byte 7")
        #expect(complaint("{\"a\":1}\0") == "there is text after the object at byte 8")
    }

    @Test func invalidUTF8IsRejected() {
        let bytes =
            Array("{\"a\":\"".utf8) + [0xC3] + Array("\"}\n{\"a\":1}\n{\"".utf8) + [0xFF] + Array("\":1}\n".utf8)
        let transcript = Transcript(bytes, JSONLinesFormat(), fields: [RecordSchema.Field("a")])
        #expect(transcript.records.map(\.line) == [2])
        #expect(
            transcript.rejections.map(\.reason) == [
                "the string is not valid UTF-8 at byte 7", "the string is not valid UTF-8 at byte 3",
            ]
        )
    }

    @Test(arguments: ["[": "]", "{\"x\":": "}"])
    func nestingIsLimitedWithoutRecursion(opening: String, closing: String) {
        func line(_ depth: Int) -> String {
            "{\"c\":" + String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
                + "}\n"
        }
        #expect(read(line(511)).rejections.isEmpty)
        let deep = read(line(512) + line(1) + line(100_000))
        #expect(deep.records.map(\.line) == [2])
        #expect(deep.rejections.map(\.line) == [1, 3])
        #expect(deep.rejections.allSatisfy { $0.reason.hasPrefix("values are nested deeper than 512 at byte") })
    }

    @Test func overlongLinesAreRejectedInPieces() {
        let long = "{\"a\":\"" + String(repeating: "x", count: 10_000_000) + "\"}"
        let bytes = Array("{\"a\":1}\n\(long)\r\n{\"a\":2}\n".utf8)
        let transcript = Transcript(bytes, JSONLinesFormat(), fields: [RecordSchema.Field("a")]) { 65_536 }
        #expect(transcript.records.map(\.line) == [1, 3])
        #expect(transcript.violations.isEmpty)
        #expect(transcript.rejections.map(\.line) == [2])
        #expect(transcript.rejections.first?.raw.count == long.utf8.count)
        #expect(
            transcript.rejections.first?.reason == "the line is longer than 1048576 bytes; --max-line raises the limit"
        )
    }

    @Test func theLimitIsExact() {
        let transcript = read("{\"a\":123456789 }\n{\"a\":1234567890 }\n", limit: 16)
        #expect(transcript.records.map(\.line) == [1])
        #expect(transcript.rejections.map(\.line) == [2])
    }
}
