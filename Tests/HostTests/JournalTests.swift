import Foundation
import TestPlugins
import Testing
import WeirCore

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// What sockets and standard input bring survives a kill.
    @Suite struct JournalTests {
        private let weir: WeirProcess
        private static let options = ["--quiet-period", "0", "--threshold", "1", "--columns", "time=t"]

        init() throws {
            weir = try WeirProcess()
        }

        /// Sends lines over a Unix socket, and reads how many of them are safe.
        private final class Sender {
            private let descriptor: Int32
            private var told: [UInt8] = []
            private(set) var safeCount = 0

            init?(to path: String) {
                descriptor = socket(AF_UNIX, Int32((SOCK_STREAM).rawValue), 0)
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
                let descriptor = descriptor
                let isConnected = unsafe withUnsafePointer(to: &address) {
                    unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                // What was opened is closed by the end of the object.
                guard isConnected == 0 else { return nil }
            }

            deinit { close(descriptor) }

            /// - Returns: False when the other side has gone.
            func send(_ text: String) -> Bool {
                var bytes = Array(text.utf8)[...]
                while !bytes.isEmpty {
                    let part = Array(bytes)
                    let count = unsafe Glibc.send(descriptor, part, part.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return false }
                    bytes = bytes.dropFirst(count)
                }
                return true
            }

            /// Waits until some number is safe.
            ///
            /// - Returns: False when the other side has gone.
            func wait(for count: Int) -> Bool {
                while safeCount < count {
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    let found = unsafe recv(descriptor, &buffer, buffer.count, 0)
                    guard found > 0 else { return false }
                    told += buffer.prefix(found)
                    while let end = told.firstIndex(of: UInt8(ascii: "\n")) {
                        safeCount = Int(String(decoding: told[..<end], as: UTF8.self)) ?? -1
                        told.removeSubrange(...end)
                    }
                }
                return true
            }
        }

        private func rows(_ count: Int, seed: UInt64) -> [String] {
            var random = SeededGenerator(seed: seed)
            return (0..<count).map { row in
                "{\"t\":\(1_000_000 + row * 20),\"x\":\(Int.random(in: 0..<3, using: &random)),\"y\":0,\"z\":0}"
            }
        }

        /// A sender that sends again what it was not told to be safe; the plugin refuses what goes back in time.
        @Test(arguments: 1...3 as ClosedRange<UInt64>)
        func aSocketThatIsAnsweredLosesNothing(seed: UInt64) throws {
            let rows = rows(3000, seed: seed)
            try weir.file("all.jsonl", rows.joined(separator: "\n") + "\n")
            let plain = ["run", "shake"] + Self.options
            #expect(try weir.start(plain + ["all.jsonl", "--to", "w.jsonl"], input: .nothing).outcome().exitCode == 0)
            let expected = try weir.text(of: "w.jsonl")
            #expect(expected.utf8.count > 10_000)
            let path = weir.folder + "/s"
            let words =
                plain + [
                    "--from", "unix:\(path)?ack=true", "--format", "jsonl", "--to", "m.jsonl", "--state", "state",
                    "--checkpoint", "20ms", "--journal",
                ]
            var random = SeededGenerator(seed: seed)
            var safe = 0
            var kills = 0
            while safe < rows.count {
                let run = try weir.start(words, input: .nothing)
                var sender: Sender?
                try WeirProcess.eventually("the socket") {
                    sender = Sender(to: path)
                    return sender != nil
                }
                let first = safe
                let end = Int.random(in: 1...rows.count, using: &random)
                while let sender, safe < rows.count {
                    let part = rows[safe..<min(rows.count, safe + Int.random(in: 1...200, using: &random))]
                    guard sender.send(part.joined(separator: "\n") + "\n") else { break }
                    guard safe < end || kills >= 8 else { break }
                    guard sender.wait(for: safe - first + part.count) else { break }
                    safe = first + sender.safeCount
                }
                // What was sent and not said to be safe may be kept or not.
                kills += 1
                if safe == rows.count {
                    // What is safe is processed, in its time.
                    try WeirProcess.eventually("all matches") {
                        ((try? weir.text(of: "m.jsonl")) ?? "").utf8.count >= expected.utf8.count
                    }
                }
                kill(run.process.processIdentifier, safe < rows.count ? SIGKILL : SIGTERM)
                let outcome = try run.outcome()
                #expect(outcome.exitCode == (safe < rows.count ? -SIGKILL : 130), "\(outcome.errors)")
            }
            #expect(try weir.text(of: "m.jsonl") == expected, "seed \(seed), \(kills) kills")
            print("weir --journal: seed \(seed), \(kills) runs")
        }

        /// What standard input brought before a kill is read again from the journal.
        @Test func standardInputIsNotLost() throws {
            let rows = ["t,x,y,z"] + (0..<600).map { "\($0 * 20),\($0 % 2 * 3),0,0" }
            try weir.file("all.csv", rows.joined(separator: "\n") + "\n")
            let plain = ["run", "shake"] + Self.options
            #expect(try weir.start(plain + ["all.csv", "--to", "w.jsonl"], input: .nothing).outcome().exitCode == 0)
            let expected = try weir.text(of: "w.jsonl")
            let words =
                plain + [
                    "--from", "stdin", "--format", "csv", "--to", "m.jsonl", "--state", "state", "--checkpoint", "1h",
                    "--journal",
                ]
            var place = 0
            for end in [100, 101, 350, rows.count] {
                let pipe = Pipe()
                let run = try weir.start(words, input: .pipe(pipe))
                try pipe.fileHandleForWriting.write(
                    contentsOf: Data((rows[place..<end].joined(separator: "\n") + "\n").utf8)
                )
                place = end
                // Two rows in a row are a match.
                try WeirProcess.eventually("\(end) rows") {
                    ((try? weir.text(of: "m.jsonl")) ?? "").utf8.count { $0 == UInt8(ascii: "\n") } == end - 2
                }
                if end < rows.count {
                    kill(run.process.processIdentifier, SIGKILL)
                } else {
                    try pipe.fileHandleForWriting.close()
                }
                let outcome = try run.outcome()
                #expect(outcome.exitCode == (end < rows.count ? -SIGKILL : 0), "\(outcome.errors)")
                #expect(!outcome.errors.contains("cannot be read again"), "\(outcome.errors)")
            }
            #expect(try weir.text(of: "m.jsonl") == expected)
        }

        /// A journal that is damaged is refused, or read up to the damage, and then the run says so.
        @Test func damageIsRefusedOrDropped() throws {
            let rows = ["t,x,y,z"] + (0..<600).map { "\($0 * 20),\($0 % 2 * 3),0,0" }
            let words =
                ["run", "shake"] + Self.options + [
                    "--from", "stdin", "--format", "csv", "--to", "m.jsonl", "--state", "state", "--checkpoint", "1h",
                    "--journal",
                ]
            func matchCount() -> Int { ((try? weir.text(of: "m.jsonl")) ?? "").utf8.count { $0 == UInt8(ascii: "\n") } }
            // A message of the journal for each half.
            var pipe = Pipe()
            var run = try weir.start(words, input: .pipe(pipe))
            for end in [300, 600] {
                let text = rows[end - 300..<end].joined(separator: "\n") + "\n"
                try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
                try WeirProcess.eventually("\(end) rows") { matchCount() == end - 2 }
            }
            kill(run.process.processIdentifier, SIGKILL)
            _ = try run.outcome()
            let folder = weir.folder + "/state"
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("journal-") }
            )
            let file = try #require(FileHandle(forUpdatingAtPath: folder + "/" + name))
            try file.seek(toOffset: file.seekToEnd() - 100)
            try file.write(contentsOf: Data([0xFF]))
            try file.close()
            let refused = try weir.start(words, input: .nothing).outcome()
            #expect(refused.exitCode == 66 && refused.errors.contains("--state-mismatch drop"), "\(refused.errors)")
            pipe = Pipe()
            run = try weir.start(words + ["--state-mismatch", "drop"], input: .pipe(pipe))
            try pipe.fileHandleForWriting.close()
            let dropped = try run.outcome()
            #expect(dropped.exitCode == 0, "\(dropped.errors)")
            #expect(
                dropped.errorLines.count { $0.contains("what stood behind that is dropped") } == 1,
                "\(dropped.errors)"
            )
            #expect(matchCount() == 298)
        }

        @Test func whatMakesNoSenseIsRefused() throws {
            try weir.file("a.csv", "time,x,y,z\n")
            func refused(_ words: [String], _ reason: String) throws {
                let outcome = try weir.start(["run", "shake"] + words, input: .nothing).outcome()
                #expect(outcome.exitCode == 2, "\(outcome.errors)")
                #expect(outcome.errors.contains(reason), "\(outcome.errors)")
                #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
            }
            let socket = ["--from", "unix:\(weir.folder)/s", "--format", "jsonl"]
            try refused(socket + ["--journal"], "--journal is of use only with --state DIR")
            try refused(["a.csv", "--state", "s", "--journal"], "the inputs can be read again without it")
            try refused(
                ["a.csv", "--state", "s", "--journal-limit", "1MiB"],
                "--journal-limit is of use only with --journal"
            )
            let asked = ["--from", "unix:\(weir.folder)/s?ack=true", "--format", "jsonl"]
            try refused(asked, "add --state DIR --journal")
            try refused(asked + ["--state", "s"], "add --state DIR --journal")
            try refused(
                asked + ["--state", "s", "--journal", "--journal-full", "lose"],
                "--journal-full lose goes on with what is not"
            )
            try refused(
                ["--from", "stdin", "--format", "json", "--state", "s", "--journal"],
                "is known by its start alone"
            )
            let query = [
                "match", "any where true", "--from", "stdin", "--format", "jsonl", "--state", "s", "--journal",
            ]
            let outcome = try weir.start(query, input: .nothing).outcome()
            #expect(outcome.exitCode == 2 && outcome.errors.contains("with --format and --time"), "\(outcome.errors)")
        }

        /// `weir record` tells its senders too: what is in the file is safe.
        @Test func aRecordingAnswers() throws {
            let path = weir.folder + "/s"
            let run = try weir.start(["record", "unix:\(path)?ack=true&accept=1", "a.rec"], input: .nothing)
            var sender: Sender?
            try WeirProcess.eventually("the socket") {
                sender = Sender(to: path)
                return sender != nil
            }
            let isSent = sender?.send("a\nb\n\(String(repeating: "x", count: 70_000))\nc\n") ?? false
            #expect(isSent)
            // The line that is too long was refused, which is an answer too.
            let isSafe = sender?.wait(for: 4) ?? false
            #expect(isSafe)
            #expect(sender?.safeCount == 4)
            // Also where nothing that is kept follows.
            let isSentAlone = sender?.send("\(String(repeating: "x", count: 70_000))\n") ?? false
            let isTold = sender?.wait(for: 5) ?? false
            #expect(isSentAlone && isTold)
            sender = nil
            #expect(try run.outcome().exitCode == 0)
        }
    }
}
