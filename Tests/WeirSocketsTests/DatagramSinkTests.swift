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

@Suite(.serialized) struct DatagramSinkTests {
    private let folder: Folder
    private let transport = UnixTransport()

    init() throws { folder = try Folder() }

    private func sink(_ options: String = "") throws -> any TransportSink {
        try transport.openSink(folder("s") + options)
    }

    private func metrics(_ sink: any TransportSink) -> TransportMetrics { sink.meter?.metrics ?? TransportMetrics() }

    /// Opens a port that was let go; another program may be given it for a moment.
    private func open(_ port: UInt16) throws -> DatagramSource {
        var source: DatagramSource?
        try eventually("the port is free") {
            source = try? UDPTransport().open("//:\(port)")
            return source != nil
        }
        return try #require(source)
    }

    @Test func linesAreTogetherInADatagramUpToItsLength() throws {
        let transport = UDPTransport()
        let source = try transport.open("//:0")
        let collector = Collector(source)
        let sink = try transport.openSink("//127.0.0.1:\(source.port)?datagram=64&linger=300s")
        let long = String(repeating: "l", count: 200)
        let lines = (0..<100).map { "line \($0)" } + [long]
        try sink.write(lines.joined(separator: "\n") + "\n")
        try sink.finish()
        try collector.waitForLines(101)
        #expect(collector.lines == lines)
        let datagrams = metrics(sink).delivered
        #expect(datagrams == collector.metrics.delivered && datagrams > 13 && datagrams < 20)
    }

    @Test func aPortWhereNobodyListensIsTriedAgain() throws {
        let transport = UDPTransport()
        var silent: SilentPort? = try SilentPort()
        let port = try #require(silent).number
        let sink = try transport.openSink("//127.0.0.1:\(port)?lines=1&retry=20ms&linger=60s")
        for number in 0..<50 { try sink.write("\(number)\n") }
        try eventually("the refusal was noticed") { metrics(sink)[.refused] >= 1 }
        #expect(metrics(sink).isBalanced)
        silent = nil
        let collector = Collector(try open(port))
        for number in 50..<100 { try sink.write("\(number)\n") }
        #expect(throws: TransportError.self) { try sink.finish() }
        #expect(metrics(sink).pending == 0 && metrics(sink).isBalanced)
        try eventually("what was not refused arrived") { collector.lines.last == "99" }
        // What was refused in one batch is known by one refusal.
        #expect(metrics(sink).delivered >= UInt64(collector.count))
    }

    /// The refusal of the last datagram comes when nothing is sent any more.
    @Test(arguments: [1, 3]) func theLastDatagramsMayBeRefusedToo(count: Int) throws {
        let transport = UDPTransport()
        let silent = try SilentPort()
        let sink = try transport.openSink("//127.0.0.1:\(silent.number)?lines=1&retry=1ms&linger=60s")
        for number in 0..<count { try sink.write("\(number)\n") }
        let error = #expect(throws: TransportError.self) { try sink.finish() }
        #expect(
            error.map { "\($0)" }?.contains("messages were lost: \(count) refused") == true,
            "\(String(describing: error))"
        )
        #expect(metrics(sink).isBalanced && metrics(sink).delivered == 0)
        #expect("\(metrics(sink))" == "\(count) to send, 0 sent, \(count) dropped (refused)")
    }

    @Test func aPortWhereNobodyListensIsToldOnce() throws {
        let transport = UDPTransport()
        var silent: SilentPort? = try SilentPort()
        let port = try #require(silent).number
        let sink = try transport.openSink("//127.0.0.1:\(port)?lines=1&retry=1ms&linger=60s")
        let notices = Locked<[String]>([])
        sink.meter?.observeNotices { notice in notices.withLock { $0.append(notice) } }
        for number in 0..<20 {
            let refused = metrics(sink)[.refused]
            try sink.write("\(number)\n")
            try eventually("what can be refused was") {
                metrics(sink).pending == 0 || metrics(sink)[.refused] > refused
            }
        }
        try eventually("the refusal was noticed") { metrics(sink)[.refused] >= 2 }
        let first = notices.withLock { $0 }
        #expect(first.count == 1, "\(first)")
        silent = nil
        let collector = Collector(try open(port))
        for number in 20..<40 { try sink.write("\(number)\n") }
        try eventually("what was not refused arrived") { collector.lines.last == "39" }
        #expect(throws: TransportError.self) { try sink.finish() }
        let all = notices.withLock { $0 }
        #expect(all.count == 2 && all.last?.hasSuffix("can be written to again") == true, "\(all)")
    }

    @Test(arguments: ["", "&sequence=true"])
    func aLineThatIsLongerThanAnyDatagramIsCounted(options: String) throws {
        let transport = UDPTransport()
        let source = try transport.open("//:0?" + options.dropFirst())
        let collector = Collector(source)
        let sink = try transport.openSink("//127.0.0.1:\(source.port)?linger=60s" + options)
        for count in [10, 65_507, 65_535, 65_600, 200_000, 20] {
            try sink.write(String(repeating: "x", count: count) + "\n")
        }
        let error = #expect(throws: TransportError.self) { try sink.finish() }
        #expect(error.map { "\($0)" }?.contains("messages were lost: 4 too long to send") == true)
        try collector.waitForLines(2)
        #expect(collector.lines.map(\.count) == [10, 20])
        let metrics = metrics(sink)
        #expect(metrics[.tooLongToSend] == 4 && metrics.delivered == 2 && metrics.isBalanced)
    }

    private func frame(_ text: String) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: text.utf8.count >> (24 - 8 * $0)) } + Array(text.utf8)
    }

    @Test(arguments: ["dgram", "seqpacket", "udp"])
    func framesStayWholeInDatagrams(kind: String) throws {
        let texts = (0..<200).map { "\($0)\n" + String(repeating: "f", count: $0) }
        let (source, sink): (any TransportSource, any TransportSink)
        switch kind {
        case "udp":
            let udp = try UDPTransport().open("//:0?framing=length")
            source = udp
            sink = try UDPTransport().openSink("//127.0.0.1:\(udp.port)?framing=length&datagram=300&linger=60s")
        case "dgram":
            source = try UnixDatagramTransport().openSource(folder("d") + "?framing=length")
            sink = try UnixDatagramTransport().openSink(folder("d") + "?framing=length&datagram=300&linger=60s")
        default:
            source = try UnixPacketTransport().openSource(folder("d") + "?framing=length")
            sink = try UnixPacketTransport().openSink(folder("d") + "?framing=length&datagram=300&linger=60s")
        }
        let collector = Collector(source)
        let bytes = texts.flatMap(frame)
        var random = SeededGenerator(5)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...700, using: &random))
            try sink.write(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        try sink.finish()
        try eventually("all arrived") { collector.bytes.count == bytes.count }
        #expect(collector.bytes == bytes)
        #expect(metrics(sink).delivered < 150 && collector.metrics.rejected == 0 && collector.metrics.isBalanced)
    }

    @Test func aFrameThatIsNotWholeIsAnError() throws {
        let source = Collector(try transport.openSource(folder("s") + "?framing=length&accept=1"))
        let sink = try sink("?framing=length&buffer=1000&linger=300s")
        try sink.write(Array((frame("whole") + frame("half").dropLast())))
        #expect(throws: TransportError.self) { try sink.finish() }
        try eventually("the whole one arrived") { source.bytes == frame("whole") }
        let other = try self.sink("?framing=length&buffer=1000")
        #expect(throws: TransportError.self) {
            try other.write(Array(frame(String(repeating: "x", count: 1000)).dropLast()))
        }
    }

    @Test func aSpillOfLinesGoesOutAsDatagramsToo() throws {
        do {
            let sink = try sink("?spill=\(folder("spill"))&buffer=10&linger=0")
            try sink.write("one\ntwo\nthree\n")
            try sink.write("four\n")
            _ = try? sink.finish()
        }
        let collector = Collector(try UnixPacketTransport().openSource(folder("p") + "?accept=1"))
        let sink = try UnixPacketTransport().openSink(folder("p") + "?spill=\(folder("spill"))&linger=60s")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["one", "two", "three", "four"] && collector.metrics.delivered == 4)
    }

    @Test func noticesComeWhenTheyAreMade() throws {
        let notices = Locked<[String]>([])
        let sink = try sink("?spill=\(folder("spill"))&spill-limit=1024&buffer=100&overflow=drop-newest&linger=0")
        sink.meter?.observeNotices { notice in notices.withLock { $0.append(notice) } }
        #expect(notices.withLock { $0.count } == 1, "those from before come at once")
        for number in 0..<200 { try sink.write("\(number) 0123456789\n") }
        try eventually("it was said") { notices.withLock { $0.count } == 2 }
        let notice = notices.withLock { $0[1] }
        #expect(notice.contains("takes no more: its limit, 1KiB, is reached; what follows is dropped"), "\(notice)")
        #expect(metrics(sink)[.queueFull] > 0 && metrics(sink).isBalanced)
        _ = try? sink.finish()
        #expect(metrics(sink).isBalanced && metrics(sink).pending > 0)
    }

    @Test func packetsKeepTheirBounds() throws {
        let transport = UnixPacketTransport()
        let collector = Collector(try transport.openSource(folder("p") + "?accept=1"))
        let sink = try transport.openSink(folder("p") + "?lines=2&linger=300s")
        try sink.write("1\n2\n3\n4\n5\n")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "1\n2\n3\n4\n5\n")
        #expect(collector.metrics.delivered == 3 && metrics(sink).delivered == 3)
    }
}
