import Foundation
import Testing
import WeirCore
import WeirRecords
import WeirTesting

@testable import WeirFormats

@Suite struct SyslogFormatTests {
    /// A clock that stands still.
    private struct StandingClock: TimeSource {
        let time: Timestamp

        func now() -> Timestamp { time }
    }

    private static let names = ["facility", "severity", "time", "host", "app", "procid", "msgid", "message", "data"]
    private static let clock = StandingClock(time: Timestamp("2026-03-05T12:00:00Z") ?? .distantPast)

    private func read(
        _ text: String,
        _ fields: [String] = names,
        framed: Bool = false,
        limit: Int = 1 << 20,
        capacity: Int = 512,
        nextPiece: () -> Int = { 1 << 20 }
    ) -> Transcript {
        let format = SyslogFormat(clock: Self.clock)
        let fields = fields.map { RecordSchema.Field($0) }
        func transcript(_ format: some Format, _ bytes: [UInt8]) -> Transcript {
            Transcript(bytes, format, fields: fields, limit: limit, capacity: capacity, nextPiece: nextPiece)
        }
        guard framed else { return transcript(format, Array(text.utf8)) }
        let length = text.utf8.count
        return transcript(
            format.framed(by: .length),
            (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + text.utf8
        )
    }

    private func record(_ text: String, _ fields: [String] = names, framed: Bool = false) -> [String?] {
        let transcript = read(text, fields, framed: framed)
        #expect(transcript.rejections.isEmpty && transcript.violations.isEmpty && transcript.records.count == 1)
        return transcript.records.first?.fields ?? []
    }

    @Test func readsTheExamplesOfRFC5424() {
        #expect(
            record(
                "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \u{FEFF}'su root' failed for lonvick"
            )
                == [
                    "4", "2", "2003-10-11T22:14:15.003Z", "mymachine.example.com", "su", nil, "ID47",
                    "'su root' failed for lonvick", nil,
                ]
        )
        #expect(
            record("<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time.")
                == [
                    "20", "5", "2003-08-24T05:14:15.000003-07:00", "192.0.2.1", "myproc", "8710", nil, "%% It's time.",
                    nil,
                ]
        )
        let data = #"[exampleSDID@32473 iut="3" eventSource="Application"][examplePriority@32473 class="high"]"#
        let message = "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 \(data)"
        #expect(record(message)[7...] == [nil, data])
        #expect(
            record(
                message + " text",
                ["data.exampleSDID@32473.iut", "data.examplePriority@32473.class", "data.x.y", "message"]
            )
                == ["3", "high", nil, "text"]
        )
        #expect(record("<0>1 - - - - - -") == ["0", "0", nil, nil, nil, nil, nil, nil, nil])
    }

    @Test func valuesOfStructuredDataLoseTheirEscapes() {
        let message = #"<191>1 - - - - - [a.b c="1\"2\\3\]4\n5" d="]"#
        #expect(read(message + "\" ] x").rejections.map(\.reason) == ["the structured data is none at byte 27 of it"])
        let sound = #"<191>1 - - - - - [a.b c="1\"2\\3\]4\n5" d=""][e] x"#
        #expect(
            record(sound, ["data.a.b.c", "data.a.b.c", "message", "severity"]) == [
                #"1"2\3]4\n5"#, #"1"2\3]4\n5"#, "x", "7",
            ]
        )
    }

    @Test(arguments: [
        (
            "<34>Oct 11 22:14:15 mymachine su: 'su root' failed",
            ["4", "2", "2025-10-11T22:14:15Z", "mymachine", "su", nil, nil, "'su root' failed", nil]
        ),
        (
            "<13>Feb  5 17:32:18 10.0.0.99 Use the BFG!",
            ["1", "5", "2026-02-05T17:32:18Z", "10.0.0.99", nil, nil, nil, "Use the BFG!", nil]
        ),
        (
            "<13>Mar  6 11:59:59 sshd[4711]: hello",
            ["1", "5", "2026-03-06T11:59:59Z", nil, "sshd", "4711", nil, "hello", nil]
        ),
        (
            "<13>Mar  6 12:00:01 sshd[4711]: hello",
            ["1", "5", "2025-03-06T12:00:01Z", nil, "sshd", "4711", nil, "hello", nil]
        ),
        (
            "Feb 29 00:00:00 h kernel: [1.2] x",
            [nil, nil, "2024-02-29T00:00:00Z", "h", "kernel", nil, nil, "[1.2] x", nil]
        ),
        (
            "2026-03-05T10:11:12.5+01:00 h app/x[7]: m",
            [nil, nil, "2026-03-05T10:11:12.5+01:00", "h", "app/x", "7", nil, "m", nil]
        ),
        ("<7>no time at all", ["0", "7", nil, nil, nil, nil, nil, "no time at all", nil]),
        ("<7>Oct 11 22:14:15 fe80::1 x", ["0", "7", "2025-10-11T22:14:15Z", "fe80::1", nil, nil, nil, "x", nil]),
        ("<7>Oct 11 22:14:15", ["0", "7", "2025-10-11T22:14:15Z", nil, nil, nil, nil, nil, nil]),
        ("<7>1", ["0", "7", nil, nil, nil, nil, nil, "1", nil]),
    ])
    func readsWhatRFC3164Describes(text: String, fields: [String?]) {
        #expect(record(text) == fields, "\(text)")
    }

    @Test(arguments: [
        ("hello", "it is no message of syslog, which begins with '<PRI>' or a time such as 'Oct 11 22:14:15'"),
        ("<192>1 - - - - - -", "the priority is not a number from 0 to 191 between '<' and '>'"),
        ("<>x", "the priority is not a number from 0 to 191 between '<' and '>'"),
        ("<1 x", "the priority is not a number from 0 to 191 between '<' and '>'"),
        ("<1>1 - - -", "the header of RFC 5424 breaks off at its app"),
        ("<1>1 - - - - - x", "the structured data is none at byte 1 of it"),
        ("<1>1 - - - - - [a b=\"c]", "the structured data is none at byte 8 of it"),
        ("<1>1 - - - - - [a]x", "a blank is missing behind the structured data"),
        ("<1>Feb 30 00:00:00 h x", "there is no such day"), ("Oct 11 25:14:15 h x", "it is no message of syslog"),
    ])
    func rejectsWhatIsNone(text: String, reason: String) {
        let transcript = read("<1>x\n\(text)\r\n\n<2>y")
        #expect(transcript.records.map { $0.fields[7] } == ["x", "y"] && transcript.records.map(\.line) == [1, 4])
        let rejection = transcript.rejections.first
        #expect(rejection?.reason.hasPrefix(reason) == true && rejection?.line == 2, "\(transcript.rejections)")
        #expect(rejection.map { String(decoding: $0.raw, as: UTF8.self) } == text)
    }

    @Test func aFrameIsOneMessageWithItsLineBreaks() {
        #expect(record("<1>1 - - - - - - one\ntwo\n", framed: true)[7] == "one\ntwo")
        let format = SyslogFormat(clock: Self.clock).framed(by: .length)
        var bytes: [UInt8] = []
        for text in ["<8>Mar  1 00:00:00 a b[1]: c", "bad", "<9>1 - - - - - [a b=\"\\\"\"] d\ne"] {
            bytes += [0, 0, 0, UInt8(text.utf8.count)] + text.utf8
        }
        let fields = ["facility", "time", "procid", "data.a.b", "message"].map { RecordSchema.Field($0) }
        for piece in [1, 2, 7, 1000] {
            let transcript = Transcript(bytes, format, fields: fields, capacity: 1) { piece }
            #expect(
                transcript.records.map(\.fields) == [
                    ["1", "2026-03-01T00:00:00Z", "1", nil, "c"], ["1", nil, nil, "\"", "d\ne"],
                ]
            )
            #expect(transcript.rejections.map(\.raw) == [Array("bad".utf8)] && transcript.violations.isEmpty)
        }
    }

    @Test func aRejectionTellsTheNumberOfItsFrame() {
        let texts =
            Array(repeating: "<8>Mar  1 00:00:00 a b: c", count: 1100) + [
                "", "bad", String(repeating: "x", count: 99), "bad",
            ]
        let bytes = texts.flatMap { [0, 0, 0, UInt8($0.utf8.count)] + $0.utf8 }
        for capacity in [1, 512] {
            let transcript = Transcript(
                bytes,
                SyslogFormat(clock: Self.clock).framed(by: .length),
                fields: [RecordSchema.Field("message")],
                limit: 50,
                capacity: capacity
            ) { 300 }
            #expect(transcript.records.map(\.line) == Array(1...1100))
            #expect(Set(transcript.rejections.map(\.line)) == [1102, 1103, 1104])
        }
    }

    @Test func linesThatAreTooLongOrNoTextAreRejected() {
        let transcript = read("<1>\(String(repeating: "x", count: 100))\n<2>y\n", limit: 50)
        #expect(transcript.records.map { $0.fields[7] } == ["y"] && transcript.rejections.count >= 1)
        let bytes = Array("<1>a".utf8) + [0xFF, 0x0A] + Array("<2>b".utf8)
        let fields = [RecordSchema.Field("message")]
        let other = Transcript(bytes, SyslogFormat(), fields: fields)
        #expect(
            other.records.map(\.fields) == [["b"]]
                && other.rejections.map(\.reason) == ["the message is not valid UTF-8"]
        )
    }

    /// However the input is cut, and however small the batch is, the same comes out.
    @Test func piecesAndBatchesMakeNoDifference() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let pool = [
                "<34>Oct 11 22:14:15 h su: x", #"<165>1 2003-10-11T22:14:15Z h a 1 I [i n="a\"b"] é"#, "bad", "",
                "<1>1 - - - - - - \r",
                "<200>x", "<7>no time",
            ]
            let text = (0..<200).map { _ in pool.randomElement(using: &generator) ?? "" }.joined(separator: "\n")
            let fields = Self.names + ["data.i.n"]
            let whole = read(text, fields)
            let cut = read(text, fields, capacity: Int.random(in: 1...20, using: &generator)) {
                Int.random(in: 1...60, using: &generator)
            }
            #expect(whole == cut && cut.violations.isEmpty, "seed \(seed)")
            #expect(whole.records.count + whole.rejections.count > 150)
        }
    }
}
