import Testing
import WeirCore
import WeirTesting

@testable import WeirNATS

@Suite struct ParserTests {
    /// What was parsed, as text that can be compared.
    static func transcript(of pieces: [[UInt8]]) -> (words: [String], error: String?) {
        var parser = NATSParser()
        var words: [String] = []
        for piece in pieces {
            unsafe piece.withUnsafeBytes { unsafe parser.append($0) }
            do throws(NATSError) {
                while let frame = try parser.next() {
                    func text(_ range: Range<Int>) -> String { String(decoding: parser.bytes[range], as: UTF8.self) }
                    switch frame {
                    case .info(let range): words.append("info " + text(range))
                    case .error(let range): words.append("error " + text(range))
                    case .ping: words.append("ping")
                    case .pong: words.append("pong")
                    case .ok: words.append("ok")
                    case .message(let message):
                        let reply = message.reply.map(text) ?? "-"
                        words.append(
                            "\(message.subscription) \(text(message.subject)) \(reply) [\(text(message.headers))] "
                                + text(message.payload)
                        )
                    }
                }
            } catch {
                return (words, error.reason)
            }
        }
        return (words, nil)
    }

    static let dialogue =
        Array(
            "INFO {\"version\":\"2.12.0\"} \r\nPING\r\npong\r\n+OK\r\n-ERR 'Stale Connection'\r\nMSG a.b 9 5\r\nhello\r\n"
                .utf8
        )
        + Array(
            "MSG\ta  12\t_INBOX.x 0\r\n\r\nHMSG h 3 18 23\r\nNATS/1.0\r\nA: b\r\n\r\nx\r\nyz\r\nhmsg h 3 r 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"
                .utf8
        )

    static let words = [
        "info {\"version\":\"2.12.0\"}", "ping", "pong", "ok", "error Stale Connection", "9 a.b - [] hello",
        "12 a _INBOX.x [] ", "3 h - [NATS/1.0\r\nA: b\r\n\r\n] x\r\nyz", "3 h r [NATS/1.0 503\r\n\r\n] ",
    ]

    @Test func aDialogueIsReadHoweverItIsCut() {
        let whole = Self.transcript(of: [Self.dialogue])
        #expect(whole.error == nil)
        #expect(whole.words == Self.words)
        for place in 0...Self.dialogue.count {
            let pieces = [Array(Self.dialogue[..<place]), Array(Self.dialogue[place...])]
            #expect(Self.transcript(of: pieces).words == whole.words, "cut at \(place)")
        }
        #expect(Self.transcript(of: Self.dialogue.map { [$0] }).words == whole.words)
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n", "MSG a 1\r\n", "MSG a x 5\r\n", "MSG a 1 r 5 6\r\n", "MSG a 1 99999999999\r\n",
        "MSG a 1 2\r\nabcd\r\n", "HMSG a 1 5 4\r\n", "HMSG a 1 5\r\n", "PING\n", "\r\n", "MSG a 1 -1\r\n",
        "MSG a 1 2000000000\r\n", "\u{0}\u{1}\u{2}\r\n",
    ])
    func whatIsNoOperationIsRefusedInOneLine(text: String) throws {
        let error = try #require(Self.transcript(of: [Array(text.utf8)]).error)
        #expect(!error.contains("\n") && !error.contains("\r") && error.count < 300)
        // Also where it comes byte by byte.
        #expect(Self.transcript(of: text.utf8.map { [$0] }).error != nil)
    }

    @Test func linesAndMessagesAreBounded() throws {
        let endless = [UInt8](repeating: UInt8(ascii: "M"), count: 1024)
        let pieces = Array(repeating: endless, count: 5)
        #expect(try #require(Self.transcript(of: pieces).error).contains("4096"))
        // The list of a large cluster's servers is longer than a control line.
        let info = "INFO {\"connect_urls\":[" + String(repeating: "\"10.0.0.1:4222\",", count: 1000) + "1]}\r\n"
        #expect(Self.transcript(of: [Array(info.utf8)]).error == nil)
        let longest = (1 << 20) + NATSParser.headroom
        #expect(Self.transcript(of: [Array("MSG a 1 \(longest)\r\n".utf8)]).error == nil)
        #expect(try #require(Self.transcript(of: [Array("MSG a 1 \(longest + 1)\r\n".utf8)]).error).contains("1048576"))
    }

    @Test func anythingIsReadOrRefused() {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var bytes = Self.dialogue
            // Bytes of the dialogue in another place, or any others.
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(bytes.randomElement(using: &generator) ?? 0, at: place)
                default: bytes = Array(bytes[..<place])
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let whole = Self.transcript(of: [bytes])
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &generator)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let cut = Self.transcript(of: pieces)
            #expect(cut.words == whole.words && (cut.error == nil) == (whole.error == nil), "seed \(seed)")
        }
    }

    @Test func headersAreReadAndWritten() throws {
        let status = try #require(NATSHeaders("NATS/1.0 503\r\n\r\n".utf8))
        #expect(status.status == 503 && status.words.isEmpty && status.fields.isEmpty)
        let late = try #require(NATSHeaders("NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 7\r\n\r\n".utf8))
        #expect(late.status == 408 && late.words == "Request Timeout" && late["Nats-Pending-Messages"] == "7")
        let fields = NATSHeaders([.init("A", "b: c"), .init("A", ""), .init("Nats-Msg-Id", "ü")])
        #expect(NATSHeaders(try fields.encoded()) == fields)
        #expect(try NATSHeaders([]).encoded().isEmpty)
        for text in [
            "", "NATS/1.0", "NATS/2.0\r\n\r\n", "NATS/1.0 5x3\r\n\r\n", "NATS/1.0\r\nno colon\r\n\r\n", "\r\n",
        ] {
            #expect(NATSHeaders(text.utf8) == nil, "\(text)")
        }
        for field in [NATSHeaders.Field("A", "b\r\nC: d"), .init("A: b", "c"), .init("", "c")] {
            #expect(throws: NATSError.self) { try NATSHeaders([field]).encoded() }
        }
    }

    @Test func subjectsAreChecked() throws {
        for subject in ["a", "orders.eu.new", "$JS.API.INFO", "ü.x", "a-b_c.*x", "a>b"] {
            try NATSSubject.check(subject, allowsWildcards: false)
        }
        for pattern in ["*", ">", "a.*.c", "a.>"] {
            try NATSSubject.check(pattern, allowsWildcards: true)
            #expect(throws: NATSError.self) { try NATSSubject.check(pattern, allowsWildcards: false) }
        }
        for subject in ["", " ", "a b", "a..b", ".a", "a.", "a\r\nPUB b 0", ">.a", String(repeating: "a", count: 2000)]
        {
            let error = #expect(throws: NATSError.self) { try NATSSubject.check(subject, allowsWildcards: true) }
            #expect(error?.reason.contains("\r") == false && error?.reason.count ?? 0 < 200)
        }
        #expect(
            NATSSubject.matches("a.*", "a.b") && NATSSubject.matches("a.>", "a.b.c") && NATSSubject.matches("a", "a")
        )
        #expect(
            !NATSSubject.matches("a.*", "a") && !NATSSubject.matches("a.>", "a") && !NATSSubject.matches("a", "a.b")
        )
    }
}
