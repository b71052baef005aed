import CWeirSockets
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

@Suite(.serialized) struct TCPTests {
    private let interruption: Interruption
    private let transport: TCPTransport

    init() throws {
        interruption = try Interruption()
        transport = TCPTransport(interruption: interruption)
    }

    private func collect(_ options: String = "", isPaused: Bool = false) throws -> (collector: Collector, port: UInt16)
    {
        let source = try transport.openSource("//:0" + options)
        let port = try port(source.meter)
        return (Collector(source, isPaused: isPaused), port)
    }

    private func metrics(_ sink: any TransportSink) -> TransportMetrics { sink.meter?.metrics ?? TransportMetrics() }

    /// A port at which nothing listens, and that no other program gets meanwhile.
    private func reserve() throws -> (socket: Int32, port: UInt16) {
        var target = try HostAddress("//127.0.0.1:0", whole: "test", loopback: true).address
        let socket = unsafe cweir_net_socket(&target, SocketKind.stream.number)
        try #require(unsafe socket >= 0 && cweir_net_bind(socket, &target) == 0)
        _ = unsafe cweir_net_local_address(socket, &target)
        return (socket, target.port)
    }

    /// Accepts the connection that comes.
    private func accepted(_ listener: Int32) throws -> Int32 {
        var made: Int32 = -1
        try eventually("it came") {
            made = accept(listener, nil, nil)
            return made >= 0
        }
        return made
    }

    private func read(_ socket: Int32, until isEnough: ([UInt8]) -> Bool) throws -> String {
        var bytes: [UInt8] = []
        try eventually("enough arrived") {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
            bytes += piece.prefix(max(0, count))
            return isEnough(bytes) || count == 0
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Sources

    @Test func keepsTheLinesOfManyWhole() throws {
        let (collector, port) = try collect()
        let peers = try (0..<10).map { _ in try Peer(tcp: port) }
        var random = SeededGenerator(4)
        var texts = peers.indices.map { peer in Array((0..<50).map { "\(peer):\($0)\n" }.joined().utf8) }
        while let peer = texts.indices.filter({ !texts[$0].isEmpty }).randomElement(using: &random) {
            let count = Int.random(in: 1...min(9, texts[peer].count), using: &random)
            #expect(peers[peer].send(Array(texts[peer].prefix(count))))
            texts[peer].removeFirst(count)
        }
        try collector.waitForLines(500)
        for peer in peers.indices {
            #expect(collector.lines.filter { $0.hasPrefix("\(peer):") } == (0..<50).map { "\(peer):\($0)" })
        }
        for peer in peers { peer.close() }
        try eventually("all were closed") { collector.metrics.openConnections == 0 }
        #expect(collector.metrics.connections == 10 && collector.metrics.isBalanced)
        interruption.trigger()
        #expect(try collector.waitForEnd() == .interrupted(address: "tcp://:0"))
    }

    @Test func saysWhoSentWhatItRefuses() throws {
        let (collector, port) = try collect("?max-line=16&accept=1")
        let peer = try Peer(tcp: port)
        peer.send("ok\n" + String(repeating: "x", count: 17) + "\ncut")
        let origin = try #require(cweir_net_address_t(peerOf: peer.descriptor))
        #expect(origin.text == "127.0.0.1:\(port)")
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["ok"])
        let messages = try #require(collector.source.meter?.takeRejectedMessages().messages)
        #expect(messages.map(\.cause) == [.tooLong, .unfinished])
        #expect(messages.allSatisfy { $0.origin?.hasPrefix("127.0.0.1:") == true })
        #expect(collector.metrics.sent == 3 && collector.metrics.isBalanced)
    }

    @Test func takesOnlyTheHostsOnTheList() throws {
        let (collector, port) = try collect("?allow=10.0.0.0/8")
        let stranger = try Peer(tcp: port)
        #expect(stranger.receive() == "")
        try eventually("it was counted") { collector.metrics.refusedConnections == 1 }
        let (other, otherPort) = try collect("?allow=10.0.0.0/8,127.0.0.0/8&accept=1")
        let peer = try Peer(tcp: otherPort)
        peer.send("hello\n")
        peer.close()
        #expect(try other.waitForEnd() == nil)
        #expect(other.text == "hello\n")
    }

    @Test func closesConnectionsThatAreIdle() throws {
        // The time begins when a connection is accepted: on a busy machine what is sent may come too late.
        try eventually("something is sent in time") {
            let (collector, port) = try collect("?idle=20ms&accept=1")
            let peer = try Peer(tcp: port)
            peer.send("one\ntw")
            #expect(peer.receive() == "")
            #expect(try collector.waitForEnd() == nil)
            guard collector.metrics.sent == 2 else { return false }
            #expect(collector.lines == ["one"] && collector.metrics[.unfinished] == 1 && collector.metrics.isBalanced)
            return true
        }
    }

    @Test func connectsOnceSomethingListensAndAgainWhenItEnds() throws {
        let (listener, port) = try reserve()
        defer { close(listener) }
        let source = try transport.openSource("//127.0.0.1:\(port)?connect=true&retry=20ms&accept=2")
        let collector = Collector(source)
        var notices: [String] = []
        try eventually("it was said") {
            notices += source.meter?.takeNotices() ?? []
            return !notices.isEmpty
        }
        #expect(notices.first?.contains("cannot be connected to: connection refused; it is tried again") == true)
        try #require(cweir_net_listen(listener) == 0)
        for text in ["one\ntwo\n", "three\n"] {
            let peer = try accepted(listener)
            _ = unsafe send(peer, text, text.utf8.count, 0)
            close(peer)
        }
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["one", "two", "three"])
        #expect(collector.metrics.connections == 2 && collector.metrics.openConnections == 0)
    }

    @Test func aSocketThatIsConnectedToItselfIsNoConnection() throws {
        let (socket, port) = try reserve()
        defer { close(socket) }
        var target = try HostAddress("//127.0.0.1:\(port)", whole: "test", loopback: true).address
        _ = unsafe cweir_net_connect(socket, &target)
        try eventually("it is connected") { cweir_net_address_t(peerOf: socket) != nil }
        #expect(SocketPlace.error(ofConnecting: socket) == .refused)
    }

    // MARK: Sinks

    @Test(arguments: ["newline", "length"])
    func whatASinkWritesASourceReads(framing: String) throws {
        let (collector, port) = try collect("?accept=1&framing=\(framing)")
        let sink = try transport.openSink("//127.0.0.1:\(port)?framing=\(framing)&linger=300s")
        var wanted: [UInt8] = []
        for number in 0..<3000 {
            let text = Array("\(number)".utf8)
            wanted += framing == "length" ? [0, 0, 0, UInt8(text.count)] + text : text + [UInt8(ascii: "\n")]
        }
        try sink.write(wanted)
        try sink.finish()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.bytes == wanted)
        #expect(metrics(sink).delivered == 3000 && metrics(sink).isBalanced && metrics(sink).pending == 0)
        #expect(collector.metrics.delivered == 3000 && collector.metrics.isBalanced)
    }

    @Test func aSinkKeepsWhatItHasUntilSomethingListens() throws {
        let (listener, port) = try reserve()
        defer { close(listener) }
        let sink = try transport.openSink("//127.0.0.1:\(port)?retry=20ms&linger=60s")
        try sink.write("early\n")
        var notices: [String] = []
        try eventually("it was said") {
            notices += sink.meter?.takeNotices() ?? []
            return notices.contains { $0.contains("cannot be written to: connection refused; it is tried again") }
        }
        #expect(metrics(sink).pending == 1)
        try #require(cweir_net_listen(listener) == 0)
        let peer = try accepted(listener)
        try sink.write("late\n")
        #expect(try read(peer) { $0.count == 11 } == "early\nlate\n")
        try sink.finish()
        close(peer)
        #expect(metrics(sink).delivered == 2 && metrics(sink).isBalanced)
    }

    /// The other side's system never acknowledged it, so it is not called delivered.
    @Test func whatAReaderThatBreaksOffDidNotTakeIsCounted() throws {
        let (listener, port) = try reserve()
        defer { close(listener) }
        try #require(cweir_net_grow_receive_buffer(listener, 4096) > 0 && cweir_net_listen(listener) == 0)
        let sink = try transport.openSink("//127.0.0.1:\(port)?retry=20ms&linger=60s")
        let line = String(repeating: "l", count: 999) + "\n"
        for _ in 0..<3000 { try sink.write(line) }
        let peer = try accepted(listener)
        try eventually("the buffers are full") { metrics(sink).delivered > 100 }
        // A close with this setting breaks the connection.
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close(peer)
        try eventually("it was counted") { metrics(sink)[.refused] > 0 }
        let refused = metrics(sink)[.refused]
        let next = try accepted(listener)
        var rest = 0
        let lent = Lent(sink)
        let failure = Locked<TransportError?>(nil)
        let end = Thread {
            do throws(TransportError) { try lent.value.finish() } catch { failure.withLock { $0 = error } }
        }
        end.start()
        _ = try read(next) { bytes in
            rest = bytes.count
            return end.isFinished
        }
        close(next)
        try eventually("the sink ended") { end.isFinished }
        let found = metrics(sink)
        #expect(found[.refused] == refused && found.delivered + refused == 3000 && found.isBalanced, "\(found)")
        // What the first one took, the lines that it did not take, and what the second one got.
        #expect(rest % 1000 == 0 && rest / 1000 + Int(refused) <= 3000)
        #expect(failure.withLock { "\($0 as Any)" }.contains("\(refused) refused"))
        let notices = sink.meter?.takeNotices() ?? []
        #expect(notices.contains { $0.contains("before it had taken everything") }, "\(notices)")
    }

    @Test func aReaderThatTalksGetsEverything() throws {
        let (listener, port) = try reserve()
        defer { close(listener) }
        try #require(cweir_net_listen(listener) == 0)
        let sink = try transport.openSink("//127.0.0.1:\(port)?linger=60s")
        let peer = try accepted(listener)
        try #require(unsafe send(peer, "220 ready\r\n", 11, 0) == 11)
        for number in 0..<1000 { try sink.write("\(number)\n") }
        try sink.finish()
        let text = try read(peer) { _ in false }
        close(peer)
        #expect(text == (0..<1000).map { "\($0)\n" }.joined())
    }

    @Test func servesAllReadersAndSeesThemGo() throws {
        let sink = try transport.openSink("//:0?listen=true&readers=2&linger=300s")
        let port = try port(sink.meter)
        let readers = try (0..<2).map { _ in try Peer(tcp: port) }
        readers[1].send("hello?\n")
        try eventually("both are there") { metrics(sink).openConnections == 2 }
        try sink.write("one\ntwo\n")
        for reader in readers { #expect(try read(reader.descriptor) { $0.count == 8 } == "one\ntwo\n") }
        // Without anything being written, its place is free for another one.
        readers[0].close()
        let another = try Peer(tcp: port)
        try eventually("it is there") { metrics(sink).connections == 3 }
        #expect(metrics(sink).openConnections == 2)
        try sink.write("three\n")
        try sink.finish()
        #expect(try read(readers[1].descriptor) { _ in false } == "three\n")
        #expect(try read(another.descriptor) { _ in false } == "three\n")
        #expect(metrics(sink).delivered == 3 && metrics(sink).isBalanced)
    }

    @Test func aReaderThatEndsItsOwnDirectionGoesOnReading() throws {
        let sink = try transport.openSink("//:0?listen=true&linger=60s")
        let reader = try Peer(tcp: port(sink.meter))
        try eventually("it is there") { metrics(sink).openConnections == 1 }
        for number in 0..<30 {
            try sink.write("\(number)\n")
            #expect(try read(reader.descriptor) { $0.last == UInt8(ascii: "\n") } == "\(number)\n")
            if number == 9 { shutdown(reader.descriptor, Int32(SHUT_WR)) }
        }
        try sink.finish()
        #expect(try read(reader.descriptor) { _ in false } == "")
        #expect(metrics(sink).delivered == 30 && metrics(sink).isBalanced)
    }

    @Test func connectionsThatAreRefusedAreNotThoseThatAreWaitedFor() throws {
        let (collector, port) = try collect("?accept=1&allow=10.0.0.0/8")
        for count in 1...3 as ClosedRange<UInt64> {
            let peer = try Peer(tcp: port)
            #expect(peer.receive() == "")
            try eventually("it was refused") { collector.metrics.refusedConnections == count }
        }
        interruption.trigger()
        let ending = try collector.waitForEnd()
        guard case .interrupted? = ending else {
            Issue.record("\(ending as Any)")
            return
        }
    }

    @Test(arguments: [
        ("//127.0.0.1", "the port is missing; write tcp://HOST:PORT"), ("//:99999", "is not a port"),
        ("//:0?connect=true", "the host is missing"), ("//127.0.0.1:0?connect=true", "there is no port 0"),
        ("//:0?mode=0600", "there is no option 'mode'"),
        ("//127.0.0.1:9?connect=true&allow=::1", "'allow' means nothing"),
        ("//:0?allow=10.0.0.1/8", "is not a range of addresses"),
    ])
    func refusesAddressesThatMakeNoSense(address: String, reason: String) {
        do {
            _ = try transport.openSource(address)
            Issue.record("it was taken")
        } catch {
            #expect("\(error)".contains(reason), "\(error)")
        }
    }
}
