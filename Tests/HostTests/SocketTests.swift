import Foundation
import Testing
import WeirCore
import WeirRecords
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
        try sink.write(Array(text.utf8))
        try sink.finish()
        #expect(try read(output) == wanted)
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errors.contains("input: 1001 sent, 1001 delivered\n"), "\(outcome.errors)")
        #expect(outcome.errors.contains("output: "), "\(outcome.errors)")
    }

    /// What a transport refuses is rejected like a line that a plugin refuses.
    @Test(arguments: [["run", "shake"], ["convert", "--columns", "time"]], [true, false])
    func whatATransportRefusesCountsForStrict(command: [String], isStrict: Bool) throws {
        let address = ["--from", "unix:in?accept=1&max-line=20", "--format", "csv"]
        let running = try weir.start(command + address + (isStrict ? ["--strict"] : []), input: .nothing)
        let sink = try UnixTransport().openSink(weir.folder + "/in?retry=20ms&linger=60s")
        try sink.write(Array("time,x,y,z\n0,0,0,1\n\(String(repeating: "x", count: 200))\n".utf8))
        try sink.finish()
        let outcome = try running.outcome()
        #expect(outcome.exitCode == (isStrict ? 1 : 0), "\(outcome.errors)")
        #expect(outcome.errors.contains("1 rejected (too long)"), "\(outcome.errors)")
    }

    #if os(Linux)
        @Test func findsTheSameInDatagramsAndEndsInOrderWithControlC() throws {
            let text = readings(seconds: 20)
            let wanted = try expected(text)
            let port = UInt16.random(in: 20_000..<30_000)
            let running = try weir.start(
                ["run", "shake", "--from", "udp://:\(port)?sequence=true&drain=60s"],
                input: .nothing
            )
            let place = "0100007F:" + String(format: "%04X", port)
            try WeirProcess.eventually("it listens") {
                try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).contains(place)
            }
            let sink = try UDPTransport().openSink("//127.0.0.1:\(port)?sequence=true&linger=60s")
            try sink.write(Array(text.utf8))
            try sink.finish()
            let datagrams = try #require(sink.meter?.metrics.delivered)
            kill(running.process.processIdentifier, SIGINT)
            let outcome = try running.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.output == wanted)
            #expect(outcome.errors.contains("input: \(datagrams) sent, \(datagrams) delivered\n"), "\(outcome.errors)")
        }

        @Test(arguments: [["run", "shake", "--from"], ["convert", "--columns", "time,x"]])
        func keepsWhatATransportRefusesWhileItWaitsForMore(command: [String]) throws {
            let port = UInt16.random(in: 20_000..<30_000)
            try weir.file("rejected", "of an earlier run\n")
            try weir.file("key", "a key that both sides have\n")
            #expect(unsafe chmod(weir.folder + "/key", 0o600) == 0)
            let running = try weir.start(
                command + [
                    "udp://:\(port)?key=key&max-datagram=100&drain=60s", "--rejected", "rejected", "--format", "csv",
                ],
                input: .nothing
            )
            let place = "0100007F:" + String(format: "%04X", port)
            try WeirProcess.eventually("it listens") {
                try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).contains(place)
            }
            let sink = try UDPTransport().openSink("//127.0.0.1:\(port)?lines=1&linger=60s")
            for line in ["not signed \u{1B}[31m\n", String(repeating: "x", count: 200) + "\n"] {
                try sink.write(Array(line.utf8))
            }
            try sink.finish()
            // While nothing is accepted, so that the pipeline has nothing to do.
            try WeirProcess.eventually("they are in the file") {
                try weir.text(of: "rejected") == "not signed \u{1B}[31m\n\n" + String(repeating: "x", count: 100) + "\n"
            }
            kill(running.process.processIdentifier, SIGINT)
            let outcome = try running.outcome()
            #expect(outcome.exitCode == 130)
            #expect(try weir.text(of: "rejected").hasSuffix("x\n"))
            let lines = outcome.errorLines
            #expect(lines.count { $0.contains("a message from 127.0.0.1:") } == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains(" rejected: malformed: not signed \u{FFFD}[31m"), "\(outcome.errors)")
            #expect(outcome.errors.contains(" rejected: truncated: xxx"), "\(outcome.errors)")
            #expect(outcome.errors.contains("1 rejected (truncated), 1 rejected (malformed)"), "\(outcome.errors)")
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
            try sink.write(Array(text.utf8))
            try sink.finish()
            var arrivals = Arrivals(pipe)
            arrivals.waitForEnd()
            process.waitUntilExit()
            #expect(arrivals.text == wanted)
        }
    #endif

    #if os(Linux)
        /// What a program's summary says of something, such as `pending`.
        private func number(_ word: String, in text: String) -> Int {
            let words = text.split { " ,\n".contains($0) }
            guard let index = words.firstIndex(where: { $0 == word }), index > 0 else { return 0 }
            return Int(words[index - 1]) ?? -1
        }

        @Test(arguments: ["block", "drop-newest"])
        func aSpillOnAFullDiskNeitherHangsNorLosesWhatItTook(overflow: String) throws {
            let wanted = try expected(readings(seconds: 600)).split(separator: "\n")
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.currentDirectoryURL = URL(fileURLWithPath: weir.folder)
            // No file may become longer than twenty kibibytes: to the program that is a disk that is full.
            process.arguments = [
                "-c", "ulimit -f 20; exec \"$@\" 2>errors", "bash", try WeirProcess.program, "run", "shake",
                "readings.csv",
                "--to", "unix:out?spill=kept&buffer=4096&overflow=\(overflow)&retry=20ms&linger=100ms",
            ]
            process.standardInput = FileHandle.nullDevice
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            try process.run()
            try WeirProcess.eventually("it says so") {
                (try? weir.text(of: "errors").contains("'kept' takes no more")) == true
            }
            if overflow == "block" {
                // A writer that is told to wait for room waits until it is ended.
                #expect(ended.wait(timeout: .now() + .milliseconds(200)) == .timedOut)
                kill(process.processIdentifier, SIGINT)
            }
            #expect(ended.wait(timeout: .now() + WeirProcess.patience) == .success, "it hangs")
            let errors = try weir.text(of: "errors")
            #expect(process.terminationReason == .exit && process.terminationStatus == 74, "\(errors)")
            #expect(
                errors.split(separator: "\n").count { $0.contains("takes no more: file too large") } == 1,
                "\(errors)"
            )
            let kept = number("pending", in: errors)
            let lost = wanted.count - kept
            #expect(kept > 50 && lost > 50, "\(errors)")
            if overflow == "drop-newest" {
                #expect(errors.contains("dropped (queue full)"), "\(errors)")
                #expect(errors.contains("output: \(wanted.count) sent"), "\(errors)")
            }
            #expect(try weir.contents(of: "kept").count <= 20 << 10)

            // The receiver is there again, and the disk has room: what was kept comes in order, and nothing of it twice.
            try weir.file("nothing.csv", "time,x,y,z\n")
            let output = try UnixTransport().openSource(weir.folder + "/out?accept=1")
            let outcome = try weir.run("run", "shake", "nothing.csv", "--to", "unix:out?spill=kept&linger=60s")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("goes on with \(kept) messages"), "\(outcome.errors)")
            let arrived = try read(output).split(separator: "\n")
            let places = arrived.compactMap { wanted.firstIndex(of: $0) }
            #expect(arrived.count == kept && places.count == kept)
            #expect(zip(places, places.dropFirst()).allSatisfy(<), "twice, or out of order")
            if overflow == "block" {
                // With `drop-newest` any message may miss: it depends on how far the writer of the spill is behind.
                #expect(places == Array(0..<kept))
            }
            #expect(try weir.contents(of: "kept").count == 16)
        }
    #endif

    @Test func convertsToASocketWithoutLosingTheEnd() throws {
        let output = try UnixTransport().openSource(weir.folder + "/out?accept=1")
        try weir.file("numbers.csv", "n\n" + (0..<5000).map { "\($0)\n" }.joined())
        let outcome = try weir.run("convert", "numbers.csv", "--to", "unix:out?linger=60s")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(try read(output) == (0..<5000).map { "{\"n\":\($0)}\n" }.joined())
        #expect(outcome.errors.contains("output: 5000 sent, 5000 delivered\n"), "\(outcome.errors)")
    }

    @Test(arguments: [true, false])
    func takesAndSendsFrames(isInAddress: Bool) throws {
        func framed(_ text: String) -> [UInt8] {
            text.split(separator: "\n").flatMap { line in
                (0..<4).map { UInt8(truncatingIfNeeded: line.utf8.count >> (24 - 8 * $0)) } + Array(line.utf8)
            }
        }
        let text = readings(seconds: 20)
        let wanted = try expected(text)
        let output = try UnixTransport().openSource(weir.folder + "/out?accept=1&framing=length")
        let running = try weir.start(
            ["run", "shake", "--from", "unix:in?accept=1" + (isInAddress ? "&framing=length" : "")]
                + (isInAddress ? [] : ["--framing", "length"]) + ["--to", "unix:out?framing=length&linger=60s"],
            input: .nothing
        )
        let sink = try UnixTransport().openSink(weir.folder + "/in?framing=length&retry=20ms&linger=60s")
        try sink.write(framed(text))
        try sink.finish()
        #expect(try bytes(of: output) == framed(wanted))
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errors.contains("input: 1001 sent, 1001 delivered\n"), "\(outcome.errors)")
    }

    @Test func aMistakeInAnAddressIsFoundBeforeAnythingIsOpened() throws {
        try weir.file("readings.csv", readings(seconds: 2))
        try weir.file("precious.txt", "precious")
        let outcome = try weir.run(
            "run",
            "shake",
            "readings.csv",
            "--to",
            "precious.txt",
            "--to",
            "unix:out?liger=1s"
        )
        #expect(outcome.exitCode == 2)
        #expect(outcome.errors.hasSuffix("there is no option 'liger'; did you mean 'linger'?\n"), "\(outcome.errors)")
        #expect(try weir.text(of: "precious.txt") == "precious")
    }

    @Test func followsAFileThatIsReplaced() throws {
        let text = readings(seconds: 10)
        let wanted = try expected(text)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0 + "\n" }.dropLast()
        try weir.file("log", lines.prefix(200).joined())
        let running = try weir.start(
            ["run", "shake", "--from", "file:log?follow=true&poll=1ms", "--to", "file:found"],
            input: .nothing
        )
        try WeirProcess.eventually("it found something") { (try? weir.text(of: "found").isEmpty) == false }
        // Half a line, and the rest of it later; then another file takes the name.
        let path = weir.folder + "/log"
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        let middle = Array(lines[200..<300].joined().utf8)
        handle.write(Data(middle.prefix(1003)))
        handle.write(Data(middle.dropFirst(1003)))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try weir.file("log", lines[300...].joined())
        try WeirProcess.eventually("it found all") {
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
            ("udp://:-0", "is not a port"),
            ("udp://:9000?allow=10.0.0.1/8", "is not a range"),
            ("udp://:9000?framing=lenght", "did you mean 'length'?"),
            ("unix:s?framing=datagram", "is not one of newline, length"),
            ("unix:s?idle=5", "is not a duration"),
            ("unix:s?mode=-0", "is not a mode"),
            ("unix:s?users=nobody-of-that-name", "there is no user"),
            ("unix:s?max-line=64K", "is not a size"),
            ("file:readings.csv?framing=length", "--framing says how its bytes are cut"),
            ("stdin:x", "standard input has no address"),
            ("unix:", "the path is missing"),
            ("unxi:x", "did you mean 'unix'?"),
            ("file:readings.csv?folow=true", "did you mean 'follow'?"),
        ] {
            let outcome = try weir.run("run", "shake", "--from", address)
            #expect(outcome.exitCode == 2, "\(address)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1)
        }
        for (arguments, words) in [
            (["--from", "unix:s?framing=newline", "--framing", "length"], "contradicts 'framing=newline'"),
            (["--from", "unix:s", "--format", "binary"], "has no lines"),
            (["--from", "stdin", "--to", "stdin"], "standard input cannot be written to"),
        ] {
            let outcome = try weir.start(["run", "shake"] + arguments, input: .nothing).outcome()
            #expect(outcome.exitCode == 2, "\(arguments)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
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
        String(decoding: try bytes(of: source), as: UTF8.self)
    }

    private func bytes(of source: any TransportSource) throws -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        var bytes: [UInt8] = []
        while true {
            let count = unsafe try source.read(into: buffer)
            guard count > 0 else { return bytes }
            unsafe bytes += buffer.prefix(count)
        }
    }
}
