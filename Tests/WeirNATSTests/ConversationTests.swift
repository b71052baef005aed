import Testing
import WeirCore
import WeirRecords

@testable import WeirNATS
@testable import WeirSockets

/// In virtual time.
@Suite struct ConversationTests {
    private static func moment(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

    private static func take(_ text: String, _ words: inout NATSConversation, _ now: Moment) throws(NATSError)
        -> [String]
    {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { unsafe words.take($0, now: now) }
        var events: [String] = []
        while let event = try words.next(now: now) { events.append("\(event)") }
        return events
    }

    private static func sent(_ words: inout NATSConversation) -> String {
        defer { words.noteSent(words.output.count) }
        return String(decoding: words.output, as: UTF8.self)
    }

    private static func connected(_ settings: NATSSettings = NATSSettings()) throws -> NATSConversation {
        var words = NATSConversation(settings, now: moment(0))
        #expect(try take(FakeServer.info, &words, moment(1)).isEmpty)
        #expect(!words.isUp)
        #expect(try take("PONG\r\n", &words, moment(2)) == ["isUp"])
        #expect(words.isUp)
        return words
    }

    @Test func theServerIsToldWhoAsks() throws {
        var settings = NATSSettings()
        settings.credentials = .user("me \"quoted\"", password: "secret\n")
        var words = try Self.connected(settings)
        let sent = Self.sent(&words)
        #expect(sent.hasPrefix("CONNECT {") && sent.hasSuffix("}\r\nPING\r\n"))
        for part in [
            #""user":"me \"quoted\"""#, #""pass":"secret\n""#, #""headers":true"#, #""no_responders":true"#,
            #""lang":"swift""#,
        ] {
            #expect(sent.contains(part), "\(part)")
        }
        settings.credentials = .token("t")
        words = try Self.connected(settings)
        #expect(Self.sent(&words).contains(#""auth_token":"t""#))
    }

    @Test(arguments: [
        ("INFO {\"tls_required\":true}\r\n", "leaf node"), ("SSH-2.0-OpenSSH_9.2\r\n", "no server of NATS"),
        ("INFO nonsense\r\n", "no object of JSON"), ("INFO {\"max_payload\":-1}\r\n", "limit"),
        ("-ERR 'Authorization Violation'\r\n", "nats://USER:PASSWORD@HOST"), ("MSG a 1 0\r\n\r\n", "before"),
        ("PONG\r\n", "nobody asked"),
    ])
    func whatCannotBeConnectedToIsSaid(text: String, reason: String) throws {
        var words = NATSConversation(NATSSettings(), now: Self.moment(0))
        let error = #expect(throws: NATSError.self) { try Self.take(text, &words, Self.moment(1)) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func aServerThatSaysNothingIsGivenUp() throws {
        var words = NATSConversation(NATSSettings(), now: Self.moment(0))
        #expect(words.deadline == Self.moment(5))
        try words.checkTime(Self.moment(4))
        #expect(throws: NATSError.self) { try words.checkTime(Self.moment(5)) }
        // Also one that says half of it, again and again.
        words = NATSConversation(NATSSettings(), now: Self.moment(0))
        _ = try Self.take("INFO {", &words, Self.moment(4))
        #expect(throws: NATSError.self) { try words.checkTime(Self.moment(5)) }
    }

    @Test func aSilentServerIsAskedWhetherItIsThere() throws {
        var words = try Self.connected()
        _ = Self.sent(&words)
        #expect(words.deadline == Self.moment(32))
        try words.checkTime(Self.moment(32))
        #expect(Self.sent(&words) == "PING\r\n")
        #expect(words.deadline == Self.moment(37))
        #expect(try Self.take("PONG\r\n", &words, Self.moment(33)) == ["pong(2)"])
        #expect(words.deadline == Self.moment(63))
        try words.checkTime(Self.moment(63))
        try words.checkTime(Self.moment(64))
        let error = #expect(throws: NATSError.self) { try words.checkTime(Self.moment(68)) }
        #expect(error?.kind == .disconnected)
    }

    @Test func pingsAreAnsweredAndRefusalsAreToldApart() throws {
        var words = try Self.connected()
        _ = Self.sent(&words)
        #expect(try Self.take("PING\r\n+OK\r\n", &words, Self.moment(3)).isEmpty)
        #expect(Self.sent(&words) == "PONG\r\n")
        let refusal = try Self.take("-ERR 'Permissions Violation for Publish to \"a\"'\r\n", &words, Self.moment(3))
        #expect(refusal == ["refusal(\"Permissions Violation for Publish to \\\"a\\\"\")"])
        let slow = #expect(throws: NATSError.self) {
            try Self.take("-ERR 'Slow Consumer'\r\n", &words, Self.moment(3))
        }
        #expect(slow?.reason.contains("not read fast enough") == true)
    }

    @Test func messagesAreWrittenAndBounded() throws {
        var words = try Self.connected()
        _ = Self.sent(&words)
        try words.publish("a.b", Array("hello".utf8)[...])
        try words.publish("a", reply: "r", headers: Array("NATS/1.0\r\nA: b\r\n\r\n".utf8), [])
        words.subscribe("x.>", as: 7)
        words.unsubscribe(7)
        #expect(
            Self.sent(&words)
                == "PUB a.b 5\r\nhello\r\nHPUB a r 18 18\r\nNATS/1.0\r\nA: b\r\n\r\n\r\nSUB x.> 7\r\nUNSUB 7\r\n"
        )
        #expect(throws: NATSError.self) { try words.publish("a", Array(repeating: 0, count: 1025)[...]) }
        #expect(Self.sent(&words).isEmpty)
    }

    @Test func whatIsSentInPiecesIsSentOnce() throws {
        var words = try Self.connected()
        _ = Self.sent(&words)
        var wanted: [UInt8] = []
        var sent: [UInt8] = []
        for number in 0..<2000 {
            let payload = [UInt8](repeating: UInt8(number % 251), count: 1000)
            try words.publish("a", payload[...])
            wanted += "PUB a 1000\r\n".utf8 + payload + "\r\n".utf8
            // Slower than it is written, then faster.
            let count = min(words.output.count, number < 1000 ? 700 : 3000)
            sent += words.output.prefix(count)
            words.noteSent(count)
        }
        sent += words.output
        words.noteSent(words.output.count)
        #expect(sent == wanted && words.output.isEmpty)
    }

    @Test func pullsAreTwoAndAreMadeAgain() {
        var pull = JetStreamPull(batch: 10, byteLimit: 1000)
        let first = pull.request(Self.moment(0))
        let json = String(decoding: first?.payload ?? [], as: UTF8.self)
        #expect(json == #"{"batch":10,"max_bytes":1000,"expires":30000000000,"idle_heartbeat":5000000000}"#)
        #expect(pull.request(Self.moment(0))?.number == 2)
        #expect(pull.request(Self.moment(0)) == nil && pull.outstanding == 20)
        for _ in 0..<9 { pull.noteMessage(Self.moment(1)) }
        #expect(pull.request(Self.moment(1)) == nil)
        pull.noteMessage(Self.moment(1))
        #expect(pull.request(Self.moment(1))?.number == 3)
        func note(_ text: String) -> JetStreamPull.Status? {
            NATSHeaders("NATS/1.0 \(text)\r\n\r\n".utf8).map { pull.note($0, Self.moment(2)) }
        }
        #expect(note("100 Idle Heartbeat") == .goesOn && pull.outstanding == 20)
        #expect(note("408 Request Timeout\r\nNats-Pending-Messages: 3") == .goesOn && pull.outstanding == 17)
        #expect(note("409 Leadership Change") == .goesOn && pull.outstanding == 0)
        #expect(note("409 Consumer Deleted") == .isGone && note("503") == .isGone)
        #expect(note("400 Bad Request") == .refused("400 Bad Request"))
        _ = pull.request(Self.moment(2))
        // Where the consumer says nothing any more, it is asked again.
        #expect(pull.deadline == Self.moment(17))
        #expect(pull.request(Self.moment(17)) != nil && pull.outstanding == 10)
        #expect(pull.silences == 1 && pull.request(Self.moment(32)) != nil && pull.silences == 2)
        pull.noteMessage(Self.moment(33))
        #expect(pull.silences == 0)
    }

    /// Also those behind others, whose heads they share as far as that goes.
    @Test(arguments: [0, 9, 98, 99_999, 100_000, UInt64.max - 9]) func messagesOfASinkAreTheSameAsOthers(first: UInt64)
        throws
    {
        let texts = [
            "hello", "there", "", String(repeating: "x", count: 99), String(repeating: "y", count: 900), "a", "b",
        ]
        for (stream, partition) in [("S", nil), ("S", 7), (nil, 65_535), (nil, nil)] as [(String?, Int?)] {
            let settings = NATSLinkSettings(subject: "a.b", stream: stream)
            var head = NATSMessageHead(settings, origin: "origin", inbox: "_INBOX.x")
            var (one, other) = (try Self.connected(), try Self.connected())
            for (index, text) in (texts + texts.reversed()).enumerated() {
                // The next one, and twice one that is not.
                let number = index == 4 ? first + 8 : first + UInt64(min(index, 9))
                let partition = partition.map { index < 6 ? $0 : $0 - 1 }
                let payload = Array(text.utf8)
                try unsafe payload.withUnsafeBufferPointer { payload throws(NATSError) in
                    try unsafe one.publish(payload, behind: &head, number: number, of: partition)
                }
                let id = "Nats-Msg-Id: origin-\(number)\r\n"
                try other.publish(
                    "a.b" + (partition.map { ".\($0)" } ?? ""),
                    reply: stream.map { _ in "_INBOX.x.\(number)" },
                    headers: stream.map { Array("NATS/1.0\r\n\(id)Nats-Expected-Stream: \($0)\r\n\r\n".utf8) } ?? [],
                    payload[...]
                )
                #expect(Self.sent(&one) == Self.sent(&other))
            }
        }
    }

    @Test func aMessageThatIsTooLongLeavesNothingBehind() throws {
        let settings = NATSLinkSettings(subject: "a.b", stream: "S")
        var head = NATSMessageHead(settings, origin: "origin", inbox: "_INBOX.x")
        var words = try Self.connected()
        _ = Self.sent(&words)
        func publish(_ count: Int, _ number: UInt64) throws(NATSError) {
            let payload = [UInt8](repeating: 0x61, count: count)
            try unsafe payload.withUnsafeBufferPointer { payload throws(NATSError) in
                try unsafe words.publish(payload, behind: &head, number: number, of: nil)
            }
        }
        let error = #expect(throws: NATSError.self) { try publish(1024, 3) }
        #expect(error?.kind == .unsendable && Self.sent(&words).isEmpty)
        try publish(1, 3)
        #expect(Self.sent(&words).hasPrefix("HPUB a.b _INBOX.x.3 "))
    }

    @Test func theSubjectOfAnAcknowledgementTellsThePlace() {
        func place(_ text: String) -> JetStreamPlace? { JetStreamPlace(Array(text.utf8)[...]) }
        let short = place("$JS.ACK.S.C.1.42.7.1700000000000000000.0")
        #expect(short?.streamSequence == 42 && short?.consumerSequence == 7)
        #expect(place("$JS.ACK.hub.hash.S.C.1.42.7.1700000000000000000.0.token") == short)
        #expect(place("$JS.ACK.hub.hash.S.C.1.42.7.1700000000000000000.0") == short)
        #expect(
            place("$JS.ACK.S.C.1.9999999999999999999.0.1.00")
                == JetStreamPlace(9_999_999_999_999_999_999, 0, pending: 0)
        )
        for text in [
            "", "a.b", "$JS.ACK.", "$JS.ACK.S.C.1..7.1.0", "$JS.ACK.S.C.1.42.7.1.", "$JS.ACK.S.C.1.42.7.1.x",
            "$JS.ACK.S.C.1.42.7..0", "$JS.ACK.S.C.1.00000000000000000042.7.1.0", "$JS.ACK.S.C.1.x.7.1.0",
            "$JS.FC.S.C.1.42.7.1.0",
            "$JS.ACK.S.C.1.42.7.1.0.0",
        ] {
            #expect(place(text) == nil, "\(text)")
        }
    }
}
