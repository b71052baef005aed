import Foundation
import TestThreads
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.serialized) struct HTTPSourceTests {
    private let interruption: Interruption
    private let transport: HTTPTransport

    init() throws {
        interruption = try Interruption()
        transport = HTTPTransport(interruption: interruption)
    }

    private func collect(_ options: String = "", isPaused: Bool = false) throws -> (collector: Collector, port: UInt16)
    {
        let source = try transport.openSource("//:0/in" + options)
        let port = try port(source.meter)
        return (Collector(source, isPaused: isPaused), port)
    }

    /// Sends a text, and reads until the other side has closed, or a number of answers with their bodies is there.
    private func exchange(_ port: UInt16, _ text: String, answers: Int = 1) throws -> String {
        let peer = try Peer(tcp: port)
        peer.send(text)
        return try read(peer, answers: answers)
    }

    private func read(_ peer: Peer, answers: Int = 1) throws -> String {
        var found = ""
        while true {
            let piece = peer.receive()
            guard !piece.isEmpty else { return found }
            found += piece
            if found.components(separatedBy: "}\n").count > answers { return found }
        }
    }

    private func post(_ body: String, _ fields: String = "") -> String {
        "POST /in HTTP/1.1\r\nHost: h\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func metrics(_ collector: Collector) -> TransportMetrics { collector.metrics }

    @Test func takesLinesAndSaysHowMany() throws {
        let (collector, port) = try collect("?max-line=16")
        let long = String(repeating: "x", count: 17)
        let answer = try exchange(port, post("one\n\(long)\nthree"))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"))
        #expect(
            answer.hasSuffix(
                #"{"accepted":2,"rejected":1,"errors":[{"line":2,"reason":"longer than 16 bytes; 'max-line' permits more"}]}"#
                    + "\n"
            )
        )
        #expect(collector.lines == ["one", "three"])
        let metrics = collector.metrics
        #expect(metrics.sent == 3 && metrics.delivered == 2 && metrics[.tooLong] == 1 && metrics.isBalanced)
        #expect(try exchange(port, post(long)).hasPrefix("HTTP/1.1 400 "))
    }

    @Test(arguments: [
        (#"[{"a":1},{"b":[2,3]}]"#, [#"{"a":1}"#, #"{"b":[2,3]}"#]),
        ("[\n {\n\t\"a\":1}\r\n,\n2 ]\n", ["{  \"a\":1}", "2"]),
        (#"{"a":"]\"}"}"#, [#"{"a":"]\"}"}"#]), ("[]", []), (" [ ] ", []),
        (#"{"a":1}{"b":2}"#, [#"{"a":1}"#, #"{"b":2}"#]),
        (#"["x",null]"#, [#""x""#, "null"]),
    ])
    func takesTheElementsOfAnArray(body: String, elements: [String]) throws {
        let (collector, port) = try collect()
        let answer = try exchange(port, post(body, "Content-Type: application/json; charset=utf-8\r\n"))
        #expect(answer.hasSuffix("{\"accepted\":\(elements.count),\"rejected\":0}\n"), "\(answer)")
        #expect(collector.lines == elements)
    }

    @Test(arguments: [
        (" [ {\"a\":1},\n{\"b\":2}]", ["{\"a\":1}", "{\"b\":2}"]),
        ("[{x] begins\n[{y} a line", ["[{x] begins", "[{y} a line"]),
        ("[1,2]", ["[1,2]"]),
    ])
    func takesAnArrayOfObjectsThatIsNotSaidToBeOne(body: String, lines: [String]) throws {
        let (collector, port) = try collect()
        let answer = try exchange(port, post(body))
        #expect(answer.hasSuffix("{\"accepted\":\(lines.count),\"rejected\":0}\n"), "\(answer)")
        #expect(collector.lines == lines)
    }

    @Test(arguments: [
        ("[1 2]", "expected ',' or ']' at byte 4"), ("[1,]", "expected a value at byte 4"),
        ("[1", "the array is not closed"),
        ("[{]}", "the brackets do not match at byte 3"), ("[1]x", "there is something behind the array at byte 4"),
        ("{\"a", "a string is not closed at byte 2"), ("[\"a\nb\"]", "there is a line break in a string at byte 4"),
        ("{", "a value is not closed"), (String(repeating: "[", count: 600), "nested deeper than 512"),
    ])
    func takesNothingOfAnArrayThatIsNone(body: String, reason: String) throws {
        let (collector, port) = try collect()
        let answer = try exchange(port, post(body, "Content-Type: application/json\r\n"))
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answer.contains(reason), "\(answer)")
        #expect(collector.bytes == [] && collector.metrics[.malformed] == 1 && collector.metrics.isBalanced)
        let message = try #require(collector.source.meter?.takeRejectedMessages().messages.first)
        #expect(message.bytes == Array(body.utf8) && message.origin?.hasPrefix("127.0.0.1:") == true)
    }

    @Test func keepsTheConnectionAndAnswersInOrderWhateverPiecesRequestsComeIn() throws {
        let (collector, port) = try collect()
        for seed in 1...3 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            let peer = try Peer(tcp: port)
            var bytes: [UInt8] = []
            for number in 0..<40 {
                var body = (0..<Int.random(in: 1...9, using: &random)).map { "\(seed):\(number):\($0)\n" }.joined()
                if Bool.random(using: &random) {
                    bytes += post(body).utf8
                    continue
                }
                bytes += "POST /in?x=1 HTTP/1.1\r\nHost: h\r\ntransfer-encoding: Chunked\r\n\r\n".utf8
                while !body.isEmpty {
                    let piece = String(body.prefix(.random(in: 1...20, using: &random)))
                    body.removeFirst(piece.count)
                    bytes += (String(piece.utf8.count, radix: 16) + ";x=y\r\n\(piece)\r\n").utf8
                }
                bytes += "0\r\nIgnored: yes\r\n\r\n".utf8
            }
            let answers = Locked("")
            let lent = Lent(peer)
            let reader = Thread { [self] in
                let found = (try? read(lent.value, answers: 40)) ?? ""
                answers.withLock { $0 = found }
            }
            reader.start()
            while !bytes.isEmpty {
                let count = min(bytes.count, .random(in: 1...200, using: &random))
                #expect(peer.send(Array(bytes.prefix(count))))
                bytes.removeFirst(count)
            }
            try eventually("all was answered") { reader.isFinished }
            let text = answers.withLock { $0 }
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 41, "seed \(seed)")
            let lines = collector.lines.filter { $0.hasPrefix("\(seed):") }
            let numbers = lines.compactMap { Int($0.split(separator: ":")[1]) }
            #expect(numbers == numbers.sorted() && Set(numbers).count == 40, "seed \(seed)")
        }
        #expect(collector.metrics.connections == 3 && collector.metrics.isBalanced)
    }

    @Test func asksForTheBodyThatAClientKeepsBack() throws {
        let (collector, port) = try collect("?max-body=100")
        let peer = try Peer(tcp: port)
        peer.send("POST /in HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        #expect(peer.receive() == "HTTP/1.1 100 Continue\r\n\r\n")
        peer.send("one\n")
        #expect(try read(peer).contains("\"accepted\":1"))
        #expect(collector.lines == ["one"])
        let other = try Peer(tcp: port)
        other.send("POST /in HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n")
        #expect(try read(other).hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    }

    @Test(arguments: [
        ("GET /in HTTP/1.1\r\nHost: h\r\n\r\n", 405), ("POST /other HTTP/1.1\r\nHost: h\r\n\r\n", 404),
        ("POST /in HTTP/2.0\r\nHost: h\r\n\r\n", 505), ("hello\r\n\r\n", 400), ("POST /in HTTP/1.1\r\n\r\n", 400),
        ("POST /in HTTP/1.1\nHost: h\n\n", 400), ("POST /in HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost : h\r\n\r\n", 400), ("POST /in HTTP/1.1\r\nHost: h\r\nX: \u{1}\r\n\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost: h\r\n\r\n", 411),
        ("POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST /in HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 1 2\r\n\r\n", 400),
        ("POST /in HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\n", 415),
        ("POST /in HTTP/1.1\r\nHost: h\r\nExpect: a miracle\r\nContent-Length: 1\r\n\r\n", 417),
        ("POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n", 413),
    ])
    func refusesOtherRequests(text: String, status: Int) throws {
        let (collector, port) = try collect()
        let answer = try exchange(port, text, answers: .max)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains("Connection: close\r\n") && answer.contains("{\"accepted\":0,\"error\":\""))
        let metrics = collector.metrics
        #expect(metrics.sent == 1 && metrics.rejected == 1 && metrics.isBalanced && collector.bytes == [])
    }

    @Test func aHeadOfAMegabyteIsNotRead() throws {
        let (collector, port) = try collect()
        let peer = try Peer(tcp: port)
        let lent = Lent(peer)
        let sender = Thread { lent.value.send("POST /in HTTP/1.1\r\nX: " + String(repeating: "x", count: 1 << 20)) }
        sender.start()
        #expect(try read(peer).hasPrefix("HTTP/1.1 431 "))
        try eventually("it was sent") { sender.isFinished }
        #expect(collector.metrics[.tooLong] == 1)
    }

    @Test func aBodyWithoutEndIsNotRead() throws {
        let (collector, port) = try collect("?max-body=100000")
        let peer = try Peer(tcp: port)
        peer.send("POST /in HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
        let lent = Lent(peer)
        let sender = Thread { while lent.value.send(chunk) {} }
        sender.start()
        #expect(try read(peer).hasPrefix("HTTP/1.1 413 "))
        try eventually("it was cut off") { sender.isFinished }
        try eventually("it was closed") { collector.metrics.openConnections == 0 }
        #expect(collector.metrics[.tooLong] == 1 && collector.metrics.isBalanced)
    }

    /// A source that nothing reads but the test, and a client whose connection it has accepted.
    private func accept(_ options: String) throws -> (source: HTTPSource, peer: Peer, other: Peer) {
        let source = try #require(try transport.openSource("//:0/in" + options) as? HTTPSource)
        let port = try port(source.meter)
        let peer = try Peer(tcp: port)
        let other = try Peer(tcp: port)
        other.send(post("go\n"))
        #expect(try read(source) == "go\n" && source.connections.count == 2)
        return (source, peer, other)
    }

    private func read(_ source: HTTPSource) throws -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { unsafe buffer.deallocate() }
        return unsafe String(decoding: buffer.prefix(try source.read(into: buffer)), as: UTF8.self)
    }

    private static let beginnings = [
        "POST /in HT", "POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 20\r\n\r\none\n",
    ]

    @Test(arguments: beginnings) func aClientThatIsTooSlowIsCutOff(beginning: String) throws {
        let (source, peer, _) = try accept("?timeout=10s")
        let start = Moment.now
        peer.send(beginning)
        // A byte each second is not enough.
        for second in 0...11 as ClosedRange<Int64> {
            let now = start + second * 1_000_000_000
            for token in source.connections.keys { source.handle(token, .reading, now) }
            source.closeSlow(now)
            #expect(source.counter.metrics[.unfinished] == (second < 10 ? 0 : 1), "second \(second)")
            peer.send("x")
        }
        #expect(peer.receive().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(source.counter.metrics.isBalanced)
    }

    @Test(arguments: [0, 10, 50]) func aClientThatHadToWaitForTheReaderIsNotSlow(count: Int) throws {
        let (source, peer, _) = try accept("?timeout=10s&idle=10s")
        let bytes = Array(post("two\n").utf8)
        if count > 0 { peer.send(Array(bytes[..<count])) }
        for token in source.connections.keys { source.handle(token, .reading, .now) }
        peer.send(Array(bytes[count...]))
        source.closeSlow(.now + 3_600_000_000_000)
        #expect(try read(source) == "two\n")
        #expect(source.counter.metrics[.unfinished] == 0 && source.counter.metrics.isBalanced)
    }

    @Test func requestsWithoutContentAreAnsweredAtOnce() throws {
        let (_, port) = try collect()
        let start = Moment.now
        let answers = try exchange(port, String(repeating: post(""), count: 400), answers: 400)
        #expect(answers.components(separatedBy: "HTTP/1.1 200 OK").count == 401)
        // Those that wait for the next look at slow clients take a second each.
        #expect(Moment.now.nanoseconds - start.nanoseconds < 300_000_000_000)
    }

    @Test func aConnectionWithoutARequestIsClosed() throws {
        let (collector, port) = try collect("?idle=20ms")
        #expect(try exchange(port, "") == "")
        #expect(collector.metrics.sent == 0)
    }

    @Test func whatIsHeldInAllIsBounded() throws {
        let (collector, port) = try collect("?memory=2000&max-body=1500")
        let first = try Peer(tcp: port)
        first.send("POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 1200\r\n\r\n" + String(repeating: "x", count: 1199))
        let second = try Peer(tcp: port)
        try eventually("both are there") { collector.metrics.openConnections == 2 }
        second.send(
            "POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 1200\r\n\r\n" + String(repeating: "y", count: 1199)
        )
        let answer = try read(second)
        #expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") && answer.contains("Retry-After: 1\r\n"))
        first.send("\n")
        #expect(try read(first).contains("\"accepted\":1"))
        #expect(collector.lines == [String(repeating: "x", count: 1199)])
    }

    @Test func theHeaderOfAllBodiesIsPassedOnOnce() throws {
        let (collector, port) = try collect("?header=shared")
        #expect(try exchange(port, post("a,b\n1,2\n")).contains("\"accepted\":2"))
        #expect(try exchange(port, post("a,b\r\n3,4")).contains("\"accepted\":1"))
        #expect(try exchange(port, post("b,a\n5,6\n")).hasPrefix("HTTP/1.1 422 "))
        #expect(collector.lines == ["a,b", "1,2", "3,4"])
        let metrics = collector.metrics
        #expect(metrics[.header] == 1 && metrics[.otherHeader] == 1 && metrics.isBalanced)
    }

    @Test func aHeaderIsNeitherBlankNorTooLong() throws {
        let (collector, port) = try collect("?header=shared&max-line=16")
        let long = String(repeating: "x", count: 17)
        #expect(try exchange(port, post("\n\r\n")).contains("\"accepted\":0,\"rejected\":0"))
        #expect(try exchange(port, post("\(long)\n1,2\n")).hasPrefix("HTTP/1.1 413 "))
        #expect(try exchange(port, post("\n\r\na,b\n1,2\n")).contains("\"accepted\":2"))
        #expect(try exchange(port, post("\na,b\n3,4\n")).contains("\"accepted\":1"))
        #expect(collector.lines == ["a,b", "1,2", "3,4"])
        let metrics = collector.metrics
        #expect(metrics[.tooLong] == 1 && metrics[.header] == 1 && metrics.isBalanced)
    }

    @Test func aClientIsAnsweredOnceTheEngineHasWhatItSent() throws {
        let (collector, port) = try collect(isPaused: true)
        let peer = try Peer(tcp: port)
        peer.send(post("one\n"))
        var byte: UInt8 = 0
        #expect(unsafe recv(peer.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0)
        collector.resume()
        #expect(try read(peer).contains("\"accepted\":1"))
    }

    @Test func anInterruptionAnswersWhatIsWholeAndRefusesWhatIsNot() throws {
        let (collector, port) = try collect("?drain=50ms")
        let idle = try Peer(tcp: port)
        let half = try Peer(tcp: port)
        half.send("POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\none\n")
        try eventually("both are there") { collector.metrics.openConnections == 2 }
        interruption.trigger()
        #expect(try read(half).hasPrefix("HTTP/1.1 503 "))
        #expect(idle.receive() == "")
        #expect(try collector.waitForEnd() == .interrupted(address: "http://:0/in?drain=50ms"))
        #expect(collector.metrics[.unfinished] == 1 && collector.metrics.isBalanced)
    }

    @Test(.enabled(if: Program.has("curl"), "needs curl"))
    func curlPosts() throws {
        let (collector, port) = try collect()
        let folder = try Folder()
        let lines = (0..<20_000).map { "{\"n\":\($0)}" }
        let path = try folder.write("body", lines.joined(separator: "\n") + "\n")
        let program = try Program(
            ["curl", "-sS", "--data-binary", "@" + path, "http://127.0.0.1:\(port)/in"],
            outputPath: folder("out")
        )
        #expect(try program.waitForEnd() == 0)
        #expect(try String(contentsOfFile: folder("out"), encoding: .utf8) == "{\"accepted\":20000,\"rejected\":0}\n")
        #expect(collector.lines == lines)
    }
}
