import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// The inputs of pipelines that another configuration changes.
    @Suite struct ReloadedInputTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private func configure(_ pipeline: String) throws {
            try weir.file("c.json", "{\"pipelines\": {\(pipeline)}}")
        }

        private func start(_ errors: Pipe) throws -> Running {
            let run = try weir.start(
                ["run", "--config", "c.json"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            return run
        }

        /// What changes the making of records, and what that is changed to, in turn.
        private static let changesOfReading = [
            ["\"max-line\": \"4KiB\"", "\"max-line\": \"8KiB\""], ["\"lateness\": \"10ms\"", "\"lateness\": \"20ms\""],
            ["\"max-ahead\": \"none\"", "\"lateness\": \"10ms\""],
            ["\"columns\": {\"x\": \"v\"}", "\"threshold\": 1.5"],
        ]

        /// The socket stays open: the sender notices nothing, and every message arrives.
        @Test(arguments: ["unix-dgram", "unix"], changesOfReading)
        func aSocketLosesNothing(scheme: String, changes: [String]) throws {
            func configure(_ change: String) throws {
                try self.configure(
                    #""one": {"plugin": "shake", "from": "\#(scheme):in?drain=60s", "format": "jsonl", "to": "m.jsonl", \#(change)}"#
                )
            }
            try configure(changes[0])
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let sender = try Sender(to: weir.folder + "/in", inDatagrams: scheme == "unix-dgram")
            var count = 0
            func send(_ number: Int) throws {
                for _ in 0..<number {
                    // An hour apart, so that none is late where the clock goes on meanwhile.
                    try sender.send("{\"time\": \(count * 3_600_000), \"x\": 0, \"y\": 0, \"z\": 1, \"v\": 0}\n")
                    count += 1
                }
            }
            try send(50)
            for round in 1...10 {
                try configure(changes[round % 2])
                kill(run.process.processIdentifier, SIGHUP)
                try send(50)
                let wasRead = said.wait(for: "'one' changed\n")
                try #require(wasRead)
                said.forget(through: "'one' changed\n")
            }
            run.process.interrupt()
            said.waitForEnd()
            _ = try run.outcome()
            #expect(said.text.contains("input: \(count) sent, \(count) delivered\n"), "\(said.text)")
            #expect(said.text.contains("interrupted; \(count) events read, 0 rejected, "), "\(said.text)")
        }

        /// The place in the file is kept, also within a line.
        @Test(arguments: changesOfReading) func aFollowedFileIsNotReadAgain(changes: [String]) throws {
            func configure(_ change: String) throws {
                try self.configure(
                    #""one": {"plugin": "shake", "from": "file:in.csv?follow=true&poll=2ms", "format": "csv", "#
                        + #""to": "m.jsonl", "rejected": "r.txt", \#(change)}"#
                )
            }
            try weir.file("in.csv", "time,x,y,z,v\n0,0,0,1,0\n20,2,0,1,0\nfirst\n4")
            try configure(changes[1])
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let wasRead = said.wait(for: "line 4 rejected")
            #expect(wasRead)
            for change in [changes[0], changes[1]] {
                try configure(change)
                kill(run.process.processIdentifier, SIGHUP)
                let wasChanged = said.wait(for: "'one' changed\n")
                try #require(wasChanged)
                said.forget(through: "'one' changed\n")
            }
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.csv"))
            try input.seekToEnd()
            try input.write(contentsOf: Data("00,0,0,1,0\nsecond\n".utf8))
            try WeirProcess.eventually("the second line") {
                (try? weir.text(of: "r.txt"))?.contains("second") ?? false
            }
            run.process.interrupt()
            said.waitForEnd()
            _ = try run.outcome()
            #expect(try weir.text(of: "r.txt") == "first\nsecond\n")
            #expect(try weir.text(of: "m.jsonl") == jerkMatch)
            #expect(said.text.contains("3 events read, 2 rejected, 1 match in "), "\(said.text)")
            #expect(!said.text.contains("beginning"))
        }

        /// Several inputs, of which one is silent: what was read by then goes to the old rules, the rest to the new.
        @Test(arguments: [1, 2]) func whatIsReadAfterAChangeIsJudgedByTheNewRules(inputs: Int) throws {
            let names = ["a.fifo", "b.fifo"].prefix(inputs)
            func configure(_ column: String) throws {
                let from = names.map { "\"\($0)\"" }.joined(separator: ", ")
                try self.configure(
                    #""one": {"plugin": "shake", "from": [\#(from)], "format": "jsonl", "#
                        + #""to": "m.jsonl", "columns": {"x": "\#(column)"}}"#
                )
            }
            for name in names { #expect(unsafe mkfifo(weir.folder + "/" + name, 0o600) == 0) }
            try configure("p")
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let pipes = try names.map { try #require(FileHandle(forWritingAtPath: weir.folder + "/\($0)")) }
            /// Two readings that differ by as much as two of the fields say.
            func readings(_ time: Int, p: Int, q: Int) -> String {
                "{\"time\": \(time), \"p\": 0, \"q\": 0, \"y\": 0, \"z\": 1}\n"
                    + "{\"time\": \(time + 20), \"p\": \(p), \"q\": \(q), \"y\": 0, \"z\": 1}\n"
            }
            func matches() -> Int { (try? weir.text(of: "m.jsonl"))?.split(separator: "\n").count ?? 0 }
            let cut = readings(100_000, p: 5, q: 0)
            try pipes[0].write(contentsOf: Data((readings(0, p: 5, q: 0) + cut.prefix(20)).utf8))
            try WeirProcess.eventually("a match of the old rules") { matches() == 1 }
            func change(_ column: String) throws {
                try configure(column)
                kill(run.process.processIdentifier, SIGHUP)
                let wasRead = said.wait(for: "'one' changed\n")
                try #require(wasRead)
                said.forget(through: "'one' changed\n")
            }
            try change("q")
            try pipes[0].write(contentsOf: Data((cut.dropFirst(20) + readings(200_000, p: 0, q: 5)).utf8))
            try WeirProcess.eventually("a match of the new rules") {
                try weir.text(of: "m.jsonl").contains("{\"time\":200020,")
            }
            try change("r")
            for pipe in pipes { try pipe.close() }
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("6 events read, 0 rejected, 2 matches in "), "\(said.text)")
            // The last plugin saw nothing, and has nothing to say of it.
            #expect(!said.text.contains("no record"), "\(said.text)")
        }
    }
}

/// Sends to a socket with a path, without trying again.
private final class Sender {
    private let descriptor: Int32

    /// Creates a sender, once the socket is there.
    init(to path: String, inDatagrams: Bool) throws {
        #if os(Linux)
            let kind = Int32((inDatagrams ? SOCK_DGRAM : SOCK_STREAM).rawValue)
        #else
            let kind = inDatagrams ? SOCK_DGRAM : SOCK_STREAM
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let descriptor = descriptor
        try WeirProcess.eventually("the socket") {
            unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            } == 0
        }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        #if os(Linux)
            let count = unsafe Glibc.send(descriptor, bytes, bytes.count, 0)
        #else
            let count = unsafe Darwin.send(descriptor, bytes, bytes.count, 0)
        #endif
        try #require(count == bytes.count, "error \(errno)")
    }
}
