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

@Suite(.serialized) struct DatagramTests {
    private let folder: Folder
    private let interruption: Interruption
    private let transport: UDPTransport

    init() throws {
        folder = try Folder()
        interruption = try Interruption()
        transport = UDPTransport(interruption: interruption)
    }

    private func collect(
        _ address: String = "//:0",
        isPaused: Bool = false
    ) throws -> (collector: Collector, port: UInt16) {
        let source = try transport.open(address)
        return (Collector(source, isPaused: isPaused), source.port)
    }

    @Test func takesDatagramsWithOneLineOrManyOrNone() throws {
        let (collector, port) = try collect()
        let peer = try Peer(udp: "127.0.0.1", port)
        for text in ["one", "two\n", "three\nfour", "", "\n"] { peer.send(text) }
        try collector.waitForLines(5)
        try eventually("all arrived") { collector.metrics.delivered == 5 }
        #expect(collector.text == "one\ntwo\nthree\nfour\n\n")
        #expect(collector.metrics.isBalanced)
        interruption.trigger()
        #expect(try collector.waitForEnd() != nil)
    }

    @Test func bindsTheLoopbackUnlessAHostIsNamed() throws {
        for (address, host) in [("//:0", "127.0.0.1"), ("//*:0", "0.0.0.0"), ("//[::1]:0", "::1")] {
            let place = try HostAddress(String(address), whole: "test", loopback: true)
            var text = [CChar](repeating: 0, count: 64)
            unsafe withUnsafeBytes(of: place.address.storage) { bytes in
                let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                let size = socklen_t(text.count)
                #expect(unsafe getnameinfo(address, place.address.length, &text, size, nil, 0, NI_NUMERICHOST) == 0)
            }
            #expect(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) == host)
        }
    }

    @Test func takesIPv6() throws {
        let (collector, port) = try collect("//[::1]:0?allow=::1")
        try Peer(udp: "[::1]", port).send("six\n")
        try collector.waitForLines(1)
        #expect(collector.text == "six\n")
    }

    @Test func rejectsWhatIsTruncatedOrNotFramed() throws {
        let (collector, port) = try collect("//:0?max-datagram=10&framing=length")
        let peer = try Peer(udp: "127.0.0.1", port)
        peer.send([0, 0, 0, 2, 0x61, 0x0a])
        peer.send([0, 0, 0, 2, 0x61])
        peer.send([UInt8](repeating: 0, count: 11))
        peer.send([0, 0, 0, 1, 0x0a, 0, 0, 0, 1, 0x0a])
        try eventually("all arrived") { collector.metrics.sent == 4 }
        try collector.waitForLines(3)
        let metrics = collector.metrics
        #expect(metrics.delivered == 2 && metrics[.malformed] == 1 && metrics[.truncated] == 1 && metrics.isBalanced)
    }

    @Test func aDatagramCanBeAFrame() throws {
        let (collector, port) = try collect("//:0?framing=datagram&max-datagram=10")
        let peer = try Peer(udp: "127.0.0.1", port)
        for text in ["one", "two\nhalf", "", "0123456789", "01234567890"] { peer.send(text) }
        try eventually("all arrived") { collector.metrics.sent == 5 && collector.metrics.pending == 0 }
        let wanted = ["one", "two\nhalf", "", "0123456789"].flatMap { text -> [UInt8] in
            [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8)
        }
        try eventually("all was read") { collector.bytes.count == wanted.count }
        #expect(collector.bytes == wanted)
        let metrics = collector.metrics
        #expect(metrics.delivered == 4 && metrics[.truncated] == 1 && metrics.isBalanced)
    }

    @Test func takesOnlyWhatComesFromTheList() throws {
        let (collector, port) = try collect("//*:0?allow=127.0.0.2,10.0.0.0/8")
        try Peer(udp: "127.0.0.1", port).send("stranger\n")
        try eventually("it was rejected") { collector.metrics[.notAllowed] == 1 }
        #expect(collector.metrics.isBalanced && collector.count == 0)
    }

    @Test func whatTheKernelDropsIsCountedExactly() throws {
        // Nobody reads, the queue is small, and so is the kernel's buffer: most of this is lost, and all of that known.
        let source = try transport.open("//:0?queue=1&receive-buffer=4096&max-datagram=2000")
        let peer = try Peer(udp: "127.0.0.1", source.port)
        let text = String(repeating: "k", count: 1000)
        let total: UInt64 = 20_000
        for _ in 0..<total { #expect(peer.send(text)) }
        try eventually("all is accounted for but what waits in the kernel") {
            let metrics = source.meter?.metrics ?? TransportMetrics()
            return metrics[.kernel] > 10_000 && metrics.isBalanced
        }
        let collector = Collector(source)
        try eventually("all of it is accounted for") {
            collector.metrics.sent == total && collector.metrics.pending == 0
        }
        let metrics = collector.metrics
        #expect(metrics.delivered + metrics[.kernel] == total && metrics.isBalanced, "\(metrics)")
        try collector.waitForLines(Int(metrics.delivered))
    }

    @Test(arguments: ["drop-newest", "drop-oldest"])
    func whatTheQueueDropsIsCounted(policy: String) throws {
        let source = try transport.open("//:0?queue=1&overflow=\(policy)&max-datagram=2000&receive-buffer=8MiB")
        let peer = try Peer(udp: "127.0.0.1", source.port)
        for number in 0..<4000 { #expect(peer.send("\(number):" + String(repeating: "k", count: 1000))) }
        try eventually("all arrived") { source.meter?.metrics.sent == 4000 }
        try eventually("all was sorted") { source.meter?.metrics.isBalanced == true }
        let collector = Collector(source)
        try eventually("all was read") { collector.metrics.pending == 0 }
        let metrics = collector.metrics
        #expect(metrics[policy == "drop-newest" ? .queueFull : .oldest] + metrics[.kernel] + metrics.delivered == 4000)
        #expect(metrics[policy == "drop-newest" ? .queueFull : .oldest] > 0)
        try collector.waitForLines(Int(metrics.delivered))
        let numbers = collector.lines.compactMap { Int($0.prefix { $0 != ":" }) }
        #expect(numbers == numbers.sorted())
        if metrics[.kernel] == 0 {
            if policy == "drop-newest" { #expect(numbers.first == 0) } else { #expect(numbers.last == 3999) }
        }
    }

    @Test func severalWorkersShareTheSenders() throws {
        let (collector, port) = try collect("//:0?workers=4")
        let peers = try (0..<32).map { _ in try Peer(udp: "127.0.0.1", port) }
        for round in 0..<50 {
            for (number, peer) in peers.enumerated() { peer.send("\(number):\(round)\n") }
        }
        try eventually("all is accounted for") { collector.metrics.delivered + collector.metrics.dropped == 1600 }
        try collector.waitForLines(Int(collector.metrics.delivered))
        for number in peers.indices {
            let rounds = collector.lines.filter { $0.hasPrefix("\(number):") }.compactMap {
                Int($0.split(separator: ":")[1])
            }
            #expect(rounds == rounds.sorted(), "one sender's datagrams stay in order")
        }
    }

    @Test func numbersTellWhatWasLost() throws {
        let (collector, port) = try collect("//:0?sequence=true")
        let sink = try transport.openSink("//127.0.0.1:\(port)?sequence=true&lines=1&linger=300s")
        try sink.write((0..<100).map { "\($0)\n" }.joined())
        try collector.waitForLines(100)
        #expect(collector.metrics.lost == 0)
        // A sender whose datagrams 3 and 5 got lost, and 4 came late and twice.
        let authenticator = DatagramAuthenticator(key: nil)
        let peer = try Peer(udp: "127.0.0.1", port)
        for sequence in [0, 1, 2, 6, 4, 4] as [UInt64] {
            let payload = Array("late \(sequence)\n".utf8)
            var datagram = [UInt8](repeating: 0, count: payload.count + authenticator.overhead)
            unsafe datagram.withUnsafeMutableBytes { target in
                unsafe payload.withUnsafeBytes {
                    unsafe authenticator.write($0, sender: 9, sequence: sequence, into: target)
                }
            }
            peer.send(datagram)
        }
        peer.send("without a number")
        try eventually("all arrived") { collector.metrics.sent == 107 && collector.metrics.pending == 0 }
        let metrics = collector.metrics
        #expect(metrics.lost == 2 && metrics[.replayed] == 1 && metrics[.malformed] == 1 && metrics.delivered == 105)
        #expect(metrics.isBalanced)
        try sink.finish()
    }

    @Test func aKeyKeepsStrangersOut() throws {
        let key = try folder.write("key", "a key that both sides have\n")
        let (collector, port) = try collect("//:0?key=\(key)")
        let sink = try transport.openSink("//127.0.0.1:\(port)?key=\(key)&linger=300s")
        try sink.write("signed\nand sealed\n")
        try Peer(udp: "127.0.0.1", port).send("stranger\n")
        try sink.finish()
        try eventually("both arrived") { collector.metrics.sent == 2 && collector.metrics.pending == 0 }
        try collector.waitForLines(2)
        #expect(collector.text == "signed\nand sealed\n")
        #expect(collector.metrics[.malformed] == 1)
    }

    @Test func aGroupReachesItsMembers() throws {
        // Not every machine lets the loopback take part in groups.
        let source: DatagramSource
        let sink: any TransportSink
        do throws(TransportError) {
            source = try transport.open("//239.255.77.7:0?interface=lo")
            sink = try transport.openSink("//239.255.77.7:\(source.port)?interface=lo")
        } catch {
            print("multicast was not tried: \(error)")
            return
        }
        let collector = Collector(source)
        try sink.write("to all\n")
        try collector.waitForLines(1)
        #expect(collector.text == "to all\n")
        try sink.finish()
        #expect(throws: TransportError.self) { try transport.open("//239.255.77.7:0?workers=2") }
        #expect(throws: TransportError.self) { try transport.open("//239.255.77.7:0?interface=nothing0") }
    }

    @Test func drainsWhatWasSentBeforeAnInterruption() throws {
        let source = try transport.open("//:0?drain=300s")
        let peer = try Peer(udp: "127.0.0.1", source.port)
        for number in 0..<200 { peer.send("\(number)\n") }
        interruption.trigger()
        let collector = Collector(source)
        #expect(try collector.waitForEnd() != nil)
        #expect(collector.metrics.delivered + collector.metrics[.kernel] == 200)
        #expect(collector.count == Int(collector.metrics.delivered))
        // The port is free again; another program may be given it for a moment.
        var again: DatagramSource?
        try eventually("the port is free") {
            again = try? UDPTransport().open("//:\(source.port)")
            return again != nil
        }
        #expect(again?.port == source.port)
    }

    @Test func aPortBelongsToOne() throws {
        let source = try transport.open("//:0")
        #expect(throws: TransportError.self) { try transport.open("//:\(source.port)") }
        #expect(throws: TransportError.self) { try transport.openSink("//127.0.0.1:0") }
        #expect(throws: TransportError.self) { try transport.openSink("//:9") }
    }

    @Test func aBufferThatTheKernelClipsIsNoted() throws {
        let meter = TransportMeter()
        let socket = cweir_net_socket_for_tests()
        defer { cweir_net_close(socket) }
        // A gigabyte is more than any kernel is set to give, but to the privileged.
        ReceiveBuffer.grow(socket, to: 1 << 30, address: "udp:x", meter: meter)
        let notices = meter.takeNotices()
        #expect(notices.isEmpty || notices[0].contains("rmem_max") || notices[0].contains("maxsockbuf"))
        #expect(meter.takeNotices().isEmpty)
    }

    private func cweir_net_socket_for_tests() -> Int32 {
        guard let host = try? HostAddress("//:0", whole: "test", loopback: true) else { return -1 }
        return unsafe withUnsafePointer(to: host.address) { unsafe cweir_net_socket($0, SocketKind.datagram.number) }
    }

    @Test func unixDatagramsWaitInsteadOfGettingLost() throws {
        let unix = UnixDatagramTransport(interruption: interruption)
        let source = try unix.openSource(folder("d") + "?queue=1&max-datagram=2000")
        #expect(try folder.mode(of: "d") == 0o600)
        let sink = try unix.openSink(folder("d") + "?datagram=1000&linger=60s")
        for number in 0..<20_000 { try sink.write("\(number):" + String(repeating: "u", count: 60) + "\n") }
        let collector = Collector(source)
        try sink.finish()
        try collector.waitForLines(20_000)
        #expect(collector.lines.compactMap { Int($0.prefix { $0 != ":" }) } == Array(0..<20_000))
        #expect(collector.metrics.dropped == 0 && collector.metrics.isBalanced)
        #expect(sink.meter?.metrics.pending == 0)
        interruption.trigger()
        _ = try collector.waitForEnd()
        #expect(!folder.has("d"))
    }

    @Test func unixDatagramsTellWhoSentThem() throws {
        for (options, isWelcome) in [("?users=\(getuid())", true), ("?users=\(getuid() + 1)", false)] {
            let interruption = try Interruption()
            let unix = UnixDatagramTransport(interruption: interruption)
            let collector = Collector(try unix.openSource(folder("d") + options))
            try Peer(unix: folder("d"), .datagram).send("me\n")
            try eventually("it was looked at") { collector.metrics.sent == 1 && collector.metrics.pending == 0 }
            #expect(collector.metrics[.notAllowed] == (isWelcome ? 0 : 1))
            interruption.trigger()
            _ = try collector.waitForEnd()
        }
    }
}
