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

@Suite(.serialized) struct ConnectionSourceTests {
    private let folder: Folder
    private let interruption: Interruption
    private let transport: UnixTransport

    init() throws {
        folder = try Folder()
        interruption = try Interruption()
        transport = UnixTransport(interruption: interruption)
    }

    private func collect(_ options: String = "", keeps: Bool = true, isPaused: Bool = false) throws -> Collector {
        Collector(try transport.openSource(folder("s") + options), keeps: keeps, isPaused: isPaused)
    }

    private func connect() throws -> Peer { try Peer(unix: folder("s")) }

    @Test func keepsTheLinesOfManyWholeWhateverPiecesTheyComeIn() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            let place = folder("s\(seed)")
            let interruption = try Interruption()
            let transport = UnixTransport(interruption: interruption)
            let collector = Collector(try transport.openSource(place + "?max-line=64"))
            let peers = try (0..<20).map { _ in try Peer(unix: place) }
            let wanted = peers.indices.map { peer in
                (0..<30).map { "\(peer):\($0):" + String(repeating: "x", count: .random(in: 0...40, using: &random)) }
            }
            var texts = wanted.map { Array(($0.joined(separator: "\n") + "\n").utf8) }
            while let peer = texts.indices.filter({ !texts[$0].isEmpty }).randomElement(using: &random) {
                let count = Int.random(in: 1...min(50, texts[peer].count), using: &random)
                #expect(peers[peer].send(Array(texts[peer].prefix(count))))
                texts[peer].removeFirst(count)
            }
            try collector.waitForLines(600)
            for (peer, lines) in wanted.enumerated() {
                #expect(collector.lines.filter { $0.hasPrefix("\(peer):") } == lines, "seed \(seed)")
            }
            for peer in peers { peer.close() }
            try eventually("all were closed") { collector.metrics.openConnections == 0 }
            #expect(collector.metrics.delivered == 600)
            #expect(collector.metrics.connections == 20)
            #expect(collector.metrics.isBalanced)
            interruption.trigger()
            #expect(try collector.waitForEnd() == .interrupted(address: "unix:\(place)?max-line=64"))
        }
    }

    @Test func rejectsAndCountsLinesThatAreTooLongOrUnfinished() throws {
        let collector = try collect("?max-line=16")
        let peer = try connect()
        let long = String(repeating: "y", count: 200_000)
        peer.send("one\n\(long)\n1234567890123456\n12345678901234567\ntwo\n")
        // In pieces, so that the limit is met before the newline is there.
        for _ in 0..<10 { peer.send("zzzzzzzzzz") }
        peer.send("\nthree\nfou")
        peer.close()
        try collector.waitForLines(4)
        try eventually("the end was seen") { collector.metrics.openConnections == 0 }
        #expect(collector.lines == ["one", "1234567890123456", "two", "three"])
        let metrics = collector.metrics
        #expect(metrics[.tooLong] == 3)
        #expect(metrics[.unfinished] == 1)
        #expect(metrics.sent == 8)
        #expect(metrics.isBalanced)
    }

    @Test func deliversAnUnfinishedLineWhereThatIsAskedFor() throws {
        let collector = try collect("?unfinished=deliver&accept=1")
        let peer = try connect()
        peer.send("one\ntwo")
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "one\ntwo\n")
        #expect(collector.metrics.delivered == 2)
    }

    @Test func takesFramesWithALength() throws {
        let collector = try collect("?framing=length&max-line=16&accept=2")
        func frame(_ text: String) -> [UInt8] {
            let count = UInt32(text.utf8.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array(text.utf8)
        }
        let peer = try connect()
        for byte in frame("a\nb") + frame("") { peer.send([byte]) }
        peer.send(frame(String(repeating: "x", count: 100_000)) + frame("end"))
        peer.close()
        let other = try connect()
        other.send(Array(frame("cut").dropLast()))
        other.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(Array(collector.text.utf8) == frame("a\nb") + frame("") + frame("end"))
        let metrics = collector.metrics
        #expect(metrics.delivered == 3 && metrics[.tooLong] == 1 && metrics[.unfinished] == 1 && metrics.isBalanced)
    }

    @Test func aSenderWaitsWhileTheReaderDoesAndNothingIsLost() throws {
        let collector = try collect(isPaused: true)
        let sender = try connect()
        let line = String(repeating: "l", count: 99) + "\n"
        let total = 50_000
        let done = DispatchSemaphore(value: 0)
        let descriptor = sender.descriptor
        Thread {
            for _ in 0..<total { sendAll(descriptor, line) }
            done.signal()
        }.start()
        // Five megabytes do not fit the kernel's buffers, so the sender comes to a halt: its socket takes nothing more.
        try eventually("the sender is held back") {
            var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return unsafe poll(&state, 1, 0) == 0
        }
        #expect(done.wait(timeout: .now()) == .timedOut)
        #expect(collector.metrics.delivered == 0)
        collector.resume()
        #expect(done.wait(timeout: .now() + 60) == .success)
        try collector.waitForLines(total)
        #expect(collector.metrics.delivered == UInt64(total))
    }

    @Test func othersWaitForTheirTurnWhereConnectionsAreLimited() throws {
        let collector = try collect("?connections=2")
        let first = try connect()
        let second = try connect()
        first.send("1\n")
        second.send("2\n")
        try collector.waitForLines(2)
        let third = try connect()
        third.send("3\n")
        first.send("1 again\n")
        try collector.waitForLines(3)
        #expect(collector.metrics.connections == 2)
        first.close()
        try collector.waitForLines(4)
        #expect(collector.lines.last == "3")
        #expect(collector.metrics.connections == 3)
    }

    @Test func aRateHoldsOneBackAndNotTheOthers() throws {
        let collector = try collect("?rate=20kb")
        let greedy = try connect()
        let modest = try connect()
        let start = Date()
        greedy.send(String(repeating: "greedy....\n", count: 4000))
        modest.send("modest\n")
        try eventually("the modest one was heard") { collector.text.contains("modest") }
        try collector.waitForLines(4001)
        // 44 kB, of which a second's worth goes at once: at least another second for the rest.
        #expect(Date().timeIntervalSince(start) > 1)
        #expect(collector.metrics.delivered == 4001)
    }

    @Test func closesConnectionsOnWhichNothingComes() throws {
        let collector = try collect("?idle=50ms")
        var count: UInt64 = 0
        // The time begins when a connection is accepted: on a busy machine what is sent may come too late.
        try eventually("something is sent in time") {
            let peer = try connect()
            peer.send("a\nb")
            count += 1
            try eventually("it was closed") {
                collector.metrics.connections == count && collector.metrics.openConnections == 0
            }
            #expect(peer.receive() == "")
            return collector.metrics[.unfinished] > 0
        }
        #expect(collector.metrics[.unfinished] <= count && collector.metrics.isBalanced)
    }

    @Test func passesASharedHeaderOnOnce() throws {
        let collector = try collect("?header=shared&accept=3")
        for text in ["t,x\n1,2\n", "t,x\n3,4\n", "x,t\n5,6\n"] {
            let peer = try connect()
            peer.send(text)
            peer.close()
            try eventually("it was read") { collector.metrics.sent >= 2 && collector.metrics.openConnections == 0 }
        }
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "t,x\n1,2\n3,4\n")
        let metrics = collector.metrics
        #expect(
            metrics.delivered == 3 && metrics[.header] == 1 && metrics[.otherHeader] == 2
                && metrics.refusedConnections == 1 && metrics.isBalanced
        )
    }

    @Test func blankLinesInFrontOfASharedHeaderMeanNothing() throws {
        let collector = try collect("?header=shared&accept=3")
        let texts = ["\n\r\nt,x\n1,2\n", "\r\nt,x\r\n\n3,4\n", "t,x\n5,6\n"]
        for (number, text) in texts.enumerated() {
            let peer = try connect()
            peer.send(text)
            peer.close()
            try eventually("it was read") {
                collector.metrics.connections == UInt64(number + 1) && collector.metrics.openConnections == 0
            }
        }
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text.split(whereSeparator: \.isNewline) == ["t,x", "1,2", "3,4", "5,6"])
        #expect(collector.metrics[.header] == 2 && collector.metrics[.otherHeader] == 0 && collector.metrics.isBalanced)
    }

    @Test func drainsWhatWasSentBeforeAnInterruptionAndRemovesTheFile() throws {
        let source = try transport.openSource(folder("s") + "?drain=300s")
        // Nobody reads yet: one is connected, one waits to be accepted.
        let peers = try (0..<3).map { _ in try connect() }
        for (number, peer) in peers.enumerated() { peer.send("\(number)\n\(number) more\nhalf") }
        interruption.trigger()
        let collector = Collector(source)
        #expect(try collector.waitForEnd() == .interrupted(address: "unix:" + folder("s") + "?drain=300s"))
        #expect(collector.lines.sorted() == ["0", "0 more", "1", "1 more", "2", "2 more"])
        #expect(collector.metrics[.unfinished] == 3)
        #expect(collector.metrics.isBalanced)
        #expect(!folder.has("s"))
        #expect(throws: SystemError.missing) { try connect() }
    }

    @Test func aHalfClosedPeerIsReadToItsEnd() throws {
        let collector = try collect("?accept=1")
        let peer = try connect()
        peer.send("all\nof it\n")
        shutdown(peer.descriptor, Int32(SHUT_WR))
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["all", "of it"])
    }

    @Test func manyConnectionsComeAndGoWithoutALeak() throws {
        let collector = try collect(keeps: false)
        // One connection first, so that what is made once is there.
        try connect().send("warm\n")
        try collector.waitForLines(1)
        let before = try openDescriptors()
        let threads = 4
        // A hundred thousand take a while, so the long tests alone do.
        let each = ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == nil ? 5_000 : 25_000
        let group = DispatchGroup()
        let path = folder("s")
        for _ in 0..<threads {
            group.enter()
            Thread {
                for number in 0..<each {
                    while true {
                        // The backlog may be full for a moment.
                        guard let peer = try? Peer(unix: path) else { continue }
                        peer.send("\(number)\n")
                        break
                    }
                }
                group.leave()
            }.start()
        }
        #expect(group.wait(timeout: .now() + 600) == .success)
        try collector.waitForLines(threads * each + 1)
        try eventually("all were closed") { collector.metrics.openConnections == 0 }
        #expect(collector.metrics.connections == UInt64(threads * each + 1))
        #expect(collector.metrics.delivered == UInt64(threads * each + 1))
        // Other tests' files come and go at the same time, but not by the thousand.
        try eventually("the descriptors are closed") { try openDescriptors() < before + 200 }
    }

    @Test func thousandsAreConnectedAtOnce() throws {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // Both ends are in this process, and so are other tests.
        let count = min(4000, Int(limit.rlim_cur) / 8)
        let collector = try collect("?connections=10000")
        var peers: [Peer] = []
        while peers.count < count {
            guard let peer = try? connect() else { continue }
            peer.send("half \(peers.count)")
            peers.append(peer)
        }
        try eventually("all are there") { collector.metrics.openConnections == UInt64(count) }
        for peer in peers { peer.send(" whole\n") }
        try collector.waitForLines(count)
        #expect(Set(collector.lines) == Set((0..<count).map { "half \($0) whole" }))
        // Half of them end in order, the others in the middle of a line.
        for (number, peer) in peers.enumerated() {
            if number % 2 == 0 { peer.send("half") }
            peer.close()
        }
        try eventually("all are gone") { collector.metrics.openConnections == 0 }
        #expect(collector.metrics[.unfinished] == UInt64((count + 1) / 2) && collector.metrics.isBalanced)
    }

    @Test func connectsAgainWhenTheListenerComesBack() throws {
        let address = "unix:" + folder("far")
        let collector = Collector(try transport.openSource(folder("far") + "?connect=true&retry=20ms&accept=2"))
        for text in ["first\n", "second\n"] {
            let listener = try SocketListener(
                UnixSettings(place: .file(folder("far"))),
                kind: .stream,
                inherited: .none,
                address: address
            )
            var accepted: Int32 = -1
            try eventually("it came") {
                accepted = accept(listener.descriptor, nil, nil)
                return accepted >= 0
            }
            sendAll(accepted, text)
            close(accepted)
            listener.close()
        }
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "first\nsecond\n")
    }

    @Test func aPacketCanBeAFrame() throws {
        let packets = UnixPacketTransport(interruption: interruption)
        let collector = Collector(try packets.openSource(folder("p") + "?max-line=16&accept=1&framing=datagram"))
        let peer = try Peer(unix: folder("p"), .packets)
        let texts = ["one", "two\nhalf", "0123456789abcdef"]
        for text in texts { peer.send(text) }
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(
            collector.bytes
                == texts.flatMap { text -> [UInt8] in [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8) }
        )
        #expect(collector.metrics.delivered == 3)
    }

    @Test func packetsStayApart() throws {
        let packets = UnixPacketTransport(interruption: interruption)
        let collector = Collector(try packets.openSource(folder("p") + "?max-line=1000&accept=1"))
        let peer = try Peer(unix: folder("p"), .packets)
        peer.send("one")
        peer.send("")
        peer.send("two\nthree\n")
        peer.send(String(repeating: "x", count: 1001))
        peer.send("four")
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "one\ntwo\nthree\nfour\n")
        #expect(collector.metrics.delivered == 3 && collector.metrics[.truncated] == 1 && collector.metrics.isBalanced)
    }
}

/// Sends all of a text over a socket that may have to wait.
func sendAll(_ descriptor: Int32, _ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
