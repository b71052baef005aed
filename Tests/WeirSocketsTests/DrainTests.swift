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

/// What becomes of messages that were sent, or counted, when an interruption comes.
@Suite(.serialized) struct DrainTests {
    private let folder: Folder
    private let interruption: Interruption

    init() throws {
        folder = try Folder()
        interruption = try Interruption()
    }

    /// Reads up to 3 bytes.
    private func readThree(_ source: any TransportSource) throws(TransportError) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let count = unsafe try source.read(into: buffer)
        return unsafe String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// A source with ten datagrams of ten bytes, of which three bytes were read.
    private func openDatagrams() throws -> DatagramSource {
        let source = try UDPTransport(interruption: interruption).open("//:0?drain=0s")
        let peer = try Peer(udp: "127.0.0.1", source.port)
        for number in 0..<10 { peer.send("number \(number) \n") }
        try eventually("all arrived") { source.meter?.metrics.pending == 10 }
        #expect(try readThree(source) == "num")
        return source
    }

    @Test func whatCountsAsDeliveredIsHandedOut() throws {
        let source = try openDatagrams()
        interruption.trigger()
        var text = "num"
        while let more = try? readThree(source) {
            try #require(!more.isEmpty)
            text += more
        }
        let metrics = try #require(source.meter?.metrics)
        #expect(text.split(separator: "\n").count == Int(metrics.delivered) && text.hasSuffix("\n"))
        #expect(metrics.delivered > 0 && metrics.delivered + metrics[.unread] == 10 && metrics.isBalanced, "\(metrics)")
    }

    @Test func whatIsLeftOfAChunkIsUnread() throws {
        var source: DatagramSource? = try openDatagrams()
        let meter = try #require(source?.meter)
        source = nil
        #expect(meter.metrics[.unread] == 10 && meter.metrics.delivered == 0 && meter.metrics.isBalanced)
    }

    /// A paused source, and peers that have each sent a line.
    private func openConnections(_ options: String, count: Int) throws -> (Collector, [Peer]) {
        let transport = UnixTransport(interruption: interruption)
        let collector = Collector(try transport.openSource(folder("s") + options), isPaused: true)
        let peers = try (0..<count).map { number in
            let peer = try Peer(unix: folder("s"))
            peer.send("\(number)\n")
            return peer
        }
        return (collector, peers)
    }

    @Test(arguments: [1, 2, 400])
    func connectionsThatWaitedAreRead(limit: Int) throws {
        let (collector, peers) = try openConnections("?connections=\(limit)&drain=300s", count: 300)
        interruption.trigger()
        collector.resume()
        #expect(try collector.waitForEnd() != nil)
        #expect(Set(collector.lines) == Set((0..<300).map { "\($0)" }))
        let metrics = collector.metrics
        #expect(metrics.delivered == 300 && metrics.connections == 300 && metrics.refusedConnections == 0, "\(metrics)")
        for peer in peers { peer.close() }
    }

    @Test func connectionsThatNoTimeIsLeftForAreCounted() throws {
        let (collector, peers) = try openConnections("?connections=2&drain=0s", count: 10)
        interruption.trigger()
        collector.resume()
        #expect(try collector.waitForEnd() != nil)
        let metrics = collector.metrics
        #expect(metrics.connections >= 2 && metrics.connections + metrics.refusedConnections == 10, "\(metrics)")
        #expect(metrics.delivered == UInt64(collector.count) && metrics.isBalanced)
        for peer in peers { peer.close() }
    }

    @Test func anInterruptionMakesNoConnection() throws {
        let listener = try SocketListener(
            UnixSettings(place: .file(folder("far"))),
            kind: .stream,
            inherited: .none,
            address: "test"
        )
        let transport = UnixTransport(interruption: interruption)
        let collector = Collector(try transport.openSource(folder("far") + "?connect=true"), isPaused: true)
        interruption.trigger()
        collector.resume()
        #expect(try collector.waitForEnd() != nil)
        #expect(SystemError(cweir_net_accept(listener.descriptor)) == .wouldBlock)
        #expect(collector.metrics.connections == 0)
    }

    @Test(arguments: ["newline", "length"])
    func longMessagesComeInPieces(framing: String) throws {
        let transport = UnixTransport(interruption: interruption)
        let collector = Collector(
            try transport.openSource(folder("s") + "?framing=\(framing)&max-line=1000&accept=1")
        )
        let lengths = [0, 1, 4, 999, 1000, 1001, 1004, 5000, 3, 1000]
        func message(_ length: Int) -> [UInt8] {
            let bytes = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
            let header = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            return framing == "length" ? header + bytes : bytes + [UInt8(ascii: "\n")]
        }
        let peer = try Peer(unix: folder("s"))
        var random = SeededGenerator(19)
        var rest = lengths.flatMap(message)[...]
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...20, using: &random))
            peer.send(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.bytes == lengths.filter { $0 <= 1000 }.flatMap(message))
        #expect(collector.metrics[.tooLong] == 3 && collector.metrics.delivered == 7 && collector.metrics.isBalanced)
    }
}
