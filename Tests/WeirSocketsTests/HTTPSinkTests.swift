import CWeirSockets
import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// A server that answers each request with the next of some texts, the last one again and again.
private final class Server: @unchecked Sendable {
    // Safety: what the thread changes is under the lock; the thread ends with the listener.
    private let lock = NSLock()
    private var requests: [(head: String, body: String)] = []
    private var connectionCount = 0
    private let listener: Int32
    private let answers: [String?]
    let port: UInt16

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Creates a server.
    ///
    /// - Parameter answers: What it answers; nothing at all, and for ever, where it is `nil`. After an answer with
    ///   `Connection: close` it does that, and after one that is empty.
    /// - Throws: What a check finds.
    init(_ answers: [String?]) throws {
        self.answers = answers
        var target = try HostAddress("//127.0.0.1:0", whole: "test", loopback: true).address
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(unsafe listener >= 0 && cweir_net_bind(listener, &target) == 0 && cweir_net_listen(listener) == 0)
        _ = unsafe cweir_net_local_address(listener, &target)
        port = target.port
        Thread { [self] in run() }.start()
    }

    deinit { stop() }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    var heads: [String] { lock.withLock { requests.map(\.head) } }
    var bodies: [String] { lock.withLock { requests.map(\.body) } }
    var connections: Int { lock.withLock { connectionCount } }

    private func run() {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            lock.withLock { connectionCount += 1 }
            serve(connection)
            close(connection)
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        var text = ""
        while true {
            while !text.contains("\r\n\r\n") { guard receive(connection, &text) else { return } }
            let head = text.components(separatedBy: "\r\n\r\n")[0]
            let length = head.components(separatedBy: "Content-Length: ")[1].prefix { $0.isNumber }
            text = String(decoding: text.utf8.dropFirst(head.utf8.count + 4), as: UTF8.self)
            while text.utf8.count < Int(length) ?? 0 { guard receive(connection, &text) else { return } }
            let body = String(decoding: text.utf8.prefix(Int(length) ?? 0), as: UTF8.self)
            text = String(decoding: text.utf8.dropFirst(body.utf8.count), as: UTF8.self)
            let number = lock.withLock {
                requests.append((head, body))
                return requests.count - 1
            }
            guard let answer = answers[min(number, answers.count - 1)] else {
                // Until the client has had enough.
                while receive(connection, &text) {}
                return
            }
            _ = unsafe send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
            if answer.isEmpty || answer.contains("Connection: close") { return }
        }
    }

    private func receive(_ connection: Int32, _ text: inout String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(connection, &bytes, bytes.count, 0)
        text += String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return count > 0
    }
}

@Suite(.serialized) struct HTTPSinkTests {
    private let transport = HTTPTransport()

    private func sink(_ port: UInt16, _ options: String = "") throws -> any TransportSink {
        try transport.openSink("//127.0.0.1:\(port)/in?linger=60s&retry=20ms" + options)
    }

    private func metrics(_ sink: any TransportSink) -> TransportMetrics { sink.meter?.metrics ?? TransportMetrics() }

    @Test(arguments: ["lines", "array"])
    func whatASinkPostsASourceTakes(body: String) throws {
        let interruption = try Interruption()
        let source = try HTTPTransport(interruption: interruption).openSource("//:0/in")
        let sink = try sink(try port(source.meter), "&body=\(body)")
        let collector = Collector(source)
        let lines = (0..<20_000).map { "{\"n\":\($0)}" }
        for line in lines { try sink.write(line + "\n") }
        try sink.finish()
        try collector.waitForLines(lines.count)
        #expect(collector.lines == lines)
        #expect(metrics(sink).delivered == 20_000 && metrics(sink).isBalanced && metrics(sink).pending == 0)
        #expect(collector.metrics.delivered == 20_000 && collector.metrics.isBalanced)
        #expect(sink.meter?.takeNotices() == [])
        interruption.trigger()
        _ = try collector.waitForEnd()
    }

    @Test func requestsHaveAtMostSoManyLinesAndSayWhatTheyAre() throws {
        let server = try Server([Server.ok])
        let sink = try sink(server.port, "&lines=2&body=array&host=hooks.example")
        try sink.write("1\n2\n3\n\n4\n5\n")
        try sink.finish()
        #expect(server.bodies.allSatisfy { $0.hasPrefix("[") && $0.hasSuffix("]") && $0.count <= 5 })
        #expect(server.bodies.joined().filter(\.isNumber) == "12345")
        let head = server.heads[0]
        #expect(head.hasPrefix("POST /in HTTP/1.1\r\nHost: hooks.example\r\nContent-Type: application/json\r\n"))
        #expect(server.connections == 1)
        server.stop()
    }

    @Test func waitsAsLongAsItIsToldAndSendsTheSameAgain() throws {
        let busy = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 9\r\n\r\ntoo\nmuch\n"
        let server = try Server([busy, Server.ok])
        let start = Moment.now
        let sink = try sink(server.port)
        try sink.write("one\ntwo\n")
        try sink.finish()
        #expect(Moment.now.nanoseconds - start.nanoseconds >= 1_000_000_000)
        #expect(server.bodies == ["one\ntwo\n", "one\ntwo\n"])
        #expect(metrics(sink).delivered == 2 && metrics(sink).isBalanced)
        let notices = sink.meter?.takeNotices() ?? []
        #expect(notices.first?.hasSuffix("it answers 503 Service Unavailable: too much; it is tried again") == true)
        server.stop()
    }

    @Test func whatIsRefusedForGoodIsCountedAndTheRestGoesOn() throws {
        let bad = "HTTP/1.1 422 Unprocessable Content\r\nContent-Length: 3\r\n\r\nbad"
        let server = try Server([Server.ok, bad, bad, Server.ok])
        let sink = try sink(server.port, "&lines=1")
        for number in 0..<6 { try sink.write("\(number)\n") }
        #expect(throws: TransportError.self) { try sink.finish() }
        #expect(server.bodies == (0..<6).map { "\($0)\n" })
        let metrics = metrics(sink)
        #expect(metrics.delivered == 4 && metrics[.refused] == 2 && metrics.isBalanced && metrics.pending == 0)
        let notices = sink.meter?.takeNotices() ?? []
        #expect(notices.count == 1 && notices[0].contains("422 Unprocessable Content: bad"), "\(notices)")
        server.stop()
    }

    @Test(arguments: [
        "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nuntil the end",
        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ])
    func understandsAnswersOfAllKinds(answer: String) throws {
        let server = try Server([answer])
        let sink = try sink(server.port, "&lines=1")
        for number in 0..<20 { try sink.write("\(number)\n") }
        try sink.finish()
        #expect(server.bodies == (0..<20).map { "\($0)\n" })
        #expect(metrics(sink).delivered == 20 && metrics(sink).isBalanced)
        #expect(server.connections == (answer.contains("close") ? 20 : 1))
        #expect(sink.meter?.takeNotices() == [])
        server.stop()
    }

    @Test(arguments: [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhalf",
            "its answer cannot be read: it breaks off"
        ),
        (
            String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 100) + "Connection: close",
            "its answer cannot be read: it does not come to its end"
        ),
        ("SSH-2.0-OpenSSH\r\n\r\nConnection: close", "its answer cannot be read: it is not one of HTTP/1.1"),
        ("", "it closes the connection"), (nil, "it does not answer within"),
    ])
    func sendsAgainWhatWasNotAnswered(answer: String?, reason: String) throws {
        let server = try Server([answer, Server.ok])
        let sink = try sink(server.port, "&timeout=100ms")
        try sink.write("one\n")
        try sink.finish()
        #expect(server.bodies == ["one\n", "one\n"])
        #expect(metrics(sink).delivered == 1 && metrics(sink).isBalanced)
        let notices = sink.meter?.takeNotices() ?? []
        #expect(notices.first?.contains(reason) == true, "\(notices)")
        server.stop()
    }

    @Test func whatWasNotTakenIsKeptForTheNextStart() throws {
        let folder = try Folder()
        let server = try Server(["HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"])
        let spill = "&spill=\(folder("spill"))"
        let sink = try transport.openSink("//127.0.0.1:\(server.port)/in?linger=100ms&retry=20ms" + spill)
        try sink.write("one\ntwo\n")
        try sink.finish()
        #expect(metrics(sink).delivered == 0 && metrics(sink).pending == 2 && metrics(sink).isBalanced)
        server.stop()
        let other = try Server([Server.ok])
        let next = try self.sink(other.port, spill)
        try next.finish()
        #expect(other.bodies == ["one\ntwo\n"] && metrics(next).delivered == 2)
        other.stop()
    }

    @Test(arguments: [
        ("127.0.0.1:80", "the host is missing"), ("//127.0.0.1:0/", "there is no port 0"),
        ("//127.0.0.1/x", "the port is missing"),
        ("//127.0.0.1:80/a b", "write '%20' for a blank"),
        ("//127.0.0.1:80/?body=array&framing=length", "only lines become"),
        ("//127.0.0.1:80/?type=%0Ax", "plain letters"),
    ])
    func refusesAddressesThatMakeNoSense(address: String, reason: String) {
        do {
            _ = try transport.openSink(address)
            Issue.record("it was taken")
        } catch {
            #expect("\(error)".contains(reason), "\(error)")
        }
    }
}
