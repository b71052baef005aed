import Foundation
import TestServers
import TestThreads
import Testing
import WeirFiles
import WeirRecords

@testable import WeirNATS
@testable import WeirSockets

/// What streams do not take, what they remove, and streams that are gone.
@Suite(.serialized, .enabled(if: NATSServer.program != nil, "\(NATSServer.isMissing)")) struct StreamLossTests {
    private let server: NATSServer
    private let client: NATSClient

    init() throws {
        server = try NATSServer()
        client = try server.client()
    }

    @Test func aSourceOfWhatTheStreamDoesNotTakeIsRefused() throws {
        try client.makeStream("S", ["in.a", "in.b.*"])
        for (subject, isTaken) in [
            ("in.a", true), ("in.*", true), ("in.b.c", true), (">", true), ("*.b.>", true), ("out", false),
            ("in.b", false), ("in.c.>", false),
        ] {
            for options in ["", "&durable=d\(subject.utf8.count)\(subject.hasPrefix("i"))"]
            where isTaken == options.isEmpty || !isTaken {
                let open = { try NATSTransport().openSource(server.address + "/\(subject)?stream=S\(options)").close() }
                guard !isTaken else {
                    try open()
                    continue
                }
                let error = #expect(throws: TransportError.self) { try open() }
                #expect(
                    "\(try #require(error))".contains("does not take '\(subject)', but 'in.a', 'in.b.*'"),
                    "\(error as Any)"
                )
            }
        }
        // What it took before it was changed is still there.
        try client.publish(numbers: 0..<3)
        _ = try client.ask("STREAM.UPDATE.S", "to change the stream") { json in
            json.member("name", "S")
            json.member("subjects", ["new"]) { json, subject in json.value(subject) }
            json.member("storage", "file")
            json.member("num_replicas", 1)
            json.member("discard", "new")
        }
        let old = Collector(try NATSTransport().openSource(server.address + "/in.a?stream=S"), limit: 6)
        #expect(try old.waitForEnd() == nil && old.lines == linesOfNumbers(0..<3))
        old.source.close()
        // And what another stream has may be of any subject.
        _ = try client.ask("STREAM.CREATE.M", "to make a mirror") { json in
            json.member("name", "M")
            json.name("mirror")
            json.object { $0.member("name", "S") }
        }
        try NATSTransport().openSource(server.address + "/anything?stream=M").close()
    }

    // MARK: What streams remove

    private func makeStream(keeping count: Int) throws {
        _ = try client.ask("STREAM.CREATE.S", "to make a stream") { json in
            json.member("name", "S")
            json.member("subjects", ["in.>"]) { json, subject in json.value(subject) }
            json.member("max_msgs", count)
            json.member("discard", "old")
        }
    }

    @Test(arguments: ["in.>", ">"])
    func whatIsRemovedBeforeItIsReadEndsTheSource(subject: String) throws {
        try makeStream(keeping: 200)
        try client.publish(numbers: 0..<100)
        let source = try NATSTransport().openSource(server.address + "/\(subject)?stream=S&batch=10")
        let first = Collector(source, limit: 1)
        _ = try first.waitForEnd()
        try client.publish(numbers: 100..<500)
        let rest = Collector(source)
        let error = try #require(try rest.waitForEnd())
        let lines = (String(decoding: first.bytes + rest.bytes, as: UTF8.self)).split(separator: "\n").map(String.init)
        #expect(lines == linesOfNumbers(0..<lines.count) && lines.count < 100)
        #expect(
            "\(error)".contains(
                "the stream 'S' begins with message 301, and the last one read is \(lines.count): "
                    + "\(300 - lines.count) were removed before they were read"
            ),
            "\(error)"
        )
        #expect((source as? any PositionedSource)?.position?.offset == Int64(lines.count) + 1)
        #expect(source.meter?.metrics.delivered == UInt64(lines.count) && source.meter?.metrics.isBalanced == true)
    }

    @Test func whatMayHaveBeenRemovedBeforeItWasReadIsNoted() throws {
        try makeStream(keeping: 200)
        try client.publish(numbers: 0..<100)
        let source = try NATSTransport().openSource(server.address + "/in.a?stream=S&batch=10")
        _ = try Collector(source, limit: 1).waitForEnd()
        try client.publish(numbers: 100..<500)
        let rest = Collector(source)
        try eventually("it comes to the end") { rest.lines.last == "499" }
        try eventually("it is noted") {
            source.meter?.takeNotices().contains {
                $0.contains("begins with message 301") && $0.contains("some of 'in.a' may be among those")
            } == true
        }
        #expect(rest.metrics.isBalanced)
    }

    @Test func whatIsRemovedInTheMiddleIsMissedByNobody() throws {
        try client.makeStream()
        try client.publish(numbers: 0..<200)
        let gone = [20, 21, 60, 61, 62, 150]
        let source = try NATSTransport().openSource(server.address + "/in.>?stream=S&batch=10")
        for number in gone {
            _ = try client.ask("STREAM.MSG.DELETE.S", "to remove a message") { $0.member("seq", number + 1) }
        }
        let collector = Collector(source)
        try eventually("all is read") { collector.lines.last == "199" }
        #expect(collector.lines == linesOfNumbers(0..<200).filter { !gone.contains(Int($0) ?? 0) })
        #expect(collector.metrics.delivered == 194 && collector.metrics.isBalanced)
        #expect(source.meter?.takeNotices().isEmpty == true)
    }

    @Test func whatANewerMessageReplacesIsNoReasonToEnd() throws {
        var settings = JetStreamSettings("S", subjects: ["in.>"])
        settings.history = 1
        try client.createStream(settings)
        for number in 0..<50 { try client.publish(numbers: number..<number + 1, to: "in.\(number)") }
        let source = try NATSTransport().openSource(server.address + "/in.>?stream=S&batch=10")
        let first = Collector(source, limit: 1)
        _ = try first.waitForEnd()
        for number in 50..<100 { try client.publish(numbers: number..<number + 1, to: "in.\(number % 50)x") }
        for number in 100..<150 { try client.store("in.\(number % 50)", Array("\(number)".utf8)) }
        let rest = Collector(source)
        try eventually("all is read") { rest.lines.last == "149" }
        #expect(rest.metrics.isBalanced)
    }

    // MARK: Streams that are gone

    /// Also where a subscription takes what is sent, so that nobody says that the stream does not.
    @Test(arguments: [false, true])
    func aStreamThatIsDeletedEndsTheSink(isHeard: Bool) throws {
        try client.makeStream()
        let address = server.address + "/in.a?stream=S&linger=300s&retry=50ms&timeout="
        // A stream may be missing for six times as long: here for longer than a busy machine takes to make it.
        let patient = try NATSTransport().openSink(address + (isHeard ? "3s" : "20s"))
        try patient.write("0\n")
        try eventually("it is confirmed") { patient.meter?.metrics.delivered == 1 }
        let ear = isHeard ? Collector(try NATSTransport().openSource(server.address + "/in.*")) : nil
        defer { ear?.source.close() }
        // One that comes back is only waited for.
        _ = try client.ask("STREAM.DELETE.S", "to delete the stream")
        try patient.write("1\n")
        try eventually("it is noticed") {
            patient.meter?.takeNotices().contains { $0.contains("cannot be written to: ") } == true
        }
        try client.makeStream()
        try patient.finish()
        #expect(patient.meter?.metrics.delivered == 2)
        #expect(try client.stream("S").last == 1)
        let sink = try NATSTransport().openSink(address + "200ms")
        try sink.write("0\n")
        try sink.write("1\n")
        try eventually("they are confirmed") { sink.meter?.metrics.delivered == 2 }
        _ = try client.ask("STREAM.DELETE.S", "to delete the stream")
        var error: TransportError?
        try eventually("it ends") {
            do throws(TransportError) { try sink.write("2\n") } catch let failure { error = failure }
            return error != nil
        }
        #expect(
            "\(try #require(error))".contains(
                "there is no stream 'S'; make one: nats stream add S --subjects 'in.a' --defaults; it has been missing for"
            ),
            "\(error as Any)"
        )
        #expect(throws: TransportError.self) { try sink.finish() }
        #expect(sink.meter?.metrics.delivered == 2 && sink.meter?.metrics.isBalanced == true)
    }
}
