import Testing
import WeirCore
import WeirFormats
import WeirRecords

@Suite struct LogFormatTests {
    /// The fields of each record, and why lines were rejected.
    private func read(_ text: String, _ format: some Format, _ names: [String], limit: Int = 1 << 20) -> [String] {
        let fields = names.map { RecordSchema.Field($0, isRequired: false) }
        let transcript = Transcript(Array(text.utf8), format, fields: fields, limit: limit)
        #expect(transcript.violations.isEmpty && transcript.error == nil)
        let records = transcript.records.map { record in
            (record.line, record.fields.map { $0 ?? "-" }.joined(separator: "¦"))
        }
        let rejections = transcript.rejections.map { ($0.line, "! " + $0.reason) }
        return (records + rejections).sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" }
    }

    private func names(_ text: String, _ format: some Format) throws -> [String] {
        try Conversion.names(in: Array(text.utf8), format, FormatLimits())
    }

    /// Converts a text within a format, and to JSON Lines and back: the same has to come out.
    private func expectRoundTrip(_ text: String, _ format: some Format, source: SourceLocation = #_sourceLocation)
        throws
    {
        let direct = try Conversion(Array(text.utf8), from: format, to: format)
        #expect(direct.text == text && direct.rejections.isEmpty, sourceLocation: source)
        let names = try names(text, format)
        let json = try Conversion(Array(text.utf8), from: format, to: JSONLinesFormat())
        let back = try Conversion(json.output, from: JSONLinesFormat(), to: format, fields: names)
        #expect(back.text == text && back.rejections.isEmpty, "\(json.text)", sourceLocation: source)
    }

    // MARK: Access logs

    private let common = AccessLogFormat(.common)
    private let combined = AccessLogFormat(.combined)

    @Test func accessLogsHaveTheirFields() throws {
        let line = #"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a%20b?c=d HTTP/1.0" 200 2326"#
        let names = ["host", "ident", "user", "time", "request", "status", "bytes", "method", "path", "protocol"]
        let values =
            "127.0.0.1¦-¦frank¦10/Oct/2000:13:55:36 -0700¦GET /a%20b?c=d HTTP/1.0¦200¦2326¦GET¦/a%20b?c=d¦HTTP/1.0"
        #expect(read(line + "\n\n\r\n" + line + "\r\n", common, names) == ["1: " + values, "4: " + values])
        #expect(try self.names(line, common) == Array(names.prefix(7)))
        let more = line + #" "-" "Mozilla/4.08 [en] (Win98; \"I\" ;Nav)""#
        #expect(read(more, combined, ["referer", "user_agent"]) == [#"1: -¦Mozilla/4.08 [en] (Win98; "I" ;Nav)"#])
        try expectRoundTrip(line + "\n", common)
        try expectRoundTrip(more + "\n", combined)
        try expectRoundTrip(#"h - - [-] "-" 400 -"# + "\n", common)
        try expectRoundTrip(
            #"h - - [10/Oct/2000:13:55:36 -0700] "\x16\x03\xff\x8fé\\" 400 -"# + "\n",
            common,
            texts: false
        )
    }

    private func expectRoundTrip(_ text: String, _ format: some Format, texts: Bool) throws {
        let once = try Conversion(Array(text.utf8), from: format, to: format)
        let twice = try Conversion(once.output, from: format, to: format)
        #expect(once.text == twice.text && once.rejections.isEmpty)
        let columns = ["request"]
        let first = try Conversion(Array(text.utf8), from: format, to: JSONLinesFormat(), fields: columns)
        let second = try Conversion(once.output, from: format, to: JSONLinesFormat(), fields: columns)
        #expect(first.text == second.text)
    }

    @Test func escapesOfAccessLogsAreResolved() {
        func request(_ text: String) -> [String] { read("h - - [-] \"\(text)\" 200 1", common, ["request"]) }
        #expect(request(#"\x41\x7e\t\"\\"#) == ["1: A~\t\"\\"])
        #expect(request(#"\xc3\xa9\xe2\x82\xac\xF0\x9f\x98\x80"#) == ["1: é€😀"])
        // What is no valid UTF-8 stays: a lone byte, a surrogate, an overlong form, one that is cut off.
        for text in [#"\xff"#, #"\xed\xa0\x80"#, #"\xc0\x80"#, #"\xe2\x82"#, #"\x4"#, #"\xg1"#, #"\q"#, #"a\ "#] {
            #expect(request(text) == ["1: \(text)"], "\(text)")
        }
    }

    @Test func whatIsNoAccessLogIsRejectedWithThePlace() {
        let time = "[10/Oct/2000:13:55:36 -0700]"
        let cases = [
            ("h - -", "expected ' ' at byte 6"), ("h - - x", "expected '[' at byte 7"),
            ("h - - [x", "expected ']' at byte 9"), ("h - - \(time) GET", "expected '\"' at byte 36"),
            ("h - - \(time) \"GET", "a quote is not closed; its text starts at byte 37"),
            ("h - - \(time) \"GET\\\"", "a quote is not closed; its text starts at byte 37"),
            ("h - - \(time) \"-\" 200", "expected ' ' at byte 43"),
            ("h - - \(time) \"-\" 200 ", "a value is missing at byte 44"),
            (
                "h - - \(time) \"-\" 200 1 \"-\" \"-\"",
                "there is more than the common log format has (see --format combined) at byte 45"
            ),
            ("v:80 h - - \(time) \"-\" 200 1", "expected '[' at byte 10"),
        ]
        for (line, reason) in cases { #expect(read(line, common, ["host"]) == ["1: ! \(reason)"], "\(line)") }
        #expect(
            read("h - - \(time) \"-\" 200 1", combined, ["host"]) == ["1: ! expected ' ' at byte 45"]
        )
    }

    @Test func aFieldThatAFormatLacksIsSaid() {
        let fields = [RecordSchema.Field("host"), RecordSchema.Field("volume")]
        let transcript = Transcript(Array("x".utf8), common, fields: fields)
        guard case .missingFields(["volume"], let available)? = transcript.error else {
            Issue.record("\(String(describing: transcript.error))")
            return
        }
        #expect(available.contains("path") && !available.contains("referer"))
        let schema = OutputSchema(fields: [OutputSchema.Field("volume")], tellsTextFromNumbers: false)
        #expect(
            common.refusal(of: schema)?.hasPrefix("there is no place for the field 'volume' in an access log") == true
        )
    }

    @Test func timesBecomeThoseOfAnAccessLog() throws {
        let table =
            "host,time,request\nh,2000-10-10T20:55:36Z,a\nh,971211336000,\"x\ny\"\nh,971211336001,a\nh k,971211336000,a\n"
        let log = try Conversion(Array(table.utf8), from: CSVFormat(), to: common)
        #expect(
            log.text == """
                h - - [10/Oct/2000:20:55:36 +0000] "a" - -
                h - - [10/Oct/2000:20:55:36 +0000] "x\\ny" - -

                """
        )
        #expect(
            log.rejections == [
                "field 'time' has a fraction of a second, which an access log has no place for: '971211336001'",
                "field 'host' has a blank or a control character, which it cannot have in an access log",
            ]
        )
        // The same time, read again.
        let back = try Conversion(log.output, from: common, to: CSVFormat(), fields: ["time"], types: ["time": .time])
        #expect(back.text == "time\n2000-10-10T20:55:36Z\n2000-10-10T20:55:36Z\n")
    }

    @Test func aTimeWithSlashesIsNotThatOfAnAccessLogForThat() throws {
        let times = ["2024/06/08T16:05:00Z", "10/Oct/2000:13:55:36 -0700", "10/Oct/2000:13:55:36.5 -0700"]
        let log = try Conversion(Array("time\n\(times.joined(separator: "\n"))\n".utf8), from: CSVFormat(), to: common)
        let written = log.text.split(separator: "\n").map { $0.dropFirst(6).prefix(28) }
        #expect(written == ["[08/Jun/2024:16:05:00 +0000]", "[10/Oct/2000:13:55:36 -0700]"])
        #expect(log.rejections.count == 1, "\(log.rejections)")
    }

    // MARK: logfmt

    @Test func logfmtHasNamesAndValues() throws {
        let line = #"at=info method=GET path="/a \"b\" \u00e9" url=/?a=b&c="d" flag empty= n=1.50"#
        let names = ["at", "method", "path", "url", "flag", "empty", "n"]
        #expect(read(line, LogfmtFormat(), names) == [##"1: info¦GET¦/a "b" é¦/?a=b&c="d"¦-¦¦1.50"##])
        #expect(try self.names(line + "\nat=x more=1\n", LogfmtFormat()) == names + ["more"])
        #expect(read("a=1 a=2\t b=3 ", LogfmtFormat(), ["b", "a"]) == ["1: 3¦2"])
        try expectRoundTrip("a=1 b c=\"x y\" d=\"q\\\"\\n\" e=é f=\n", LogfmtFormat())
        let cases = [
            ("=1", "expected a name at byte 1"), (" ", "expected a name at byte 2"),
            ("a=\"x", "the string is not closed at byte 5"),
            ("a=\"x\"y", "expected a blank behind the quote at byte 6"),
            ("a\"b", "expected '=' or a blank at byte 2"), (#"a="\q""#, "there is no such escape at byte 4"),
        ]
        for (line, reason) in cases { #expect(read(line, LogfmtFormat(), ["a"]) == ["1: ! \(reason)"], "\(line)") }
    }

    // MARK: CEF

    @Test func cefHasAHeadAndAnExtension() throws {
        let line =
            #"Sep 19 08:26:10 host CEF:0|Ven\|dor|Pro\\duct|1.0|100|wo rm|10|src=10.0.0.1 msg=a \= b  act=C:\temp\x url=/?a=1 e= "#
            + #"cs1Label=x"#
        let head = ["prefix", "cefVersion", "deviceVendor", "deviceProduct", "deviceEventClassId", "name", "severity"]
        #expect(read(line, CEFFormat(), head) == [#"1: Sep 19 08:26:10 host¦0¦Ven|dor¦Pro\duct¦100¦wo rm¦10"#])
        let keys = ["src", "msg", "act", "url", "e", "cs1Label"]
        #expect(read(line, CEFFormat(), keys) == [#"1: 10.0.0.1¦a = b¦C:\temp\x¦/?a=1¦¦x"#])
        #expect(try names(line, CEFFormat()) == head.prefix(4) + ["deviceVersion"] + head.dropFirst(4) + keys)
        #expect(read("CEF:0|a|b|c|d|e|f", CEFFormat(), ["severity", "prefix"]) == ["1: f¦-"])
        try expectRoundTrip("CEF:0|a|b|c\\\\|d\\||e|5|src=1 msg=a\\=b\\nc\\\\d e= f= g=x y\n", CEFFormat())
        try expectRoundTrip("h1 CEF:1|a|b|c|d|e|5|\n", CEFFormat())
        let cases = [
            ("nothing", "expected 'CEF:' at byte 1"), ("xCEF:0|", "expected 'CEF:' at byte 1"),
            ("CEF:0|a|b", "expected '|' at byte 10"), ("CEF:0|a|b|c|d|e|f|x", "expected a name and '=' at byte 19"),
            ("CEF:0|a|b|c|d|e|f|=x", "expected a name and '=' at byte 19"),
        ]
        for (line, reason) in cases { #expect(read(line, CEFFormat(), ["name"]) == ["1: ! \(reason)"], "\(line)") }
    }

    // MARK: LEEF

    @Test func leefHasAHeadAndAttributes() throws {
        let names = ["prefix", "leefVersion", "vendor", "product", "version", "eventID", "delimiter", "src", "msg"]
        #expect(
            read("h LEEF:1.0|V|P|9|id|src=1\tmsg=a=b\t\tx=\t", LEEFFormat(), names) == ["1: h¦1.0¦V¦P¦9¦id¦-¦1¦a=b"]
        )
        for delimiter in ["^", "x5E", "0x5e", "x005E"] {
            let line = "LEEF:2.0|V|P|9|id|\(delimiter)|src=1^msg=a\tb"
            #expect(read(line, LEEFFormat(), names) == ["1: -¦2.0¦V¦P¦9¦id¦\(delimiter)¦1¦a\tb"])
            try expectRoundTrip(line + "\n", LEEFFormat())
        }
        #expect(read("LEEF:2.0|V|P|9|id||src=1\tmsg=2", LEEFFormat(), ["src", "msg"]) == ["1: 1¦2"])
        #expect(read("LEEF:2.0|V|P|9|id|0x7C|src=1|msg=2", LEEFFormat(), ["src", "msg"]) == ["1: 1¦2"])
        // Without the delimiter, which some programs leave out.
        #expect(read("LEEF:2.0|V|P|9|id|src=1|2\tmsg=2", LEEFFormat(), ["src", "msg"]) == ["1: 1|2¦2"])
        #expect(read("LEEF:2.0|V|P|9|id", LEEFFormat(), ["eventID"]) == ["1: id"])
        try expectRoundTrip("LEEF:1.0|V|P|9|id|src=1\tmsg=a b=\te=\n", LEEFFormat())
        let cases = [
            ("x", "expected 'LEEF:' at byte 1"), ("LEEF:1.0|V", "expected '|' at byte 11"),
            ("LEEF:1.0|V|P|9|id|src", "expected a name and '=' at byte 19"),
            ("LEEF:1.0|V|P|9|id|a=1\t=2", "expected a name and '=' at byte 23"),
        ]
        for (line, reason) in cases { #expect(read(line, LEEFFormat(), ["src"]) == ["1: ! \(reason)"], "\(line)") }
    }

    /// What a format cannot express is refused, and not written as something else.
    @Test func whatCannotBeWrittenIsRefused() throws {
        func refusals(_ values: [String: String], _ format: some Format) throws -> [String] {
            let names = values.keys.sorted()
            let line = "{" + names.map { "\"\($0)\":\"\(values[$0] ?? "")\"" }.joined(separator: ",") + "}\n"
            return try Conversion(Array(line.utf8), from: JSONLinesFormat(), to: format, fields: names).rejections
        }
        #expect(try refusals(["a": "x "], CEFFormat()) == ["field 'a' ends with a blank, which gets lost in CEF"])
        #expect(
            try refusals(["prefix": "a CEF:"], CEFFormat()) == [
                "field 'prefix' has 'CEF:' in it, which begins an event"
            ]
        )
        let lost = "has a delimiter or a line break, which LEEF cannot write"
        #expect(try refusals(["a": "x\\ty"], LEEFFormat()) == ["field 'a' \(lost)"])
        #expect(try refusals(["a": "x\\ny"], LEEFFormat()) == ["field 'a' \(lost)"])
        #expect(try refusals(["a": "x^y", "delimiter": "^"], LEEFFormat()) == ["field 'a' \(lost)"])
        #expect(
            try refusals(["vendor": "x|y"], LEEFFormat()) == ["field 'vendor' has a '|', which the head of LEEF cannot"]
        )
        #expect(try refusals(["delimiter": "--"], LEEFFormat()).count == 1)
        #expect(try refusals(["delimiter": "^", "leefVersion": "1.0"], LEEFFormat()).count == 1)
        let pattern = try LinePatternFormat("{a} {b}")
        #expect(
            try refusals(["a": "x y", "b": "z"], pattern) == [
                "field 'a' would not end where it does: ' ' follows it in the pattern"
            ]
        )
        #expect(try refusals(["a": "x", "b": "z\\r"], pattern).count == 1)
        #expect(try refusals(["a": "x", "b": "z\\nz"], pattern).count == 1)
        #expect(try refusals(["a": "x", "b": "z z"], pattern).isEmpty)
        for (name, format) in [("a b", LogfmtFormat() as any Format), ("a=b", LEEFFormat()), ("ä", CEFFormat())] {
            let schema = OutputSchema(fields: [OutputSchema.Field(name)], tellsTextFromNumbers: false)
            #expect(format.refusal(of: schema)?.contains("the name '\(name)' cannot be written as") == true)
        }
    }
}
