import Foundation
import Testing
import WeirCore
import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// `weir run` between sockets.
@Suite(.serialized) struct SocketTests {
    private let weir: WeirProcess

    init() throws { weir = try WeirProcess() }

    /// Readings with as many shakes as seconds.
    private func readings(seconds: Int) -> String {
        var text = "time,x,y,z\n"
        for index in 0..<seconds * 50 {
            let isShaken = index % 50 < 12
            let x = isShaken ? (index % 2 == 0 ? 2.5 : -2.5) : 0
            text += "\(index * 20),\(x),0,1\n"
        }
        return text
    }

    private func eventually(_ what: String, _ condition: () throws -> Bool) throws {
        let limit = Date(timeIntervalSinceNow: WeirProcess.patience)
        while try !condition() {
            try #require(Date() < limit, "\(what)")
            usleep(1000)
        }
    }

    /// What `weir` finds in a file: what it must find in the same bytes from anywhere.
    private func expected(_ text: String) throws -> String {
        try weir.file("readings.csv", text)
        let outcome = try weir.run("run", "shake", "readings.csv")
        #expect(outcome.exitCode == 0)
        #expect(!outcome.output.isEmpty, "there is something to find")
        return outcome.output
    }

    @Test func findsTheSameInAUnixSocketAndSendsItToAnother() throws {
        let text = readings(seconds: 20)
        let wanted = try expected(text)
        let output = try UnixTransport().openSource(weir.folder + "/out?accept=1")
        let running = try weir.start(
            ["run", "shake", "--from", "unix:in?accept=1", "--to", "unix:out?linger=60s"],
            input: .nothing
        )
        let sink = try UnixTransport().openSink(weir.folder + "/in?retry=20ms&linger=60s")
        try sink.write(Array(text.utf8).span)
        try sink.finish()
        #expect(try read(output) == wanted)
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errors.contains("input: 1001 sent, 1001 delivered\n"), "\(outcome.errors)")
        #expect(outcome.errors.contains("output: "), "\(outcome.errors)")
    }

    #if os(Linux)
        @Test func findsTheSameInDatagramsAndEndsInOrderWithControlC() throws {
            let text = readings(seconds: 20)
            let wanted = try expected(text)
            let port = UInt16.random(in: 20_000..<30_000)
            let running = try weir.start(
                ["run", "shake", "--from", "udp://:\(port)?sequence=true"],
                input: .nothing
            )
            let place = "0100007F:" + String(format: "%04X", port)
            try eventually("it listens") {
                try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).contains(place)
            }
            let sink = try UDPTransport().openSink("//127.0.0.1:\(port)?sequence=true&linger=60s")
            try sink.write(Array(text.utf8).span)
            try sink.finish()
            let datagrams = try #require(sink.meter?.metrics.delivered)
            kill(running.process.processIdentifier, SIGINT)
            let outcome = try running.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.output == wanted)
            #expect(outcome.errors.contains("input: \(datagrams) sent, \(datagrams) delivered\n"), "\(outcome.errors)")
        }

        @Test func takesTheSocketThatItWasStartedWith() throws {
            try weir.file(
                "start.py",
                """
                import os, socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.bind('given')
                s.listen()
                os.dup2(s.fileno(), 3)
                os.set_inheritable(3, True)
                os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1', LISTEN_FDNAMES='readings')
                os.execv(sys.argv[1], sys.argv[1:])
                """
            )
            let text = readings(seconds: 5)
            let wanted = try expected(text)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.currentDirectoryURL = URL(fileURLWithPath: weir.folder)
            process.arguments = [
                "python3", "start.py", try WeirProcess.program, "run", "shake", "--from",
                "unix:?inherit=readings&accept=1",
            ]
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            try process.run()
            let sink = try UnixTransport().openSink(weir.folder + "/given?retry=20ms&linger=60s")
            try sink.write(Array(text.utf8).span)
            try sink.finish()
            var arrivals = Arrivals(pipe)
            arrivals.waitForEnd()
            process.waitUntilExit()
            #expect(arrivals.text == wanted)
        }
    #endif

    @Test func followsAFileThatIsReplaced() throws {
        let text = readings(seconds: 10)
        let wanted = try expected(text)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0 + "\n" }.dropLast()
        try weir.file("log", lines.prefix(200).joined())
        let running = try weir.start(
            ["run", "shake", "--from", "file:log?follow=true&poll=1ms", "--to", "file:found"],
            input: .nothing
        )
        try eventually("it found something") { (try? weir.text(of: "found").isEmpty) == false }
        // Half a line, and the rest of it later; then another file takes the name.
        let path = weir.folder + "/log"
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        let middle = Array(lines[200..<300].joined().utf8)
        handle.write(Data(middle.prefix(1003)))
        handle.write(Data(middle.dropFirst(1003)))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try weir.file("log", lines[300...].joined())
        try eventually("it found all") {
            try weir.text(of: "found").split(separator: "\n").count >= wanted.split(separator: "\n").count - 1
        }
        kill(running.process.processIdentifier, SIGTERM)
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 130)
        #expect(try weir.text(of: "found") == wanted)
    }

    @Test func saysWhatIsWrongWithAnAddress() throws {
        for (address, words) in [
            ("udp://:9000?seqence=true", "did you mean 'sequence'?"),
            ("udp://:900000", "is not a port"),
            ("unix:", "the path is missing"),
            ("unxi:x", "did you mean 'unix'?"),
            ("file:readings.csv?folow=true", "did you mean 'follow'?"),
        ] {
            let outcome = try weir.run("run", "shake", "--from", address)
            #expect(outcome.exitCode == 66 || outcome.exitCode == 2, "\(address)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1)
        }
    }

    @Test func listsTheOptionsOfEveryTransport() throws {
        let text = try weir.run("list", "transports").output
        for word in ["udp", "unix-seqpacket", "workers=N", "max-line=SIZE", "spill=FILE", "follow=true|false"] {
            #expect(text.contains(word), "\(word)")
        }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 90 })
    }

    private func read(_ source: any TransportSource) throws -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        var bytes: [UInt8] = []
        while true {
            let count = unsafe try source.read(into: buffer)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            unsafe bytes += buffer.prefix(count)
        }
    }
}
