import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirNATS
@testable import WeirSockets

/// With a server that does what no real one does when a test wants it to.
@Suite struct FakeServerTests {
    static func client(_ ports: [UInt16], timeout: Duration = .seconds(60)) throws -> NATSClient {
        let servers = try ports.map {
            SocketPlace.port(try HostAddress("//127.0.0.1:\($0)", whole: "t", loopback: true).address)
        }
        var settings = NATSSettings()
        settings.timeout = timeout
        return try NATSClient(servers, settings, address: "nats:test", interruption: nil)
    }

    /// The last part of a line `PUB SUBJECT REPLY COUNT`.
    static func reply(_ line: String) -> String {
        let words = line.split(separator: " ")
        return words.count >= 4 ? String(words[2]) : ""
    }

    // MARK: Requests

    @Test func requestsAreAnsweredOverOneInbox() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                guard line.hasPrefix("PUB ask ") else { return true }
                // An answer to nothing, and one that comes twice.
                let reply = Self.reply(line)
                for text in ["MSG _INBOX.other.1 1 2\r\nno\r\n", "MSG \(reply)9 1 2\r\nno\r\n"] {
                    connection.send(text)
                }
                for _ in 0..<2 { connection.send("MSG \(reply) 1 3\r\nyes\r\n") }
                return true
            }
        }
        let client = try Self.client([server.port])
        for _ in 0..<3 { #expect(try client.request("ask", [1]).payload == Array("yes".utf8)) }
        try client.flush()
        #expect(server.lines.count { $0.hasPrefix("SUB ") } == 1 && server.connections == 1)
    }

    @Test func aRequestWithoutAnAnswerEnds() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            connection.serve()
        }
        let client = try Self.client([server.port])
        // The short time is that of the request alone.
        try client.connect()
        let late = #expect(throws: NATSError.self) { _ = try client.request("ask", [], within: .milliseconds(50)) }
        #expect(late?.kind == .late && late?.reason.contains("'ask'") == true)
        let none = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                guard line.hasPrefix("PUB ask ") else { return true }
                connection.send("HMSG \(Self.reply(line)) 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n")
                return true
            }
        }
        var nobody: NATSError?
        var count = 0
        // Longer and longer, until it is long enough for a machine that is busy.
        for seconds in [2, 20, 200] where nobody?.kind != .noResponders || count < 2 {
            let lonely = try Self.client([none.port], timeout: .seconds(seconds))
            let before = none.lines.count { $0.hasPrefix("PUB ask ") }
            nobody = #expect(throws: NATSError.self) { _ = try lonely.request("ask", []) }
            count = none.lines.count { $0.hasPrefix("PUB ask ") } - before
            lonely.close()
        }
        #expect(nobody?.kind == .noResponders)
        // An election may have been the reason.
        #expect(count > 1)
    }

    @Test func aConnectionThatBreaksIsMadeAgainElsewhere() throws {
        // The first one closes after the first request, the second one answers.
        let first = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { !$0.hasPrefix("PUB ask ") }
        }
        let second = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                if line.hasPrefix("PUB ask ") { connection.send("MSG \(Self.reply(line)) 1 2\r\nok\r\n") }
                return true
            }
        }
        let unused = try reserve()
        defer { close(unused.descriptor) }
        let client = try Self.client([unused.port, first.port, second.port])
        #expect(try client.request("ask", []).payload == Array("ok".utf8))
        #expect(first.connections == 1 && second.connections == 1)
    }

    /// A server that is full or slow lets nobody in, and another one does.
    @Test(arguments: [
        "maximum connections exceeded", "maximum account active connections exceeded", "Authentication Timeout",
    ])
    func aServerThatCannotLetItInIsPassedOver(words: String) throws {
        let full = try FakeServer { connection, _ in
            connection.send(FakeServer.info + "-ERR '\(words)'\r\n")
        }
        let other = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                if line.hasPrefix("PUB ask ") { connection.send("MSG \(Self.reply(line)) 1 2\r\nok\r\n") }
                return true
            }
        }
        let client = try Self.client([full.port, other.port])
        #expect(try client.request("ask", []).payload == Array("ok".utf8))
        #expect(full.connections > 0)
        // What is not permitted stays so.
        let strict = try FakeServer { connection, _ in
            connection.send(FakeServer.info + "-ERR 'Authorization Violation'\r\n")
        }
        let error = #expect(throws: NATSError.self) { try Self.client([strict.port, other.port]).connect() }
        #expect(error?.kind == .notAllowed)
    }

    /// The first one tells of the second, and goes away for good.
    @Test func aServerThatAnotherOneToldOfTakesItsPlace() throws {
        let second = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                if line.hasPrefix("PUB ask ") { connection.send("MSG \(Self.reply(line)) 1 2\r\nok\r\n") }
                return true
            }
        }
        // What wants TLS is passed over, though it may never be configured.
        let strict = try FakeServer { connection, _ in
            connection.send("INFO {\"tls_required\":true}\r\n")
            connection.serve()
        }
        let known = (port: second.port, strict: strict.port)
        let first = try FakeServer { connection, _ in
            connection.send(
                #"INFO {"headers":true,"connect_urls":["127.0.0.1:\#(known.strict)","127.0.0.1:\#(known.port)"]}"#
                    + "\r\n"
            )
            guard connection.line() != nil, connection.line() == "PING" else { return }
            connection.send("PONG\r\n")
            connection.serve { !$0.hasPrefix("PUB bye ") }
        }
        let client = try Self.client([first.port])
        try client.connect()
        #expect(client.info.others.count == 2 && second.connections == 0)
        first.stop()
        try client.publish("bye", [])
        #expect(try client.request("ask", []).payload == Array("ok".utf8))
        #expect(first.connections == 1 && strict.connections > 0 && second.connections == 1)
    }

    @Test func anAnswerOfAnotherProgramIsSaid() throws {
        let server = try FakeServer { connection, _ in
            connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.serve()
        }
        for open in [
            { _ = try NATSTransport().openSource(server.address + "/a") },
            { _ = try NATSTransport().openSink(server.address + "/a") },
        ] as [() throws -> Void] {
            let error = #expect(throws: TransportError.self) { try open() }
            #expect("\(try #require(error))".contains("no server of NATS"))
        }
    }

    // MARK: Sources

    @Test func aSubjectIsReadUntilAnInterruptionAndWhatWasSentBefore() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            while let line = connection.line() {
                if line.hasPrefix("SUB a.* 2") {
                    connection.send(
                        "MSG a.b 2 3\r\none\r\nHMSG a.c 2 12 20\r\nNATS/1.0\r\n\r\ntwo\nmore\r\nMSG a.d 2 0\r\n\r\n"
                    )
                }
                if line.hasPrefix("UNSUB 2") { connection.send("MSG a.b 2 4\r\nlast\r\n") }
                if line == "PING" { connection.send("PONG\r\n") }
            }
        }
        let interruption = try Interruption()
        let source = try NATSTransport(interruption: interruption).openSource(server.address + "/a.*?drain=60s")
        let collector = Collector(source, share: 2)
        try collector.waitForLines(3)
        interruption.trigger()
        guard case .interrupted? = try collector.waitForEnd() else {
            Issue.record("it was not interrupted")
            return
        }
        #expect(collector.lines == ["one", "two", "more", "last"])
        #expect(collector.metrics.delivered == 4 && collector.metrics.isBalanced)
    }

    @Test func aSourceComesBackAndSaysWhatMayBeLost() throws {
        let server = try FakeServer { connection, number in
            connection.greet()
            while let line = connection.line() {
                guard line.hasPrefix("SUB a 2") else { continue }
                connection.send("MSG a 2 1\r\n\(number)\r\n")
                if number == 0 { connection.send("-ERR 'Slow Consumer'\r\n") }
                if number == 1 { return }
            }
        }
        let interruption = try Interruption()
        let source = try NATSTransport(interruption: interruption).openSource(server.address + "/a?retry=20ms")
        let collector = Collector(source)
        try collector.waitForLines(3)
        interruption.trigger()
        _ = try collector.waitForEnd()
        let notices = source.meter?.takeNotices() ?? []
        #expect(collector.lines == ["0", "1", "2"])
        #expect(notices.contains { $0.contains("not read fast enough") && $0.contains("stream=NAME") }, "\(notices)")
        #expect(notices.contains { $0.hasSuffix("is read again") }, "\(notices)")
    }

    @Test func aServerThatIsNotThereIsWaitedFor() throws {
        let (descriptor, port) = try reserve()
        defer { close(descriptor) }
        let interruption = try Interruption()
        let address = "//me:secret@127.0.0.1:\(port)/a?retry=20ms"
        let source = try NATSTransport(interruption: interruption).openSource(address)
        let sink = try NATSTransport().openSink(address + "&linger=10ms")
        try sink.write("x\n")
        let error = #expect(throws: TransportError.self) { try sink.finish() }
        #expect(sink.meter?.metrics[.unsent] == 1)
        let collector = Collector(source)
        interruption.trigger()
        _ = try collector.waitForEnd()
        let notices =
            (source.meter?.takeNotices() ?? []) + (sink.meter?.takeNotices() ?? []) + ["\(try #require(error))"]
        #expect(notices.contains { $0.contains("connection refused; it is tried again") }, "\(notices)")
        #expect(!notices.contains { $0.contains("secret") }, "\(notices)")
    }

    @Test func framesAndWholeMessagesStayApart() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                // Not whole, and whole.
                let frame = "\u{0}\u{0}\u{0}\u{2}"
                if line.hasPrefix("SUB a 2") {
                    connection.send("MSG a 2 5\r\n\(frame)x\r\nMSG a 2 6\r\n\(frame)ab\r\n")
                }
                return true
            }
        }
        for (framing, bytes) in [
            ("length", [0, 0, 0, 2, 97, 98]),
            ("datagram", [0, 0, 0, 5, 0, 0, 0, 2, 120, 0, 0, 0, 6, 0, 0, 0, 2, 97, 98]),
        ] {
            let source = try NATSTransport().openSource(server.address + "/a?framing=\(framing)")
            let collector = Collector(source, limit: bytes.count)
            #expect(try collector.waitForEnd() == nil)
            #expect(collector.bytes == bytes.map { UInt8($0) })
            #expect(collector.metrics[.malformed] == (framing == "length" ? 1 : 0) && collector.metrics.isBalanced)
            source.close()
        }
    }

    // MARK: Sinks

    @Test func linesArePublishedAndCountWhenTheServerHasThem() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            connection.serve()
        }
        let sink = try NATSTransport().openSink(server.address + "/out?linger=60s")
        for number in 0..<100 { try sink.write("line \(number)\n") }
        try sink.write(String(repeating: "x", count: 2000) + "\nlast")
        let error = #expect(throws: TransportError.self) { try sink.finish() }
        #expect("\(try #require(error))".contains("1 too long to send"))
        let notes = sink.meter?.takeNotices() ?? []
        let words =
            "without message 101 of what was written: a message of 2000 bytes is longer than the server's limit, 1024"
        #expect(notes.count { $0.contains(words) } == 1, "\(notes)")
        #expect((sink as? any MessageSink)?.messageLimit == 1024)
        let metrics = try #require(sink.meter?.metrics)
        // Nobody says that it arrives anywhere.
        #expect(metrics.description == "102 to send, 101 sent, 1 dropped (too long to send)")
        #expect(metrics.delivered == 101 && metrics[.tooLongToSend] == 1 && metrics.isBalanced)
        let payloads = server.lines.filter { $0.hasPrefix("line") || $0 == "last" }
        #expect(payloads == (0..<100).map { "line \($0)" } + ["last"])
        #expect(server.lines.contains("PUB out 6"))
    }

    @Test func whatMayNotBePublishedEndsTheSink() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                if line.hasPrefix("PUB") { connection.send("-ERR 'Permissions Violation for Publish to \"out\"'\r\n") }
                return true
            }
        }
        let sink = try NATSTransport().openSink(server.address + "/out?linger=60s")
        try sink.write("x\n")
        #expect(throws: TransportError.self) { try sink.finish() }
        #expect(sink.meter?.metrics[.unsent] == 1 && sink.meter?.metrics.isBalanced == true)
        #expect(sink.meter?.takeNotices().contains { $0.contains("Permissions Violation") } == true)
    }

    @Test func aConnectionThatBreaksBeforeTheConfirmationSendsAgain() throws {
        let server = try FakeServer { connection, number in
            connection.greet()
            connection.serve { !(number == 1 && $0 == "line 50") }
        }
        // The first connection is that which looks whether the server is there.
        let sink = try NATSTransport().openSink(server.address + "/out?linger=60s&retry=20ms")
        for number in 0..<100 { try sink.write("line \(number)\n") }
        try sink.finish()
        #expect(sink.meter?.metrics.delivered == 100)
        #expect(Set(server.lines).isSuperset(of: (0..<100).map { "line \($0)" }))
    }

    /// A server that answers what it is told of each message of the stream 'S'.
    ///
    /// - Parameters:
    ///   - count: How many answers are sent at once.
    ///   - answer: Called with a line, the number of the connection, and that of the line's id; `nil` for no answer.
    /// - Returns: The server.
    /// - Throws: What a check finds.
    private static func stream(
        together count: Int = 1,
        _ answer: @escaping @Sendable (String, Int, String) -> String?
    ) throws -> FakeServer {
        try FakeServer { connection, number in
            connection.greet()
            var reply = ""
            var id = ""
            var answers: [String] = []
            connection.serve { line in
                if line.hasPrefix("PUB $JS.API.STREAM.INFO.S") {
                    let json =
                        #"{"config":{"name":"S","subjects":["out"]},"state":{"first_seq":1,"last_seq":0},"created":"x"}"#
                    connection.send("MSG \(Self.reply(line)) 1 \(json.utf8.count)\r\n\(json)\r\n")
                } else if line.hasPrefix("HPUB out ") {
                    reply = Self.reply(line)
                } else if line.hasPrefix("Nats-Msg-Id: ") {
                    id = line.split(separator: "-").last.map(String.init) ?? ""
                } else if line.hasPrefix("line "), let json = answer(line, number, id) {
                    answers.append("MSG \(reply) 1 \(json.utf8.count)\r\n\(json)\r\n")
                    guard answers.count == count else { return true }
                    connection.send(answers.joined())
                    answers = []
                }
                return true
            }
        }
    }

    /// A stream that confirms, refuses, forgets and stutters.
    @Test func messagesAreConfirmedOneByOneAndSentAgainWithTheirIds() throws {
        let isLost = Locked(false)
        let server = try Self.stream { line, _, id in
            // The first answer to the tenth gets lost, over whatever connection; the twentieth is a refusal for good.
            if line == "line 10", !isLost.withLock({ exchange(&$0, with: true) }) { return nil }
            guard line != "line 20" else {
                return #"{"error":{"code":400,"err_code":10060,"description":"expected stream does not match"}}"#
            }
            return #"{"stream":"S","seq":\#(id)}"#
        }
        let sink = try NATSTransport().openSink(
            server.address + "/out?stream=S&linger=300s&timeout=300ms&retry=20ms&window=7"
        )
        for number in 0..<40 { try sink.write("line \(number)\n") }
        let error = #expect(throws: TransportError.self) { try sink.finish() }
        #expect("\(try #require(error))".contains("1 refused"))
        let metrics = try #require(sink.meter?.metrics)
        #expect(metrics.delivered == 39 && metrics[.refused] == 1 && metrics.isBalanced)
        // Each line has one id, also where it was sent twice.
        var ids: [String: Set<String>] = [:]
        let lines = server.lines
        for (index, line) in lines.enumerated() where line.hasPrefix("line ") {
            let header = lines[..<index].last { $0.hasPrefix("Nats-Msg-Id: ") } ?? ""
            ids[line, default: []].insert(header)
        }
        #expect(ids.count == 40 && ids.values.allSatisfy { $0.count == 1 } && Set(ids.values.joined()).count == 40)
        #expect(lines.count { $0 == "line 10" } > 1)
    }

    /// Answers that begin as a confirmation does, and are none.
    @Test(arguments: [
        #"{"stream":"S","seq":1,"error":{"code":503,"err_code":10077,"description":"no room"}}"#,
        #"{"stream":"S","seq":}"#,
        #"{"stream":"S","seq":-1}"#, #"{"stream":"S"}"#, #"{"stream":"S","seq":1"#, #"{"stream":""#,
    ])
    func whatOnlyBeginsAsAConfirmationIsSentAgain(answer: String) throws {
        let server = try Self.stream { line, number, id in
            number == 1 && line == "line 10" ? answer : #"{"stream":"S","seq":\#(id)}"#
        }
        let sink = try NATSTransport().openSink(
            server.address + "/out?stream=S&linger=60s&retry=20ms&window=7&timeout=300s"
        )
        for number in 0..<20 { try sink.write("line \(number)\n") }
        try sink.finish()
        let metrics = try #require(sink.meter?.metrics)
        #expect(metrics.delivered == 20 && metrics.isBalanced)
        #expect(server.lines.count { $0 == "line 10" } == 2 && server.connections == 3)
    }

    /// What the stream has already is as good as kept.
    @Test func duplicatesAreDelivered() throws {
        let server = try Self.stream { line, _, id in
            #"{"stream":"S","seq":\#(id)\#(line.hasSuffix("3") ? #","duplicate": true"# : "")}"#
        }
        let sink = try NATSTransport().openSink(server.address + "/out?stream=S&linger=60s&window=7&timeout=300s")
        for number in 0..<20 { try sink.write("line \(number)\n") }
        try sink.finish()
        #expect(sink.meter?.metrics.delivered == 20 && server.connections == 2)
    }

    @Test func theFirstReasonToSendAgainIsSaid() throws {
        let server = try Self.stream(together: 9) { line, number, id in
            guard number == 1 else { return #"{"stream":"S","seq":\#(id)}"# }
            let reason = line == "line 0" ? "the first reason" : "another reason"
            return #"{"error":{"code":503,"err_code":10077,"description":"\#(reason)"}}"#
        }
        let sink = try NATSTransport().openSink(
            server.address + "/out?stream=S&linger=60s&retry=20ms&window=9&timeout=300s"
        )
        // Together, so that they are published together.
        try sink.write((0..<9).map { "line \($0)\n" }.joined())
        try sink.finish()
        let notes = sink.meter?.takeNotices() ?? []
        #expect(notes.contains { $0.contains("the first reason") }, "\(notes)")
        #expect(!notes.contains { $0.contains("another reason") }, "\(notes)")
    }
}

extension TransportSource {
    /// Ends the connection of a source that is read no more.
    func close() { (self as? NATSSource)?.client.close() }
}
