import CWeirSockets
import Foundation
import TestThreads
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirSockets

/// What sources refuse is handed over: why, by whom it was sent, and what arrived of it.
@Suite(.serialized) struct RejectedMessageTests {
    private let folder: Folder
    private let interruption: Interruption

    init() throws {
        folder = try Folder()
        interruption = try Interruption()
    }

    /// Waits for refused messages.
    private func take(_ count: Int, from collector: Collector) throws -> [RejectedMessage] {
        try eventually("\(count) messages were refused") { collector.metrics.rejected == UInt64(count) }
        let (messages, omitted) = try #require(collector.source.meter).takeRejectedMessages()
        #expect(messages.count == count && omitted == 0 && collector.metrics.isBalanced)
        return messages
    }

    private func text(_ message: RejectedMessage) -> String {
        "\(message.cause.rawValue): \(String(decoding: message.bytes, as: UTF8.self))"
    }

    @Test func whatIsNotSignedOrCameBefore() throws {
        let key = try folder.write("key", "a key that both sides have\n")
        let source = try UDPTransport(interruption: interruption).open("//:0?key=\(key)")
        let collector = Collector(source)
        let peer = try Peer(udp: "127.0.0.1", source.port)
        let origin = "127.0.0.1:\(try #require(Self.port(of: peer)))"
        peer.send("stranger\n")
        let authenticator = DatagramAuthenticator(key: SigningKey(Array("another key than that".utf8)))
        let foreign = datagram("foreign", authenticator)
        peer.send(foreign)
        let own = datagram("own", DatagramAuthenticator(key: SigningKey(Array("a key that both sides have".utf8))))
        peer.send(own)
        peer.send(own)
        let messages = try take(3, from: collector)
        #expect(messages.map(\.cause) == [.malformed, .badSignature, .replayed])
        #expect(messages.map(\.bytes) == [Array("stranger\n".utf8), foreign, own])
        #expect(messages.allSatisfy { $0.origin == origin }, "\(messages.map(\.origin))")
        try collector.waitForLines(1)
        #expect(collector.text == "own\n")
    }

    private static func port(of peer: Peer) -> UInt16? {
        var address = cweir_net_address_t()
        return unsafe cweir_net_local_address(peer.descriptor, &address) == 0 ? address.port : nil
    }

    private func datagram(_ payload: String, _ authenticator: DatagramAuthenticator) -> [UInt8] {
        let payload = Array(payload.utf8)
        var datagram = [UInt8](repeating: 0, count: payload.count + authenticator.overhead)
        unsafe datagram.withUnsafeMutableBytes { target in
            unsafe payload.withUnsafeBytes { unsafe authenticator.write($0, sender: 7, sequence: 0, into: target) }
        }
        return datagram
    }

    @Test func datagramsThatAreTooLongOrNoFrames() throws {
        let source = try UDPTransport(interruption: interruption).open("//:0?framing=length&max-datagram=20")
        let collector = Collector(source)
        let peer = try Peer(udp: "127.0.0.1", source.port)
        peer.send([0, 0, 0, 2, 65, 66])
        peer.send([0, 0, 0, 9, 65, 66])
        peer.send([UInt8](repeating: 67, count: 30))
        let messages = try take(2, from: collector)
        #expect(messages.map(\.cause) == [.malformed, .truncated])
        #expect(messages.map(\.bytes) == [[0, 0, 0, 9, 65, 66], [UInt8](repeating: 67, count: 20)])
        #expect(messages.allSatisfy { $0.origin?.hasPrefix("127.0.0.1:") == true })
    }

    @Test func linesAndFramesThatAreTooLongOrUnfinished() throws {
        for (framing, sent, wanted) in [
            (
                "newline",
                "good\n\(String(repeating: "x", count: 20))\nfine\n\(String(repeating: "y", count: 21))\nend",
                ["too long: " + String(repeating: "x", count: 20), "too long: " + String(repeating: "y", count: 21)]
                    + ["unfinished: end"]
            ),
            (
                "length", "\0\0\0\u{2}ab\0\0\0\u{14}12345678901234567890\0\0\0\u{1}c\0\0\0\u{5}d",
                ["too long: \0\0\0\u{14}12345678901234567890", "unfinished: \0\0\0\u{5}d"]
            ),
        ] {
            let source = try UnixTransport(interruption: interruption)
                .openSource(folder(framing) + "?framing=\(framing)&max-line=16")
            let collector = Collector(source)
            let peer = try Peer(unix: folder(framing))
            peer.send(sent)
            peer.close()
            let messages = try take(wanted.count, from: collector)
            #expect(messages.map(text) == wanted)
            #expect(messages.allSatisfy { $0.origin == "user \(getuid())" })
            #expect(collector.metrics.delivered == 2)
        }
    }

    @Test func theOthersStayWhole() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            let boundary = Bool.random(using: &random) ? Boundary.length : .lines
            var bytes: [UInt8] = []
            var good: [UInt8] = []
            var wanted: [[UInt8]] = []
            var count: UInt64 = 0
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let length = Int.random(in: 0...16, using: &random)
                let text = [UInt8](repeating: .random(in: 65...90, using: &random), count: length)
                let message: [UInt8] = boundary == .length ? [0, 0, 0, UInt8(length)] + text : text + [10]
                bytes += message
                if length > 8 { wanted.append(message) } else { good += message }
                count += length > 8 ? 0 : 1
            }
            var refused: [[UInt8]] = []
            let total = bytes.count
            let kept = unsafe bytes.withUnsafeMutableBytes { bytes in
                let found = unsafe boundary.take(bytes, limit: 8) { unsafe refused.append(Array($0)) }
                #expect(found.consumed == total && found.skip == 0, "seed \(seed)")
                #expect(found.count == count && found.tooLong == UInt64(wanted.count), "seed \(seed)")
                return unsafe Array(bytes[..<found.kept])
            }
            #expect(kept == good && refused == wanted, "seed \(seed)")
        }
    }

    @Test func packetsThatAreNoFramesOrTooLong() throws {
        let source = try UnixPacketTransport(interruption: interruption)
            .openSource(folder("p") + "?framing=length&max-line=16")
        let collector = Collector(source)
        let peer = try Peer(unix: folder("p"), .packets)
        peer.send([0, 0, 0, 7, 1])
        peer.send([UInt8](repeating: 9, count: 40))
        let messages = try take(2, from: collector)
        #expect(messages.map(\.cause) == [.malformed, .truncated])
        #expect(messages.map(\.bytes) == [[0, 0, 0, 7, 1], [UInt8](repeating: 9, count: 16)])
    }

    @Test func aFloodIsKeptUpToALimitAndCounted() throws {
        let meter = TransportMeter()
        let calls = Locked(0)
        meter.observeRejectedMessages { calls.withLock { $0 += 1 } }
        let message = [UInt8](repeating: 88, count: 60_000)
        for round in 1...2 {
            for _ in 0..<1000 {
                unsafe message.withUnsafeBytes { unsafe meter.keepRejected($0, .badSignature) { nil } }
            }
            let (messages, omitted) = meter.takeRejectedMessages()
            #expect(messages.count == (1 << 20) / message.count && omitted == UInt64(1000 - messages.count))
            #expect(calls.withLock { $0 } == round, "once until they are taken")
        }
        for _ in 0..<10_000 {
            unsafe meter.keepRejected(UnsafeRawBufferPointer(start: nil, count: 0), .malformed) { nil }
        }
        let (messages, omitted) = meter.takeRejectedMessages()
        #expect(messages.count + Int(omitted) == 10_000 && messages.count <= 4096)
        // A message that alone is longer than the limit is still kept.
        let long = [UInt8](repeating: 88, count: 2 << 20)
        unsafe long.withUnsafeBytes { unsafe meter.keepRejected($0, .tooLong) { nil } }
        #expect(meter.takeRejectedMessages().messages.map(\.bytes) == [long])
    }
}
