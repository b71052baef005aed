import Testing
import WeirCore
import WeirFormats
import WeirRecords

@Suite struct SyslogWriterTests {
    private func convert(
        _ text: String,
        from source: any Format = JSONLinesFormat(),
        to target: any Format = SyslogFormat(),
        fields: [String]? = nil,
        types: [String: FieldType] = [:],
        times: InputTimes? = nil
    ) throws -> Conversion {
        try Conversion(Array(text.utf8), from: source, to: target, fields: fields, types: types, times: times)
    }

    @Test(arguments: [
        "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - 'su root' failed for lonvick on /dev/pts/8",
        "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time to make the do-nuts.",
        #"<165>1 2003-10-11T22:14:15.003Z h evntslog - ID47 [e@32473 iut="3"][p@32473 class="hi\"gh\]\\"] text"#,
        #"<165>1 - - - - - [e@32473 iut="3"]"#, "<0>1 - - - - - -",
    ])
    func messagesOfRFC5424ComeOutAsTheyWere(message: String) throws {
        let output = try convert(message + "\n", from: SyslogFormat())
        #expect(output.text == message + "\n" && output.rejections.isEmpty, "\(output.rejections)")
    }

    @Test func whatIsNotSaidHasAValueThatRelaysGive() throws {
        #expect(try convert(#"{"message":"hello"}"#).text == "<13>1 - - - - - - hello\n")
        #expect(try convert(#"{"message":""}"#).text == "<13>1 - - - - - -\n")
        #expect(try convert("<7>Oct 11 x\n", from: SyslogFormat()).text == "<7>1 - - - - - - Oct 11 x\n")
    }

    @Test(arguments: [
        (#""facility":"local0","severity":"error""#, 16 << 3 | 3), (#""facility":23,"severity":"0""#, 23 << 3),
        (#""facility":"AUTH","severity":"Warn""#, 4 << 3 | 4), (#""severity":"debug""#, 1 << 3 | 7),
        (#""facility":"kern""#, 5),
    ])
    func numbersMayBeNames(members: String, priority: Int) throws {
        let output = try convert("{\(members)}\n")
        #expect(output.text == "<\(priority)>1 - - - - - -\n" && output.rejections.isEmpty, "\(output.rejections)")
    }

    @Test(arguments: [
        ("2026-02-01T13:00:00Z", "2026-02-01T13:00:00Z"),
        ("2026-02-01T13:00:00.123456+05:30", "2026-02-01T13:00:00.123456+05:30"),
        ("2026-02-01 13:00:00+0100", "2026-02-01T12:00:00Z"),
        ("01/Feb/2026:13:00:00 +0100", "2026-02-01T12:00:00Z"), ("1769947200250", "2026-02-01T12:00:00.25Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"), ("2026-02-01t13:00:00z", "2026-02-01T13:00:00Z"), ("-", "-"),
    ])
    func timesAreThoseOfRFC5424(text: String, written: String) throws {
        let output = try convert("{\"time\":\"\(text)\"}\n")
        #expect(output.text == "<13>1 \(written) - - - - -\n", "\(output.rejections)")
    }

    @Test func timesAreReadAsTheInputWritesThem() throws {
        let zone = try ZoneFolder.rules(of: "Europe/Amsterdam")
        let times = InputTimes(unit: .milliseconds, zone: zone)
        let output = try convert(#"{"time":"2026-07-01 13:00:00"}"#, times: times)
        #expect(output.text == "<13>1 2026-07-01T11:00:00Z - - - - -\n", "\(output.rejections)")
        let log = try convert(#"{"time":"2026-07-01 13:00:00"}"#, to: AccessLogFormat(.common), times: times)
        #expect(log.text == "- - - [01/Jul/2026:11:00:00 +0000] \"-\" - -\n", "\(log.rejections)")
        let format = InputTimes(unit: .milliseconds, zone: zone, format: try TimeFormat("%d.%m.%Y %H:%M"))
        for types in [[:], ["time": FieldType.time]] {
            let output = try convert(#"{"time":"01.07.2026 13:00"}"#, types: types, times: format)
            #expect(output.text == "<13>1 2026-07-01T11:00:00Z - - - - -\n", "\(output.rejections)")
        }
    }

    @Test func valuesOfStructuredDataAreGatheredByTheirElements() throws {
        let fields = ["data.a@1.2.x.y", "message", "data.b.z", "data.a@1.2.q"]
        let output = try convert(
            #"{"data.a@1.2.x.y":"1]\"\\","message":"m","data.b.z":null,"data.a@1.2.q":2}"#,
            fields: fields
        )
        #expect(output.text == #"<13>1 - - - - - [a@1.2 x.y="1\]\"\\" q="2"] m"# + "\n", "\(output.rejections)")
        let back = try Conversion(output.output, from: SyslogFormat(), to: JSONLinesFormat(), fields: fields)
        #expect(back.text == #"{"data.a@1.2.x.y":"1]\"\\","message":"m","data.a@1.2.q":"2"}"# + "\n")
    }

    @Test(arguments: [
        (#"{"host":"a b"}"#, "has a blank, or a character that is not of ASCII"), (#"{"app":"é"}"#, "not of ASCII"),
        (#"{"msgid":"123456789012345678901234567890123"}"#, "has more than the 32 bytes that RFC 5424 gives it"),
        (#"{"severity":8}"#, "is no severity of syslog, a number from 0 to 7 or a name such as err: '8'"),
        (#"{"facility":"x"}"#, "is no facility of syslog, a number from 0 to 23 or a name such as daemon: 'x'"),
        (#"{"data":"[a b=c]"}"#, "is no structured data, such as [origin ip=\"192.0.2.1\"]: '[a b=c]'"),
        (#"{"data":"[a] x"}"#, "is no structured data"), (#"{"message":"a\nb"}"#, "line break"),
        (#"{"message":"a\r"}"#, "carriage return"), (#"{"time":"noon"}"#, "is neither a number nor a time: 'noon'"),
        (#"{"time":"2026-02-01 13:00:00"}"#, "has no time zone"),
        (#"{"time":"2026-02-01T13:00:00.1234567Z"}"#, "has more than six digits of a fraction"),
    ])
    func whatHasNoPlaceIsRefused(line: String, reason: String) throws {
        let output = try convert(line + "\n{\"message\":\"next\"}\n")
        #expect(output.text == "<13>1 - - - - - - next\n")
        #expect(output.rejections.count == 1 && output.rejections[0].contains(reason), "\(output.rejections)")
    }

    @Test func aFrameHasAMessageWithItsLineBreaks() throws {
        let fields = ["message"]
        for text in ["a\\nb", "a\\n", "\\n", "\u{FEFF}a"] {
            let output = try convert("{\"message\":\"\(text)\"}\n", to: SyslogFormat().framed(by: .length))
            #expect(output.rejections.isEmpty)
            let back = try Conversion(
                output.output,
                from: SyslogFormat().framed(by: .length),
                to: JSONLinesFormat(),
                fields: fields
            )
            #expect(back.text == "{\"message\":\"\(text)\"}\n", "\(output.text)")
        }
    }

    @Test(arguments: [
        (["message", "x"], "there is no place for the field 'x' in a message of syslog"),
        (["data.x"], "no place for the field 'data.x'"), (["data.a=.b"], "no place for the field 'data.a=.b'"),
        (["data", "data.a.b"], "'data' has all structured data of a message, so that 'data.a.b' cannot be written"),
    ])
    func namesThatHaveNoPlaceAreRefused(names: [String], words: String) {
        let schema = OutputSchema(fields: names.map { OutputSchema.Field($0) }, tellsTextFromNumbers: true)
        #expect(SyslogFormat().refusal(of: schema)?.contains(words) == true)
    }

    @Test func allPartsHaveAPlace() {
        let names = ["facility", "severity", "time", "host", "app", "procid", "msgid", "message", "data.a.b"]
        let schema = OutputSchema(fields: names.map { OutputSchema.Field($0) }, tellsTextFromNumbers: true)
        #expect(SyslogFormat().refusal(of: schema) == nil)
    }
}
