import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// Rules that are read again while their input goes on.
    @Suite struct RuleReloadTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
            try FileManager.default.createDirectory(atPath: weir.folder + "/r", withIntermediateDirectories: true)
            #expect(unsafe mkfifo(weir.folder + "/in.fifo", 0o600) == 0)
        }

        private func line(_ time: Int, _ kind: String) -> Data {
            Data("{\"time\":\(time),\"type\":\"\(kind)\"}\n".utf8)
        }

        private func found() throws -> [String] {
            try weir.text(of: "m.jsonl").split(separator: "\n").map { try MatchLine($0).rule ?? "" }
        }

        @Test func rulesComeChangeAndGo() throws {
            try weir.file("r/a.eql", "a where true")
            try weir.file("r/b.eql", "b where true")
            let errors = Pipe()
            let run = try weir.start(
                ["match", "--rules", "r", "in.fifo", "--format", "jsonl", "--to", "m.jsonl"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            var said = Arrivals(errors)
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.fifo"))
            func reload(_ expected: String) {
                kill(run.process.processIdentifier, SIGHUP)
                let wasSaid = said.wait(for: expected + "\n")
                #expect(wasSaid, "\(said.text)")
                said.forget(through: expected + "\n")
            }
            for kind in ["a", "b", "c"] { try input.write(contentsOf: line(1, kind)) }
            try WeirProcess.eventually("two matches") { (try? found()) == ["a", "b"] }
            reload("read the rules again: nothing changed")
            try weir.file("r/c.eql", "c where true")
            try weir.file("r/b.eql", "// name: b\nc where true")
            try FileManager.default.removeItem(atPath: weir.folder + "/r/a.eql")
            reload("read the rules again: 'b' changed, 'c' is new, 'a' ends")
            for kind in ["a", "b", "c"] { try input.write(contentsOf: line(2, kind)) }
            try WeirProcess.eventually("two more") { try found() == ["a", "b", "b", "c"] }
            // Where no rule is left, all goes on as before.
            try weir.file("r/c.eql", "c wher true")
            try weir.file("r/b.eql", "b wher true")
            reload("the rules stay as they were")
            try input.write(contentsOf: line(3, "c"))
            try WeirProcess.eventually("two more") { try found() == ["a", "b", "b", "c", "b", "c"] }
            try input.close()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("weir: 7 events read, 0 rejected, 6 matches in "), "\(said.text)")
        }

        /// Of the pending matches, those of the rule that changed are given up, also the one that waits for an absence.
        @Test func rulesThatDoNotChangeKeepTheirPendingMatches() throws {
            try weir.file("r/a.eql", "sequence [a where true] [b where true]")
            try weir.file("r/b.eql", "sequence [a where true] [c where true]")
            try weir.file("r/c.eql", "sequence with maxspan=1m [a where true] ![c where true]")
            try weir.file("r/x.eql", "x where true")
            let errors = Pipe()
            let run = try weir.start(
                ["match", "--rules", "r", "in.fifo", "--format", "jsonl", "--to", "m.jsonl"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            var said = Arrivals(errors)
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.fifo"))
            try input.write(contentsOf: line(1, "b") + line(1, "a") + line(1, "x"))
            try WeirProcess.eventually("they are read") { (try? found()) == ["x"] }
            try weir.file("r/d.eql", "b where true")
            kill(run.process.processIdentifier, SIGHUP)
            let isNew = said.wait(for: "read the rules again: 'd' is new\n")
            #expect(isNew, "\(said.text)")
            try input.write(contentsOf: line(2, "b"))
            try WeirProcess.eventually("two matches") { (try? found()) == ["x", "a", "d"] }
            try weir.file("r/b.eql", "sequence [a where true] [c where true] [c where true]")
            kill(run.process.processIdentifier, SIGHUP)
            let isOther = said.wait(for: "read the rules again: 'b' changed\n")
            #expect(isOther, "\(said.text)")
            try input.write(contentsOf: line(3, "c") + line(100_000, "x"))
            try input.close()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(try found() == ["x", "a", "d", "x"], "\(said.text)")
            #expect(said.text.contains("1 partial match"), "\(said.text)")
        }

        @Test func aConfigurationIsChangedByItsRules() throws {
            try weir.file("r/a.eql", "a where true")
            try weir.file(
                "c.json",
                #"{"pipelines": {"p": {"rules": "r", "from": "in.fifo", "format": "jsonl", "to": "m.jsonl"}}}"#
            )
            let errors = Pipe()
            let run = try weir.start(
                ["run", "--config", "c.json", "--control", "none"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            var said = Arrivals(errors)
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.fifo"))
            try input.write(contentsOf: line(1, "a"))
            try WeirProcess.eventually("a match") { (try? found()) == ["a"] }
            try weir.file("r/b.eql", "a where true")
            kill(run.process.processIdentifier, SIGHUP)
            let wasSaid = said.wait(for: "read 'c.json' again: 'p' changed\n")
            #expect(wasSaid, "\(said.text)")
            try input.write(contentsOf: line(2, "a"))
            try WeirProcess.eventually("two more") { try found() == ["a", "a", "b"] }
            try input.close()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
        }
    }
}
