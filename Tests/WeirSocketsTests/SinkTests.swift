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

    private func sink(
        _ link: any OutgoingLink,
        _ settings: OutboxSettings,
        _ meter: TransportMeter = TransportMeter(),
        interruption: Interruption? = nil
    ) throws -> OutboxSink {
        try OutboxSink(
            link,
            settings: settings,
            spill: nil,
            poller: try Poller(address: "test"),
            meter: meter,
            address: "test",
            interruption: interruption
        )
    }

    private func metrics(_ sink: any TransportSink) -> TransportMetrics { sink.meter?.metrics ?? TransportMetrics() }

    @Test func writesWhatItGetsInWhateverPieces() throws {
        var random = SeededGenerator(3)
        let collector = try collect("?accept=1&unfinished=deliver")
        let sink = try sink("?linger=300s")
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
        let sink = try sink("?retry=20ms&linger=300s")
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
            let listener = try SocketListener(
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

    /// A link whose other side takes the last of it between two looks.
    private final class LateLink: OutgoingLink {
        private var lookCount = 0

        let isUp = true
        let isProvenByOpening = true

        var isFlushed: Bool {
            lookCount += 1
            return lookCount > 1
        }

        func open() -> SystemError? { nil }
        func close() {}
        func handle(token: UInt64, ready: PollEvents) -> Sending? { nil }

        func send(_ batch: inout OutgoingBatch) -> Sending {
            let messages = batch.advance(bytes: batch.restCount)
            return Sending(.done, delivered: messages)
        }
    }

    @Test func theEndDoesNotWaitForWhatWasTakenMeanwhile() throws {
        var settings = OutboxSettings()
        settings.linger = .seconds(600)
        let sink = try sink(LateLink(), settings)
        try sink.write("one\n")
        let start = Moment.now
        try sink.finish()
        #expect(Moment.now.nanoseconds - start.nanoseconds < 300_000_000_000)
        #expect(metrics(sink).delivered == 1 && metrics(sink).isBalanced)
    }

    @Test func aFullBufferHasTheWriterWait() throws {
        let sink = try sink("?buffer=1000&retry=20ms&linger=60s")
        let done = DispatchSemaphore(value: 0)
        let lent = Lent(sink)
        Thread {
            for number in 0..<1000 { try? lent.value.write("\(number)\n") }
            done.signal()
        }.start()
        // Nothing is taken out, and of 3,890 bytes only 1,000 fit.
        try eventually("the buffer is full") { metrics(sink).arrivedBytes > 990 }
        #expect(done.wait(timeout: .now() + .milliseconds(30)) == .timedOut)
        // A line that waits is counted for a moment each time that it is tried.
        #expect(metrics(sink).arrivedBytes < 1010)
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

    /// A link to nobody, until it has been tried often enough.
    private final class AbsentLink: OutgoingLink {
        private let meter: TransportMeter
        private(set) var isUp = false
        let isProvenByOpening = true
        let isFlushed = true

        init(_ meter: TransportMeter) { self.meter = meter }

        /// It comes when the sink has said that it waits.
        func open() -> SystemError? {
            notices += meter.takeNotices()
            isUp = notices.contains { $0.contains("the end waits") }
            return isUp ? nil : SystemError(-ECONNREFUSED)
        }

        private(set) var notices: [String] = []

        func close() {}
        func handle(token: UInt64, ready: PollEvents) -> Sending? { nil }

        func send(_ batch: inout OutgoingBatch) -> Sending {
            Sending(.done, delivered: batch.advance(bytes: batch.restCount))
        }
    }

    /// It would look as if it hung.
    @Test func anEndThatWaitsLongSaysSo() throws {
        var settings = OutboxSettings()
        settings.linger = .seconds(600)
        settings.silence = .milliseconds(1)
        settings.retry = .milliseconds(20)
        let meter = TransportMeter()
        let link = AbsentLink(meter)
        let sink = try sink(link, settings, meter)
        try sink.write("one\n")
        try sink.finish()
        #expect(metrics(sink).delivered == 1 && metrics(sink).isBalanced)
        let words = "'test': the end waits up to 600.0 seconds until the rest is taken, as 'linger' says"
        #expect((link.notices + meter.takeNotices()).filter { $0 == words }.count == 1)
    }

    /// What would wait for minutes does not where the program is made to end, before the end or during it.
    @Test(arguments: [0, 3]) func anInterruptionShortensTheEnd(openCount: Int) throws {
        final class NobodyLink: OutgoingLink {
            private var rest: Int
            private let interruption: Interruption
            let isUp = false
            let isProvenByOpening = true
            let isFlushed = true

            init(_ rest: Int, _ interruption: Interruption) { (self.rest, self.interruption) = (rest, interruption) }

            func open() -> SystemError? {
                rest -= 1
                if rest < 0 { interruption.trigger() }
                return SystemError(-ECONNREFUSED)
            }

            func close() {}
            func handle(token: UInt64, ready: PollEvents) -> Sending? { nil }
            func send(_ batch: inout OutgoingBatch) -> Sending { Sending(.done, delivered: 0) }
        }
        var settings = OutboxSettings()
        settings.linger = .seconds(600)
        settings.lingerAtInterruption = .milliseconds(30)
        settings.retry = .milliseconds(20)
        let interruption = try Interruption()
        let sink = try sink(NobodyLink(openCount, interruption), settings, interruption: interruption)
        try sink.write("one\n")
        let start = Moment.now
        #expect(throws: TransportError.writeFailed(address: "test", reason: "the last 1 messages were not taken")) {
            try sink.finish()
        }
        #expect(Moment.now.nanoseconds - start.nanoseconds < 300_000_000_000)
        #expect(metrics(sink)[.unsent] == 1 && metrics(sink).isBalanced)
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
        try eventually("the first one arrived") { metrics(sink).arrived == 1 }
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
        let listener = try SocketListener(
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
        // One reader took everything, so nothing is lost.
        #expect(metrics(sink)[.untaken] == 0 && metrics(sink).delivered == 3000)
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

    @Test func whatTheOnlyReaderDidNotTakeIsNotDelivered() throws {
        let sink = try sink("?listen=true&reader-buffer=10mb&linger=60s")
        let stopped = try Peer(unix: folder("s"))
        try eventually("it is there") { metrics(sink).openConnections == 1 }
        let line = String(repeating: "x", count: 999) + "\n"
        for _ in 0..<3000 { try sink.write(line) }
        try eventually("all is kept for it") { metrics(sink).pending == 0 }
        stopped.close()
        try eventually("it is gone") { metrics(sink).openConnections == 0 }
        try eventually("it is counted") { metrics(sink)[.untaken] > 0 }
        let next = Collector(try transport.openSource(folder("s") + "?connect=true&accept=1"))
        try eventually("the next one is there") { metrics(sink).openConnections == 1 }
        try sink.write("the next one\n")
        try sink.finish()
        #expect(try next.waitForEnd() == nil)
        let after = metrics(sink)
        #expect(next.lines.last == "the next one")
        #expect(after.delivered + after[.untaken] == 3001 && after[.untaken] >= 100 && after.isBalanced, "\(after)")
        // What the kernel took, and what came after.
        #expect(after.delivered >= UInt64(next.count) && after.delivered < 3001 - 50)
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
        // The kernel and the reader's buffer are full, and then the one of the sink.
        try eventually("the buffer is full") { metrics(sink).pending > 90 }
        #expect(done.wait(timeout: .now() + .milliseconds(30)) == .timedOut)
        #expect(metrics(sink).arrived < 3000 && metrics(sink).delivered < 2000)
        reader.resume()
        probe.close()
        #expect(done.wait(timeout: .now() + 60) == .success)
        try sink.finish()
        let after = metrics(sink)
        #expect(after.slowReaders == 0 && after.isBalanced, "\(after)")
        // The probe left without what it alone had got, perhaps.
        #expect(after.delivered + after[.untaken] == 3000, "\(after)")
        _ = try reader.waitForEnd()
    }
}
