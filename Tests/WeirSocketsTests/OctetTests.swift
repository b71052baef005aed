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

/// Messages with their length in digits in front, as syslog has them over TCP.
@Suite(.serialized) struct OctetTests {
    private func frame(_ text: String) -> [UInt8] {
        let count = text.utf8.count
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + text.utf8
    }

    private func collect(_ options: String = "") throws -> (collector: Collector, port: UInt16) {
        let source = try TCPTransport().openSource("//:0?framing=octets&accept=1" + options)
        let port = try port(source.meter)
        return (Collector(source), port)
    }

    @Test func takesMessagesWithAndWithoutALengthWhateverPiecesTheyComeIn() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            var wanted: [UInt8] = []
            var bytes: [UInt8] = []
            for number in 0..<2000 {
                let text = "<\(number % 192)>" + String(repeating: "é", count: .random(in: 0...20, using: &random))
                if Bool.random(using: &random) {
                    let broken = text + "\n" + text
                    bytes += "\(broken.utf8.count) \(broken)".utf8
                    wanted += frame(broken)
                    if Bool.random(using: &random) { bytes.append(UInt8(ascii: "\n")) }
                } else {
                    bytes += (text + "\n").utf8
                    wanted += frame(text)
                }
            }
            let (collector, port) = try collect()
            let peer = try Peer(tcp: port)
            while !bytes.isEmpty {
                let count = min(bytes.count, .random(in: 1...20_000, using: &random))
                #expect(peer.send(Array(bytes.prefix(count))))
                bytes.removeFirst(count)
            }
            peer.close()
            #expect(try collector.waitForEnd() == nil)
            #expect(collector.bytes == wanted, "seed \(seed)")
            #expect(collector.metrics.delivered == 2000 && collector.metrics.isBalanced)
        }
    }

    @Test func takesLongMessagesWhateverPiecesTheyComeIn() throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            var wanted: [UInt8] = []
            var bytes: [UInt8] = []
            for number in 0..<60 {
                let text = "<\(number)>" + String(repeating: "x", count: .random(in: 0...50_000, using: &random))
                bytes += (Bool.random(using: &random) ? "\(text.utf8.count) \(text)" : text + "\n").utf8
                wanted += frame(text)
            }
            let (collector, port) = try collect()
            let peer = try Peer(tcp: port)
            while !bytes.isEmpty {
                let count = min(bytes.count, .random(in: 1...3000, using: &random))
                #expect(peer.send(Array(bytes.prefix(count))))
                bytes.removeFirst(count)
            }
            peer.close()
            #expect(try collector.waitForEnd() == nil)
            #expect(collector.bytes == wanted, "seed \(seed)")
        }
    }

    @Test func aLineThatAConnectionBreaksOffInIsNotDelivered() throws {
        let (collector, port) = try collect("&unfinished=deliver")
        let peer = try Peer(tcp: port)
        peer.send("3 one<1>half")
        try eventually("it was read") { collector.metrics.delivered == 1 }
        // The connection is broken, not ended.
        var lingering = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        #expect(unsafe setsockopt(peer.descriptor, SOL_SOCKET, SO_LINGER, &lingering, size) == 0)
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.bytes == frame("one") && collector.metrics[.unfinished] == 1 && collector.metrics.isBalanced)
        let message = try #require(collector.source.meter?.takeRejectedMessages().messages.first)
        #expect(message.bytes == Array("<1>half".utf8) && message.origin?.hasPrefix("user") != true)
    }

    @Test func rejectsWhatIsTooLongOrUnfinished() throws {
        let (collector, port) = try collect("&max-line=16")
        let peer = try Peer(tcp: port)
        let long = String(repeating: "x", count: 100_000)
        peer.send("100000 \(long)3 one<1>\(long)\n16 1234567890123456012 x\n17 12345678901234567<2>two\n9 cut")
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.bytes == ["one", "1234567890123456", "012 x", "<2>two"].flatMap { frame($0) })
        let metrics = collector.metrics
        #expect(metrics[.tooLong] == 3 && metrics[.unfinished] == 1 && metrics.delivered == 4 && metrics.isBalanced)
    }

    @Test(arguments: [
        ("12 x", MessageStage.OctetHeader.count(12, headerLength: 3)), ("0 x", .line), ("<1>", .line),
        ("12", .incomplete),
        ("", .incomplete), ("999999999 ", .count(999_999_999, headerLength: 10)), ("1234567890 ", .line),
        ("12-", .line),
        (" 1", .line),
    ])
    func tellsALengthFromAMessage(text: String, header: MessageStage.OctetHeader) {
        #expect(MessageStage.header(of: Array(text.utf8)[...]) == header)
    }
}
