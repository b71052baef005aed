import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.serialized) struct SinkTests {
    private let folder: Folder
    private let transport = UnixTransport()

    init() throws { folder = try Folder() }

    private func sink(_ options: String = "") throws -> any TransportSink {
        try transport.openSink(folder("s") + options)
    }

    private func collect(_ options: String = "", isPaused: Bool = false) throws -> Collector {
        Collector(try transport.openSource(folder("s") + options), isPaused: isPaused)
    }

    private func metrics(_ sink: any TransportSink) -> TransportMetrics { sink.meter?.metrics ?? TransportMetrics() }

    @Test func writesWhatItGetsInWhateverPieces() throws {
        var random = SeededGenerator(3)
        let collector = try collect("?accept=1&unfinished=deliver")
        let sink = try sink()
        let lines = (0..<500).map { "\($0)" + String(repeating: "x", count: .random(in: 0...200, using: &random)) }
        var rest = Array((lines.joined(separator: "\n") + "\nend").utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...300, using: &random))
            try sink.write(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == lines + ["end"])
        #expect(metrics(sink).delivered == 501 && metrics(sink).isBalanced && metrics(sink).pending == 0)
    }

    @Test func keepsWhatItHasUntilAPeerListens() throws {
        let sink = try sink("?retry=20ms")
        #expect(sink.meter?.takeNotices().first?.contains("tried again") == true)
        try sink.write("early\n")
        #expect(metrics(sink).pending == 1)
        let collector = try collect("?accept=1")
        try sink.write("late\n")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["early", "late"])
    }

    @Test func comesBackToALineThatWasCut() throws {
        let sink = try sink("?retry=20ms&linger=60s")
        let line = String(repeating: "0123456789", count: 1000)
        var lines: [String] = []
        // Readers who take a little and go: no line is lost that they did not take, and each begins with a whole one.
        for number in 0..<300 { lines.append("\(number)-\(line)") }
        let lent = Lent(sink)
        let writer = Thread { [lines] in for line in lines { try? lent.value.write(line + "\n") } }
        writer.start()
        var last = -1
        for _ in 0..<3 {
            let listener = try UnixListener(
                UnixSettings(place: .file(folder("s"))),
                kind: .stream,
                inherited: .none,
                address: "t"
            )
            var reader: Int32 = -1
            try eventually("it came") {
                reader = accept(listener.descriptor, nil, nil)
                return reader >= 0
            }
            _ = fcntl(reader, F_SETFL, 0)
            var taken: [UInt8] = []
            while taken.count < 25_000 {
                var bytes = [UInt8](repeating: 0, count: 1000)
                let count = unsafe recv(reader, &bytes, bytes.count, 0)
                guard count > 0 else { break }
                taken += bytes.prefix(count)
            }
            close(reader)
            listener.close()
            let first = try #require(Int(String(decoding: taken.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)))
            #expect(first > last, "a reader begins with a line that was not sent whole before")
            last = first
        }
        try eventually("the writer ended") { writer.isFinished }
        let collector = try collect("?accept=1")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines.last == lines.last)
        #expect(metrics(sink).delivered == 300 && metrics(sink).isBalanced)
    }

    @Test func aFullBufferHasTheWriterWait() throws {
        let sink = try sink("?buffer=1000&retry=20ms&linger=60s")
        let done = DispatchSemaphore(value: 0)
        let lent = Lent(sink)
        Thread {
            for number in 0..<1000 { try? lent.value.write("\(number)\n") }
            done.signal()
        }.start()
        #expect(done.wait(timeout: .now() + .milliseconds(30)) == .timedOut)
        let collector = try collect("?accept=1")
        #expect(done.wait(timeout: .now() + 60) == .success)
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines.compactMap { Int($0) } == Array(0..<1000))
    }

    @Test(arguments: ["drop-newest", "drop-oldest"])
    func aFullBufferDropsAndCounts(policy: String) throws {
        let sink = try sink("?buffer=70000&overflow=\(policy)&retry=20ms&linger=60s")
        let line = String(repeating: "x", count: 90)
        for number in 1000..<5000 {
            try sink.write("\(number)\(line)\n")
            #expect(metrics(sink).isBalanced)
        }
        let before = metrics(sink)
        #expect(before[policy == "drop-newest" ? .queueFull : .oldest] > 2000)
        let collector = try collect("?accept=1")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        let after = metrics(sink)
        #expect(
            after.sent == 4000 && after.delivered == UInt64(collector.count) && after.pending == 0 && after.isBalanced
        )
        let numbers = collector.lines.compactMap { Int($0.prefix(4)) }
        #expect(numbers == numbers.sorted())
        if policy == "drop-newest" { #expect(numbers.first == 1000) } else { #expect(numbers.last == 4999) }
    }

    @Test func spillsAndReplaysInOrder() throws {
        let sink = try sink("?buffer=2000&spill=\(folder("spill"))&retry=20ms&linger=60s")
        for number in 0..<5000 { try sink.write("\(number)\n") }
        #expect(metrics(sink).pending == 5000)
        let collector = try collect("?accept=1")
        for number in 5000..<6000 { try sink.write("\(number)\n") }
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines.compactMap { Int($0) } == Array(0..<6000))
        #expect(metrics(sink).delivered == 6000 && metrics(sink).isBalanced)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("spill"))).count == 16)
    }

    @Test func theNextProgramGoesOnWithWhatWasSpilled() throws {
        let options = "?buffer=2000&spill=\(folder("spill"))&retry=20ms&linger=0"
        for part in 0..<3 {
            let sink = try sink(options)
            for number in part * 1000..<(part + 1) * 1000 { try sink.write("\(number)\n") }
            try sink.finish()
            #expect(metrics(sink).pending == UInt64(part + 1) * 1000 && metrics(sink).isBalanced)
        }
        let collector = try collect("?accept=1")
        let sink = try sink("?spill=\(folder("spill"))&linger=60s")
        #expect(sink.meter?.takeNotices().contains { $0.contains("3000 messages") } == true)
        try sink.write("3000\n")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines.compactMap { Int($0) } == Array(0...3000))
    }

    @Test func aSpillThatIsFullHasTheWriterWaitOrDrop() throws {
        let sink = try sink(
            "?buffer=2000&spill=\(folder("spill"))&spill-limit=20000&overflow=drop-newest&retry=20ms&linger=60s"
        )
        for number in 0..<20_000 { try sink.write("\(number)\n") }
        let before = metrics(sink)
        #expect(before[.queueFull] > 10_000 && before.isBalanced)
        let collector = try collect("?accept=1")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        let after = metrics(sink)
        #expect(after.delivered == UInt64(collector.count) && after.isBalanced && after.pending == 0)
        let numbers = collector.lines.compactMap { Int($0) }
        #expect(numbers.first == 0 && numbers == numbers.sorted())
    }

    @Test func theEndDoesNotWaitForEver() throws {
        let sink = try sink("?linger=30ms")
        try sink.write("one\ntwo\n")
        #expect(
            throws: TransportError.writeFailed(
                address: "unix:" + folder("s") + "?linger=30ms",
                reason: "the last 2 messages were not taken"
            )
        ) { try sink.finish() }
        #expect(metrics(sink)[.unsent] == 2 && metrics(sink).isBalanced)
    }

    @Test func anInterruptionEndsAWriterThatWaits() throws {
        let interruption = try Interruption()
        let sink = try UnixTransport(interruption: interruption).openSink(folder("s") + "?buffer=10&linger=30ms")
        let done = DispatchSemaphore(value: 0)
        let lent = Lent(sink)
        Thread {
            try? lent.value.write("0123456789\n")
            #expect(throws: TransportError.self) { try lent.value.write("0123456789\n0123456789\n") }
            done.signal()
        }.start()
        #expect(done.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
        interruption.trigger()
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(metrics(sink).isBalanced)
        #expect(throws: TransportError.self) { try sink.finish() }
    }

    @Test func whatCanNeverWorkFailsAtOnce() throws {
        try folder.write("s", "no socket")
        let tooLong = folder(String(repeating: "x", count: 200))
        #expect(throws: TransportError.self) { try transport.openSink(tooLong) }
        // No socket listens at a plain file, but one may later.
        let patient = try sink("?linger=0")
        try patient.finish()
        let listener = try UnixListener(
            UnixSettings(place: .file(folder("d"))),
            kind: .datagram,
            inherited: .none,
            address: "t"
        )
        #expect(
            throws: TransportError.cannotOpen(
                address: "unix:" + folder("d"),
                reason: "protocol wrong type for socket"
            )
        ) { try transport.openSink(folder("d")) }
        listener.close()
    }

    // MARK: Listening

    @Test func everyReaderGetsAll() throws {
        let sink = try sink("?listen=true&linger=60s")
        let readers = try (0..<3).map { _ in
            Collector(try transport.openSource(folder("s") + "?connect=true&accept=1"))
        }
        try eventually("all are there") { metrics(sink).openConnections == 3 }
        let lines = (0..<3000).map { "\($0)" }
        try sink.write(lines.joined(separator: "\n") + "\n")
        try sink.finish()
        for reader in readers {
            #expect(try reader.waitForEnd() == nil)
            #expect(reader.lines == lines)
        }
        #expect(metrics(sink).delivered == 3000 && metrics(sink).isBalanced)
        #expect(!folder.has("s"))
    }

    @Test func aReaderWhoDoesNotKeepUpIsPartedWith() throws {
        let sink = try sink("?listen=true&reader-buffer=100kb&linger=60s")
        let stopped = try Peer(unix: folder("s"))
        let reader = Collector(try transport.openSource(folder("s") + "?connect=true&accept=1"))
        try eventually("both are there") { metrics(sink).openConnections == 2 }
        let line = String(repeating: "x", count: 999) + "\n"
        for step in 1...100 {
            for _ in 0..<30 { try sink.write(line) }
            try eventually("the other one kept up") { reader.count == step * 30 }
        }
        #expect(metrics(sink).slowReaders == 1 && metrics(sink).openConnections == 1)
        try sink.finish()
        #expect(try reader.waitForEnd() == nil)
        stopped.close()
    }

    @Test func whatAReaderHasNotTakenAtTheEndIsNotDelivered() throws {
        let sink = try sink("?listen=true&reader-buffer=10mb&linger=30ms")
        let stopped = try Peer(unix: folder("s"))
        try eventually("it is there") { metrics(sink).openConnections == 1 }
        let line = String(repeating: "x", count: 999) + "\n"
        for _ in 0..<3_000 { try sink.write(line) }
        #expect(throws: TransportError.self) { try sink.finish() }
        let after = metrics(sink)
        #expect(after[.unsent] > 1_000 && after.delivered + after[.unsent] == 3_000 && after.isBalanced, "\(after)")
        stopped.close()
    }

    @Test func orTheEngineWaitsForHim() throws {
        let sink = try sink("?listen=true&reader-buffer=10kb&slow=wait&buffer=100kb&linger=60s")
        let source = try transport.openSource(folder("s") + "?connect=true&accept=1")
        let reader = Collector(source, isPaused: true)
        let probe = try Peer(unix: folder("s"))
        try eventually("one is there") { metrics(sink).openConnections >= 1 }
        let done = DispatchSemaphore(value: 0)
        let line = String(repeating: "x", count: 999) + "\n"
        let lent = Lent(sink)
        Thread {
            for _ in 0..<3000 { try? lent.value.write(line) }
            done.signal()
        }.start()
        #expect(done.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
        reader.resume()
        probe.close()
        #expect(done.wait(timeout: .now() + 60) == .success)
        try sink.finish()
        #expect(metrics(sink).slowReaders == 0 && metrics(sink).isBalanced && metrics(sink).delivered == 3000)
        _ = try reader.waitForEnd()
    }

    // MARK: Datagrams

    @Test func linesAreTogetherInADatagramUpToItsLength() throws {
        let transport = UDPTransport()
        let source = try transport.open("//:0")
        let collector = Collector(source)
        let sink = try transport.openSink("//127.0.0.1:\(source.port)?datagram=64")
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
        var port: UInt16 = 0
        do { port = try transport.open("//:0").port }
        let sink = try transport.openSink("//127.0.0.1:\(port)?lines=1&retry=20ms&linger=60s")
        for number in 0..<50 { try sink.write("\(number)\n") }
        try eventually("the refusal was noticed") { metrics(sink)[.refused] >= 1 }
        #expect(metrics(sink).isBalanced)
        let collector = Collector(try transport.open("//:\(port)"))
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
        var port: UInt16 = 0
        do { port = try transport.open("//:0").port }
        let sink = try transport.openSink("//127.0.0.1:\(port)?lines=1&retry=1ms&linger=60s")
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
        var port: UInt16 = 0
        do { port = try transport.open("//:0").port }
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
        let collector = Collector(try transport.open("//:\(port)"))
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
        let sink = try sink("?framing=length&buffer=1000")
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
        let sink = try transport.openSink(folder("p") + "?lines=2&linger=60s")
        try sink.write("1\n2\n3\n4\n5\n")
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "1\n2\n3\n4\n5\n")
        #expect(collector.metrics.delivered == 3 && metrics(sink).delivered == 3)
    }
}
