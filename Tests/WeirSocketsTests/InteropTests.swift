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

/// With the programs that people have: `socat`, `nc`, `logger`, `python3`.
///
/// A test whose program is missing is skipped, and says so.
@Suite(.serialized) struct InteropTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(.enabled(if: Program.has("socat"), "needs socat"))
    func socatSends() throws {
        let unix = Collector(try UnixTransport().openSource(folder("s") + "?accept=1"))
        let text = (0..<5000).map { "{\"n\":\($0)}" }.joined(separator: "\n") + "\n"
        let sender = try Program(["socat", "-u", "-", "UNIX-CONNECT:" + folder("s")], input: text)
        #expect(try sender.waitForEnd() == 0)
        #expect(try unix.waitForEnd() == nil)
        #expect(unix.text == text)
        let source = try UDPTransport().open("//[::1]:0")
        let udp = Collector(source)
        #expect(
            try Program(["socat", "-u", "-", "UDP6-SENDTO:[::1]:\(source.port)"], input: "hello\n").waitForEnd() == 0
        )
        try udp.waitForLines(1)
        #expect(udp.text == "hello\n")
    }

    @Test(.enabled(if: Program.has("nc"), "needs nc"))
    func ncSendsAndReads() throws {
        let collector = Collector(try UnixTransport().openSource(folder("s") + "?accept=1"))
        let sender = try Program(["nc", "-N", "-U", folder("s")], input: "from nc\n")
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "from nc\n")
        #expect(try sender.waitForEnd() == 0)

        let sink = try UnixTransport().openSink(folder("t") + "?retry=20ms&linger=60s")
        let reader = try Program(["nc", "-l", "-U", folder("t")], outputPath: folder("out"))
        try sink.write("one\ntwo\n")
        try sink.finish()
        _ = try reader.waitForEnd()
        #expect(try String(contentsOfFile: folder("out"), encoding: .utf8) == "one\ntwo\n")
    }

    @Test(.enabled(if: Program.has("nc"), "needs nc"))
    func aReaderThatIsStoppedCostsOnlyWhatItsOwnBufferHolds() throws {
        let sink = try UnixTransport().openSink(
            folder("t") + "?retry=20ms&buffer=64KiB&spill=\(folder("spill"))&linger=60s"
        )
        let reader = try Program(["nc", "-l", "-U", folder("t")], outputPath: folder("out"))
        try sink.write("0\n")
        try eventually("it reads") { (try? String(contentsOfFile: folder("out"), encoding: .utf8)) == "0\n" }
        reader.signal(SIGSTOP)
        // More than the buffers of the kernel and the sink hold; the spill takes it, and the writer does not wait.
        let filler = String(repeating: "x", count: 100)
        for number in 1..<20_000 { try sink.write("\(number) \(filler)\n") }
        let metrics = try #require(sink.meter?.metrics)
        #expect(metrics.pending > 1000 && metrics.isBalanced)
        #expect(try FileManager.default.attributesOfItem(atPath: folder("spill"))[.size] as? Int ?? 0 > 100_000)
        reader.signal(SIGCONT)
        try sink.finish()
        _ = try reader.waitForEnd()
        let lines = try String(contentsOfFile: folder("out"), encoding: .utf8).split(separator: "\n")
        #expect(lines.compactMap { Int($0.prefix { $0 != " " }) } == Array(0..<20_000))
    }

    @Test(.enabled(if: Program.has("logger"), "needs logger"))
    func loggerSends() throws {
        let interruption = try Interruption()
        let collector = Collector(
            try UnixDatagramTransport(interruption: interruption).openSource(folder("log"))
        )
        #expect(
            try Program(["logger", "--socket", folder("log"), "--rfc3164", "to whom it may concern"]).waitForEnd() == 0
        )
        try collector.waitForLines(1)
        #expect(collector.text.hasSuffix("to whom it may concern\n"))
        let source = try UDPTransport().open("//:0")
        let udp = Collector(source)
        let arguments = ["logger", "--udp", "--server", "127.0.0.1", "--port", "\(source.port)", "over the wire"]
        #expect(try Program(arguments).waitForEnd() == 0)
        try udp.waitForLines(1)
        #expect(udp.text.hasSuffix("over the wire\n"))
        interruption.trigger()
        _ = try collector.waitForEnd()
    }

    @Test(.enabled(if: Program.has("python3"), "needs python3"))
    func aSenderIsKilledInTheMiddleOfALine() throws {
        let collector = Collector(try UnixTransport().openSource(folder("s")))
        let script = """
            import socket, sys, time
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(b'whole 1\\nwhole 2\\nhal')
            time.sleep(600)
            """
        let senders = try (0..<3).map { _ in try Program(["python3", "-c", script, folder("s")]) }
        try collector.waitForLines(6)
        for sender in senders { sender.signal(SIGKILL) }
        try eventually("all are gone") { collector.metrics.openConnections == 0 }
        #expect(collector.metrics.delivered == 6 && collector.metrics[.unfinished] == 3 && collector.metrics.isBalanced)
    }

    @Test(.enabled(if: Program.has("python3"), "needs python3"))
    func pythonSealsAsIsWrittenInTheManual() throws {
        let key = try folder.write("key", "0123456789abcdef0123456789abcdef\n")
        let source = try UDPTransport().open("//:0?key=\(key)")
        let collector = Collector(source)
        let script = """
            import hashlib, hmac, os, socket, struct, sys, time
            key = open(sys.argv[2], 'rb').read().strip()
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sender = int.from_bytes(os.urandom(8), 'big')
            for sequence in range(10):
                data = b'WD' + bytes([1, 1, 0, 0, 0, 0])
                data += struct.pack('>QQQ', sender, sequence, time.time_ns()) + b'event %d\\n' % sequence
                s.sendto(data + hmac.new(key, data, hashlib.sha256).digest(), ('127.0.0.1', int(sys.argv[1])))
            """
        #expect(try Program(["python3", "-c", script, "\(source.port)", key]).waitForEnd() == 0)
        try collector.waitForLines(10)
        #expect(collector.lines == (0..<10).map { "event \($0)" })
        #expect(collector.metrics.lost == 0)
    }

    @Test(.enabled(if: Program.has("python3"), "needs python3"))
    func aStarterHandsASocketOver() throws {
        // The tests cannot be started again with a socket, so this looks at one that was given a number as systemd does.
        let listener = try SocketListener(
            UnixSettings(place: .file(folder("s"))),
            kind: .stream,
            inherited: .none,
            address: "test"
        )
        let variables = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "\(listener.descriptor - 2)"]
        let sockets = InheritedSockets(environment: { variables[$0] }, process: getpid())
        let number = listener.descriptor - 3
        // It stays open: a pipeline that is started again takes it again.
        for text in ["handed over\n", "and again\n"] {
            let collector = Collector(
                try UnixTransport(inherited: sockets).openSource("?inherit=\(number)&accept=1")
            )
            let peer = try Peer(unix: folder("s"))
            peer.send(text)
            peer.close()
            #expect(try collector.waitForEnd() == nil)
            #expect(collector.text == text)
        }
        #expect(throws: TransportError.self) { try UDPTransport(inherited: sockets).open("?inherit=\(number)") }
        #expect(cweir_net_is_listening(listener.descriptor))
        listener.close()
    }
}
