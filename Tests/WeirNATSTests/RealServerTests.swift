import Foundation
import TestServers
import TestThreads
import Testing
import WeirFiles
import WeirRecords

@testable import WeirNATS
@testable import WeirSockets

/// The transport.
@Suite(.serialized, .enabled(if: NATSServer.program != nil, "\(NATSServer.isMissing)")) struct RealServerTests {
    private let server: NATSServer
    private let client: NATSClient

    init() throws {
        server = try NATSServer()
        client = try server.client()
    }

    @Test func aSinkAndASourceOfASubjectMeet() throws {
        let interruption = try Interruption()
        let source = try NATSTransport(interruption: interruption).openSource(server.address + "/a.>")
        let collector = Collector(source)
        let sink = try NATSTransport().openSink(server.address + "/a.b?linger=60s")
        for number in 0..<5000 { try sink.write("\(number)\n") }
        try sink.finish()
        #expect(sink.meter?.metrics.delivered == 5000)
        try collector.waitForLines(5000)
        interruption.trigger()
        _ = try collector.waitForEnd()
        #expect(collector.lines == linesOfNumbers(0..<5000))
    }

    @Test func aStreamIsReadInOrderThroughTheEndOfItsServer() throws {
        try client.makeStream()
        let interruption = try Interruption()
        let transport = NATSTransport(interruption: interruption)
        let source = try transport.openSource(server.address + "/in.a?stream=S&retry=50ms&batch=100")
        let collector = Collector(source)
        let sink = try NATSTransport().openSink(server.address + "/in.a?stream=S&linger=60s&retry=50ms&buffer=64KiB")
        for number in 0..<20_000 {
            try sink.write("\(number)\n")
            guard number == 8000 else { continue }
            server.stop()
            try server.start()
        }
        try sink.finish()
        #expect(sink.meter?.metrics.delivered == 20_000)
        try collector.waitForLines(20_000)
        interruption.trigger()
        _ = try collector.waitForEnd()
        // The sink's ids keep what it sent twice out of the stream.
        #expect(collector.lines == linesOfNumbers(0..<20_000))
        #expect(collector.metrics.isBalanced)
    }

    @Test func aSourceGoesOnWhereAnotherOneWas() throws {
        try client.makeStream()
        try client.publish(numbers: 0..<50, to: "in.a")
        try client.publish(numbers: 0..<50, to: "in.b")
        try client.publish(numbers: 50..<100, to: "in.a")
        let address = server.address + "/in.a?stream=S"
        let transport = NATSTransport()
        #expect(transport.canResume(address) && !transport.canResume(address + "&durable=d"))
        var text = Array(linesOfNumbers(0..<100).joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
        var position: SourcePosition?
        // Any place, also within a message.
        for count in [1, 10, 3, 100, 37, text.count] {
            let source = try position.map { try transport.openSource(address, at: $0) } ?? transport.openSource(address)
            let wanted = min(count, text.count)
            guard wanted > 0 else { break }
            let collector = Collector(source, limit: wanted, share: 1)
            #expect(try collector.waitForEnd() == nil)
            #expect(collector.bytes == Array(text.prefix(wanted)))
            text.removeFirst(wanted)
            position = (source as? any PositionedSource)?.position
            source.close()
        }
        let end = try #require(position)
        _ = try client.ask("STREAM.PURGE.S", "to empty the stream")
        try client.publish(numbers: 200..<201, to: "in.c")
        var middle = end
        middle.offset = 20
        // Of several subjects, others may have been removed; of one, all were.
        _ = try transport.openSource(address, at: middle)
        let lost = #expect(throws: TransportError.self) {
            _ = try transport.openSource(server.address + "/>?stream=S", at: middle)
        }
        #expect("\(try #require(lost))".contains("removed before they were read"))
        _ = try client.ask("STREAM.DELETE.S", "to delete the stream")
        try client.makeStream()
        let other = #expect(throws: TransportError.self) { _ = try transport.openSource(address, at: end) }
        #expect("\(try #require(other))".contains("another one"))
    }

    @Test func aDurableConsumerRemembersWhatWasHandedOn() throws {
        try client.makeStream()
        try client.publish(numbers: 0..<100)
        var settings = JetStreamConsumerSettings("d")
        settings.isDurable = true
        settings.patience = .milliseconds(500)
        settings.subject = "in.a"
        try client.createConsumer(settings, of: "S")
        let address = server.address + "/in.a?stream=S&durable=d&batch=10"
        // What was read last was not handed on: the reader did not come back.
        let first = try NATSTransport().openSource(address)
        let begun = Collector(first, limit: 1)
        _ = try begun.waitForEnd()
        first.close()
        #expect(try client.consumer("d", of: "S").pending < 100)
        let interruption = try Interruption()
        let second = Collector(try NATSTransport(interruption: interruption).openSource(address))
        try eventually("everything was read") { Set(second.lines) == Set(linesOfNumbers(0..<100)) }
        interruption.trigger()
        _ = try second.waitForEnd()
        // What it has acknowledged does not come again.
        try client.publish(numbers: 100..<110)
        let third = try NATSTransport().openSource(address)
        let later = Collector(third, limit: 1)
        _ = try later.waitForEnd()
        third.close()
        #expect(later.lines.first == "100")
        for other in [JetStreamConsumer.Acknowledgement.all, .none] {
            settings.name = other.rawValue
            settings.acknowledgement = other
            try client.createConsumer(settings, of: "S")
            let error = #expect(throws: TransportError.self) {
                _ = try NATSTransport().openSource(server.address + "/in.a?stream=S&durable=\(other.rawValue)")
            }
            #expect("\(try #require(error))".contains("--ack explicit"))
        }
        let error = #expect(throws: TransportError.self) {
            _ = try NATSTransport().openSource(server.address + "/in.b?stream=S&durable=d")
        }
        #expect("\(try #require(error))".contains("is of 'in.a', and not of 'in.b'"))
        #expect(NATSTransport().stateObstacle(address) != nil)
        #expect(NATSTransport().stateObstacle(server.address + "/in.a?stream=S") == nil)
    }

    @Test func aDurableConsumerGetsBackWhatWasNotRead() throws {
        try client.makeStream()
        try client.publish(numbers: 0..<1000)
        let address = server.address + "/in.a?stream=S&durable=d"
        let interruption = try Interruption()
        let first = try NATSTransport(interruption: interruption).openSource(address)
        interruption.trigger()
        #expect(try Collector(first).waitForEnd() != nil)
        first.close()
        // At once, and not when the server has no patience any more.
        let second = Collector(try NATSTransport(interruption: try Interruption()).openSource(address))
        try second.waitForLines(1000)
        #expect(Set(second.lines) == Set(linesOfNumbers(0..<1000)))
        second.source.close()
    }

    @Test(arguments: [("all", 0..<12), ("new", 10..<12), ("last", 9..<12)])
    func aStreamIsReadFromWhereTheOptionSays(deliver: String, range: Range<Int>) throws {
        try client.makeStream()
        try client.publish(numbers: 0..<10)
        let sources = try ["", "&durable=d"].map { durable in
            try NATSTransport().openSource(server.address + "/in.a?stream=S&deliver=\(deliver)" + durable)
        }
        try client.publish(numbers: 10..<12)
        for source in sources {
            let count = range.reduce(0) { $0 + "\($1)\n".utf8.count }
            let collector = Collector(source, limit: count)
            try collector.waitForLines(range.count)
            #expect(collector.lines == linesOfNumbers(range))
            source.close()
        }
    }

    @Test func whatIsMissingIsSaidWithWhatToDo() throws {
        for open in [
            { _ = try NATSTransport().openSource(server.address + "/in.a?stream=S") },
            { _ = try NATSTransport().openSink(server.address + "/in.a?stream=S") },
        ] as [() throws -> Void] {
            let error = #expect(throws: TransportError.self) { try open() }
            #expect(
                "\(try #require(error))".contains(
                    "there is no stream 'S'; make one: nats stream add S --subjects 'in.a'"
                )
            )
        }
        try client.makeStream()
        let error = #expect(throws: TransportError.self) {
            _ = try NATSTransport().openSink(server.address + "/out?stream=S")
        }
        #expect("\(try #require(error))".contains("does not take 'out', but 'in.>'"))
    }

    @Test(arguments: [
        (
            ["--user", "me", "--pass", "p@ss/word"], NATSSettings.Credentials.user("me", password: "p@ss/word"),
            "me:p%40ss%2Fword@"
        ),
        (["--auth", "tok:en"], .token("tok:en"), "tok%3Aen@"),
    ])
    func usersAndTokensAreLetIn(options: [String], credentials: NATSSettings.Credentials, text: String) throws {
        let guarded = try NATSServer(options, credentials: credentials)
        let sink = try NATSTransport().openSink("//" + text + "127.0.0.1:\(guarded.port)/out?linger=60s")
        try sink.write("x\n")
        try sink.finish()
        for (text, advice) in [
            ("", "nats://USER:PASSWORD@HOST"), ("me:wrong@", "see whether"), ("wrong@", "see whether"),
        ] {
            let error = #expect(throws: TransportError.self) {
                _ = try NATSTransport().openSource("//" + text + "127.0.0.1:\(guarded.port)/out")
            }
            #expect("\(try #require(error))".contains(advice) && !"\(error as Any)".contains("wrong"))
        }
    }

    @Test func aStreamThatIsFullMakesTheSinkWait() throws {
        _ = try client.ask("STREAM.CREATE.F", "to make a stream") { json in
            json.member("name", "F")
            json.member("subjects", ["full"]) { json, subject in json.value(subject) }
            json.member("max_msgs", 10)
            json.member("discard", "new")
        }
        let sink = try NATSTransport().openSink(server.address + "/full?stream=F&linger=60s&retry=50ms")
        for number in 0..<25 { try sink.write("\(number)\n") }
        for wanted in [10, 20, 25] as [UInt64] {
            try eventually("it is full") { try client.stream("F").last >= wanted }
            #expect(try client.stream("F").last == wanted)
            _ = try client.ask("STREAM.PURGE.F", "to empty the stream")
        }
        try sink.finish()
        #expect(sink.meter?.metrics.delivered == 25 && sink.meter?.metrics.isBalanced == true)
        #expect(
            sink.meter?.takeNotices().contains { $0.contains("maximum messages exceeded; it is tried again") } == true
        )
    }

    @Test func linesThatArePutTogetherFitIntoTheStream() throws {
        _ = try client.ask("STREAM.CREATE.short", "to make a stream") { json in
            json.member("name", "short")
            json.member("subjects", ["short"]) { json, subject in json.value(subject) }
            json.member("max_msg_size", 256)
        }
        let sink = try NATSTransport().openSink(server.address + "/short?stream=short&lines=100&linger=60s")
        // Lines are put together that are written at once.
        try sink.write((100..<200).map { "a line with the number \($0)\n" }.joined())
        // Longer than the stream takes: it goes alone, and is counted.
        try sink.write(String(repeating: "x", count: 300) + "\n")
        let error = #expect(throws: TransportError.self) { try sink.finish() }
        #expect("\(error as Any)".contains("messages were lost: 1 refused"))
        let metrics = try #require(sink.meter?.metrics)
        #expect(metrics[.refused] == 1 && metrics.isBalanced)
        #expect(try client.stream("short").last == metrics.delivered && metrics.delivered > 1)
        #expect(metrics.delivered < 100)
    }
}
