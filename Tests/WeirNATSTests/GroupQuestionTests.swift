import Testing
import WeirCore
import WeirGroups

@testable import WeirNATS
@testable import WeirSockets

/// Questions about the streams of a group, with a server that answers them late.
struct GroupQuestionTests {
    private static let places = NATSGroupPlaces(
        inputStream: "S",
        inputSubject: "in",
        inputCreation: "x",
        inputPermitsDirect: true,
        stream: "weir-g",
        outputSubject: "out",
        group: "g",
        isWhole: false,
        markSubject: nil,
        sourceCount: 0
    )

    private static func message(_ json: String, to reply: String) -> String {
        "MSG \(reply) 1 \(json.utf8.count)\r\n\(json)\r\n"
    }

    private static func info(last: Int) -> String {
        #"{"config":{"name":"S","subjects":["in.*"]},"state":{"first_seq":1,"last_seq":\#(last)},"created":"x"}"#
    }

    private static func messageWithHeaders(_ headers: String, _ payload: String, to reply: String) -> String {
        let head = "NATS/1.0\(headers)\r\n\r\n"
        return "HMSG \(reply) 1 \(head.utf8.count) \(head.utf8.count + payload.utf8.count)\r\n\(head)\(payload)\r\n"
    }

    /// Nothing depends on what the input is asked for, and others take the partitions of a member that is silent for 2 s.
    @Test func aQuestionThatIsNotAnsweredDelaysNoLease() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            connection.serve { line in
                let reply = FakeServerTests.reply(line)
                if line.hasPrefix("PUB $JS.API.STREAM.INFO.KV_weir-g ") {
                    connection.send(Self.message(Self.info(last: 1), to: reply))
                } else if line.hasPrefix("PUB $JS.API.DIRECT.GET.KV_weir-g ") {
                    let headers = "\r\nNats-Subject: $KV.weir-g.map\r\nNats-Sequence: 7"
                    connection.send(Self.messageWithHeaders(headers, "{}", to: reply))
                    connection.send(Self.messageWithHeaders(" 204 EOB\r\nNats-Num-Pending: 0", "", to: reply))
                }
                return true
            }
        }
        let client = try FakeServerTests.client([server.port])
        let request = GroupRequest(name: "g", input: "", output: "", partitionCount: 4) { _ in }
        let values = try NATSSharedValues("weir-g", client, replicas: 1, places: Self.places, request: request)
        values.nextCheck = .now
        let start = ContinuousClock.now
        #expect(try values.values(["map"]) == ["map": SharedValue(bytes: Array("{}".utf8), revision: 7)])
        let error = #expect(throws: GroupError.self) { _ = try values.lastMessages() }
        #expect(error?.kind == .unreachable)
        // Nothing is waited for until the timeout of the client, which is a minute.
        #expect(ContinuousClock.now - start < .seconds(50))
        for question in ["STREAM.INFO.S ", "DIRECT.GET.S "] {
            #expect(server.lines.contains { $0.hasPrefix("PUB $JS.API.\(question)") })
        }
    }

    /// What comes slowly is waited for, as long as it comes and the time is not over.
    @Test func eachAnswerGivesTimeForTheNext() {
        let start = Moment(nanoseconds: 1_000)
        func moment(_ milliseconds: Int64) -> Moment { start + milliseconds * 1_000_000 }
        var time = RequestTime(.seconds(60), usually: .seconds(4), repeats: true, start)
        #expect(time.limit == moment(60_000))
        for answer in stride(from: Int64(0), through: 58_000, by: 900) {
            #expect(time.deadline(behind: moment(answer)) == moment(answer + 1000))
        }
        #expect(time.deadline(behind: moment(59_500)) == time.limit)
        // The way may be long.
        time.noteSilence()
        #expect(time.deadline(behind: moment(1000)) == moment(3000))
        let short = RequestTime(.seconds(2), usually: .seconds(4), repeats: true, start)
        #expect(short.deadline(behind: start) == moment(500))
        // What may change something is asked once.
        let once = RequestTime(nil, usually: .seconds(4), repeats: false, start)
        #expect(once.total == .seconds(4) && once.deadline(behind: start) == once.limit)
    }

    /// Answers that stop to come are asked for again, from the first.
    @Test func answersThatStopAreAskedForAgain() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            var count = 0
            connection.serve { line in
                guard line.hasPrefix("PUB ask ") else { return true }
                count += 1
                let reply = FakeServerTests.reply(line)
                for piece in 0..<8 where count > 1 || piece < 3 { connection.send(Self.message("\(piece)", to: reply)) }
                if count > 1 { connection.send(Self.messageWithHeaders(" 204 EOB", "", to: reply)) }
                return true
            }
        }
        let client = try FakeServerTests.client([server.port], timeout: .seconds(2))
        let answers = try client.requestAll("ask", [], within: .seconds(60))
        #expect(answers.dropLast().map { String(decoding: $0.payload, as: UTF8.self) } == (0..<8).map(String.init))
        #expect(server.lines.filter { $0.hasPrefix("PUB ask ") }.count >= 2)
        let error = #expect(throws: NATSError.self) {
            _ = try client.requestAll("other", [], within: .milliseconds(100))
        }
        #expect(error?.reason == "there is no answer to 'other' within 0.1 seconds")
    }

    /// What the input is said to end with is older than what comes while the answer is waited for.
    @Test func messagesThatComeDuringAQuestionRefuseNoCommit() throws {
        let server = try FakeServer { connection, _ in
            connection.greet()
            var (subscription, infoCount, hasBegun, batch) = ("", 0, false, "")
            func hand(_ number: Int, _ count: Int) {
                connection.send("MSG in.1 \(subscription) $JS.ACK.S.c.1.\(number).\(count).1.0 1\r\nx\r\n")
            }
            connection.serve { line in
                let reply = FakeServerTests.reply(line)
                if line.hasPrefix("PUB $JS.API.STREAM.INFO.S ") {
                    infoCount += 1
                    if infoCount == 2 { hand(4, 3) }
                    connection.send(Self.message(Self.info(last: 3), to: reply))
                } else if line.hasPrefix("PUB $JS.API.CONSUMER.CREATE.S.") {
                    connection.send(Self.message(#"{"name":"c","stream_name":"S","num_pending":2}"#, to: reply))
                } else if line.hasPrefix("SUB "), line.contains(".feed.") {
                    subscription = String(line.split(separator: " ").last ?? "")
                } else if line.hasPrefix("PUB $JS.API.CONSUMER.MSG.NEXT.S.c "), !hasBegun {
                    hasBegun = true
                    // The second one was removed.
                    hand(1, 1)
                    hand(3, 2)
                } else if line.hasPrefix("HPUB out.1 ") {
                    connection.send("MSG \(reply) 1 0\r\n\r\n")
                } else if line.hasPrefix("HPUB weir.g.checkpoint.1 ") {
                    batch = reply
                } else if line.hasPrefix("Nats-Batch-Id: "), !batch.isEmpty {
                    let json = #"{"stream":"weir-g","seq":9,"batch":"\#(line.dropFirst(15))","count":3}"#
                    connection.send(Self.message(json, to: batch))
                }
                return true
            }
        }
        let clock = MonotonicClock()
        let log = NATSPartitionLog(
            try FakeServerTests.client([server.port]),
            Self.places,
            linesPerMessage: 1,
            skipsRemoved: false,
            clock: clock
        ) { _ in }
        try log.read([1: 0])
        var last: UInt64 = 0
        while last < 3 {
            try log.receive(until: clock.now().shifted(byNanoseconds: 20_000_000)) { _, number, _ in last = number }
        }
        let commit = PartitionCommit(partition: 1, revision: 0, position: last, outputs: Array("a\n".utf8), state: [1])
        #expect(try log.commit([commit])[0].get() == 9)
        try log.receive(until: clock.now().shifted(byNanoseconds: 20_000_000)) { _, number, _ in last = number }
        #expect(last == 4)
    }
}
