import WeirRecords

#if os(Linux)
    import CWeirFaults
    import Foundation
    import TestThreads
    import Testing
    import WeirCore
    import WeirFiles

    @testable import WeirSockets

    /// System calls that fail as they do on a bad day, at random places that a seed decides: nothing is lost or doubled,
    /// and everything is counted.
    ///
    /// Each test runs in a process of its own, because the faults are the whole process's.
    @Suite(.serialized) struct FaultTests {
        private static let patience = UInt32(
            CWEIR_FAULT_INTERRUPTED | CWEIR_FAULT_BLOCKED | CWEIR_FAULT_PARTIAL
        )

        // The address sanitizer makes each process slow, and looks at what a seed does, not at how many there are.
        private static let seeds: ClosedRange<UInt64> =
            ProcessInfo.processInfo.environment["WEIR_SHORT_TESTS"] == nil ? 1...5 : 1...2

        /// Runs a test with faults, for some seeds.
        private static func run(
            _ kinds: Int,
            seeds: ClosedRange<UInt64> = seeds,
            _ body: (UInt64, inout SeededGenerator) throws -> Void
        ) throws {
            for seed in seeds {
                var random = SeededGenerator(seed)
                #expect(cweir_faults_begin(seed, patience | UInt32(kinds), UInt32(2 + seed)))
                do {
                    try body(seed, &random)
                } catch {
                    _ = cweir_faults_end()
                    Issue.record("seed \(seed): \(error)")
                    throw error
                }
                #expect(cweir_faults_end() > 0, "seed \(seed): there were no faults")
            }
        }

        private static func lines(_ count: Int, _ random: inout SeededGenerator) -> [String] {
            (0..<count).map { "\($0):" + String(repeating: "x", count: .random(in: 0...300, using: &random)) }
        }

        /// Writes lines in pieces that have nothing to do with where they end.
        private static func write(_ lines: [String], to sink: any TransportSink, _ random: inout SeededGenerator) throws
        {
            var rest = Array((lines.joined(separator: "\n") + "\n").utf8)[...]
            while !rest.isEmpty {
                let piece = rest.prefix(.random(in: 1...5000, using: &random))
                try sink.write(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
        }

        /// The same lines, whatever their order: a new connection may overtake the one before it.
        private static func expect(_ found: [String], _ wanted: [String], _ comment: String) {
            #expect(found.count == wanted.count && found.sorted() == wanted.sorted(), "\(comment)")
        }

        @Test func aStreamLosesAndDoublesNothingThoughItsConnectionsBreak() async {
            await #expect(processExitsWith: .success) {
                try Self.run(Int(CWEIR_FAULT_BROKEN_SENDING)) { seed, random in
                    let folder = try Folder()
                    let interruption = try Interruption()
                    let source = try UnixTransport(interruption: interruption).openSource(folder("s"))
                    let collector = Collector(source)
                    let sink = try UnixTransport().openSink(folder("s") + "?retry=20ms&linger=60s&buffer=20000")
                    let lines = Self.lines(1500, &random)
                    try Self.write(lines, to: sink, &random)
                    try sink.finish()
                    let sent = try #require(sink.meter?.metrics)
                    #expect(sent.delivered == 1500 && sent.sent == 1500 && sent.isBalanced, "seed \(seed): \(sent)")
                    try collector.waitForLines(1500)
                    try eventually("the connections ended") { collector.metrics.openConnections == 0 }
                    interruption.trigger()
                    _ = try collector.waitForEnd()
                    let metrics = collector.metrics
                    #expect(metrics.delivered == 1500 && metrics.isBalanced, "seed \(seed): \(metrics)")
                    // A line in the middle of which a connection broke was sent again, whole.
                    #expect(metrics.rejected == metrics[.unfinished] && metrics[.unfinished] < metrics.connections)
                    Self.expect(collector.lines, lines, "seed \(seed)")
                }
            }
        }

        @Test func framesOfAStreamStayWholeToo() async {
            await #expect(processExitsWith: .success) {
                try Self.run(Int(CWEIR_FAULT_BROKEN_SENDING)) { seed, random in
                    let folder = try Folder()
                    let source = try UnixTransport().openSource(folder("s") + "?framing=length")
                    let collector = Collector(source)
                    let sink = try UnixTransport().openSink(folder("s") + "?framing=length&retry=20ms&linger=60s")
                    var frames: [[UInt8]] = []
                    for number in 0..<1000 as Range<UInt32> {
                        let count = UInt32.random(in: 4...600, using: &random)
                        // Newlines mean nothing in a frame.
                        let bytes =
                            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                            + [UInt8](repeating: 10, count: Int(count) - 4)
                        frames.append((0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + bytes)
                    }
                    var rest = Array(frames.joined())[...]
                    while !rest.isEmpty {
                        let piece = rest.prefix(.random(in: 1...3000, using: &random))
                        try sink.write(Array(piece))
                        rest = rest.dropFirst(piece.count)
                    }
                    try sink.finish()
                    try eventually("all arrived") { collector.metrics.delivered == 1000 }
                    try eventually("all was read") { collector.bytes.count == frames.joined().count }
                    var found: [[UInt8]] = []
                    var bytes = collector.bytes[...]
                    while bytes.count >= 4 {
                        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                        found.append(Array(bytes.prefix(4 + length)))
                        bytes = bytes.dropFirst(4 + length)
                    }
                    #expect(Set(found) == Set(frames) && found.count == 1000, "seed \(seed)")
                    #expect(collector.metrics.isBalanced && sink.meter?.metrics.isBalanced == true)
                }
            }
        }

        @Test func whatAReaderLosesWithItsConnectionsIsCounted() async {
            await #expect(processExitsWith: .success) {
                let kinds = Int(CWEIR_FAULT_BROKEN_SENDING | CWEIR_FAULT_BROKEN_RECEIVING)
                try Self.run(kinds) { seed, random in
                    let folder = try Folder()
                    let interruption = try Interruption()
                    let source = try UnixTransport(interruption: interruption).openSource(folder("s"))
                    let collector = Collector(source)
                    let sink = try UnixTransport().openSink(folder("s") + "?retry=20ms&linger=60s&buffer=20000")
                    let lines = Self.lines(2000, &random)
                    try Self.write(lines, to: sink, &random)
                    try sink.finish()
                    let sent = try #require(sink.meter?.metrics)
                    #expect(sent.delivered == 2000 && sent.isBalanced, "seed \(seed): \(sent)")
                    try eventually("the connections ended") { collector.metrics.openConnections == 0 }
                    interruption.trigger()
                    _ = try collector.waitForEnd()
                    let metrics = collector.metrics
                    #expect(
                        metrics.isBalanced && metrics.delivered == UInt64(collector.count),
                        "seed \(seed): \(metrics)"
                    )
                    // Whole lines only, and none twice.
                    let found = collector.lines
                    #expect(Set(found).isSubset(of: Set(lines)) && Set(found).count == found.count, "seed \(seed)")
                }
            }
        }

        @Test func datagramsOfUDPComeOnceAndInOrder() async {
            await #expect(processExitsWith: .success) {
                try Self.run(0) { seed, random in
                    let source = try UDPTransport().open("//:0?sequence=true&receive-buffer=8MiB")
                    let collector = Collector(source)
                    let sink = try UDPTransport().openSink(
                        "//127.0.0.1:\(source.port)?sequence=true&lines=1&linger=60s"
                    )
                    let lines = Self.lines(1500, &random)
                    try Self.write(lines, to: sink, &random)
                    try sink.finish()
                    let sent = try #require(sink.meter?.metrics)
                    #expect(sent.delivered == 1500 && sent.isBalanced, "seed \(seed): \(sent)")
                    try eventually("all is accounted for") {
                        let metrics = collector.metrics
                        return metrics.sent == 1500 && metrics.pending == 0
                    }
                    let metrics = collector.metrics
                    try collector.waitForLines(Int(metrics.delivered))
                    #expect(metrics.isBalanced && metrics.dropped == metrics[.kernel], "seed \(seed): \(metrics)")
                    #expect(metrics.lost <= metrics[.kernel], "seed \(seed): \(metrics)")
                    if metrics[.kernel] == 0 { #expect(collector.lines == lines, "seed \(seed)") }
                }
            }
        }

        /// A request whose answer is lost is sent again, so that lines may come twice, but none gets lost.
        @Test func requestsLoseNothingThoughTheirConnectionsBreak() async {
            await #expect(processExitsWith: .success) {
                let kinds = Int(CWEIR_FAULT_BROKEN_SENDING | CWEIR_FAULT_BROKEN_RECEIVING)
                try Self.run(kinds) { seed, random in
                    let interruption = try Interruption()
                    let source = try HTTPTransport(interruption: interruption).openSource("//:0/?connections=4")
                    let place = try port(source.meter)
                    let collector = Collector(source)
                    let sink = try HTTPTransport().openSink("//127.0.0.1:\(place)/?lines=20&retry=20ms&linger=60s")
                    let lines = Self.lines(1500, &random)
                    try Self.write(lines, to: sink, &random)
                    try sink.finish()
                    let sent = try #require(sink.meter?.metrics)
                    #expect(sent.delivered == 1500 && sent.sent == 1500 && sent.isBalanced, "seed \(seed): \(sent)")
                    try collector.waitForLines(1500)
                    interruption.trigger()
                    _ = try collector.waitForEnd()
                    let metrics = collector.metrics
                    #expect(metrics.isBalanced && metrics.delivered >= 1500, "seed \(seed): \(metrics)")
                    #expect(Set(collector.lines) == Set(lines), "seed \(seed)")
                }
            }
        }

        @Test func connectionsOfTCPLoseNothingThatIsNotCounted() async {
            await #expect(processExitsWith: .success) {
                try Self.run(Int(CWEIR_FAULT_BROKEN_SENDING)) { seed, random in
                    let interruption = try Interruption()
                    let source = try TCPTransport(interruption: interruption).openSource("//:0")
                    let place = try port(source.meter)
                    let collector = Collector(source)
                    let sink = try TCPTransport().openSink("//127.0.0.1:\(place)?retry=20ms&linger=60s&buffer=20000")
                    let lines = Self.lines(1500, &random)
                    try Self.write(lines, to: sink, &random)
                    // What was not acknowledged when a connection broke is reported, though it may have arrived.
                    try? sink.finish()
                    let sent = try #require(sink.meter?.metrics)
                    #expect(sent.delivered + sent[.refused] == 1500 && sent.isBalanced, "seed \(seed): \(sent)")
                    try eventually("it arrived") { collector.metrics.delivered >= sent.delivered }
                    interruption.trigger()
                    _ = try collector.waitForEnd()
                    let metrics = collector.metrics
                    #expect(metrics.isBalanced, "seed \(seed): \(metrics)")
                    let found = collector.lines
                    #expect(Set(found).isSubset(of: Set(lines)) && Set(found).count == found.count, "seed \(seed)")
                }
            }
        }

        @Test(arguments: ["dgram", "seqpacket"])
        func messagesOfUnixSocketsComeOnceAndInOrder(kind: String) async {
            await #expect(processExitsWith: .success) { [kind] in
                try Self.run(0) { seed, random in
                    let folder = try Folder()
                    let interruption = try Interruption()
                    let transport: any Transport =
                        kind == "dgram"
                        ? UnixDatagramTransport(interruption: interruption)
                        : UnixPacketTransport(interruption: interruption)
                    let collector = Collector(try transport.openSource(folder("s")))
                    let sink = try transport.openSink(folder("s") + "?datagram=500&retry=20ms&linger=60s&buffer=20000")
                    let lines = Self.lines(1500, &random)
                    try Self.write(lines, to: sink, &random)
                    try sink.finish()
                    let sent = try #require(sink.meter?.metrics)
                    #expect(sent.pending == 0 && sent.isBalanced && sent.dropped == 0, "seed \(seed): \(sent)")
                    try collector.waitForLines(1500)
                    interruption.trigger()
                    _ = try collector.waitForEnd()
                    #expect(collector.lines == lines, "seed \(seed)")
                    let metrics = collector.metrics
                    #expect(metrics.delivered == sent.delivered && metrics.isBalanced, "seed \(seed): \(metrics)")
                }
            }
        }

        @Test func aSpillOnADiskThatIsFullNowAndThenKeepsTheOrder() async {
            await #expect(processExitsWith: .success) {
                try Self.run(Int(CWEIR_FAULT_DISK_FULL)) { seed, random in
                    let folder = try Folder()
                    let lines = Self.lines(2000, &random)
                    let interruption = try Interruption()
                    let sink = try UnixTransport().openSink(
                        folder("s") + "?retry=20ms&linger=60s&buffer=5000&spill=\(folder("spill"))"
                    )
                    let lent = Lent(sink)
                    let written = Locked(false)
                    let copy = random
                    Thread {
                        var random = copy
                        #expect(throws: Never.self) { try Self.write(lines, to: lent.value, &random) }
                        written.withLock { $0 = true }
                    }.start()
                    // The disk takes some, and then nothing more for a while: the writer waits, as it is told to.
                    try eventually("it spilled") { (sink.meter?.metrics.pending ?? 0) > 100 }
                    let source = try UnixTransport(interruption: interruption).openSource(folder("s"))
                    let collector = Collector(source)
                    try eventually("all was written") { written.withLock { $0 } }
                    try sink.finish()
                    try collector.waitForLines(2000)
                    interruption.trigger()
                    _ = try collector.waitForEnd()
                    #expect(collector.lines == lines, "seed \(seed)")
                    let sent = try #require(sink.meter?.metrics)
                    #expect(sent.delivered == 2000 && sent.isBalanced && sent.dropped == 0, "seed \(seed): \(sent)")
                }
            }
        }
    }
#endif
