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

        /// A run that was killed behind a reload goes on with the rules of then.
        @Test func rulesThatWereReadAgainAreSaved() throws {
            try weir.file("r/a.eql", "sequence [a where true] [b where true]")
            try weir.file("in.jsonl", "")
            let words = [
                "match", "--rules", "r", "--from", "file:in.jsonl?follow=true", "--format", "jsonl", "--to", "m.jsonl",
                "--time", "time", "--state", "state",
            ]
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.jsonl"))
            // A pipe is closed with the last reference to it.
            var pipes: [Pipe] = []
            defer { withExtendedLifetime(pipes) {} }
            func started() throws -> (run: Running, said: Arrivals) {
                let errors = Pipe()
                pipes.append(errors)
                let run = try weir.start(words, input: .nothing, errors: errors.fileHandleForWriting)
                try errors.fileHandleForWriting.close()
                return (run, Arrivals(errors))
            }
            var (run, said) = try started()
            try WeirProcess.eventually("the state") { try weir.run("state", "state").exitCode == 0 }
            try weir.file("r/b.eql", "b where true")
            kill(run.process.processIdentifier, SIGHUP)
            let isNew = said.wait(for: "read the rules again: 'b' is new\n")
            #expect(isNew, "\(said.text)")
            try input.write(contentsOf: line(1, "a") + line(1, "b") + line(2, "a"))
            try WeirProcess.eventually("two matches") { (try? found()) == ["a", "b"] }
            run.process.terminate()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 130)
            (run, said) = try started()
            try input.write(contentsOf: line(3, "b"))
            try WeirProcess.eventually("two more") { try found() == ["a", "b", "a", "b"] }
            run.process.terminate()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 130)
            #expect(said.text.contains("goes on behind 3 records"), "\(said.text)")
        }

        @Test func aRuleWithAMistakeGoesOnAsItWas() throws {
            try weir.file("r/a.eql", "sequence [a where true] [b where true]")
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
            func reload(_ expected: [String]) {
                kill(run.process.processIdentifier, SIGHUP)
                for text in expected {
                    let wasSaid = said.wait(for: text + "\n")
                    #expect(wasSaid, "\(said.text)")
                    said.forget(through: text + "\n")
                }
            }
            try input.write(contentsOf: line(1, "a") + line(1, "b"))
            try WeirProcess.eventually("two matches") { (try? found()) == ["a", "b"] }
            try input.write(contentsOf: line(2, "a") + line(2, "b") + line(3, "a"))
            try WeirProcess.eventually("two more") { (try? found()) == ["a", "b", "a", "b"] }
            // Said at once, and nothing is given up.
            try weir.file("r/a.eql", "sequence [a where true]\n  [b wher true]")
            let mistake = "weir: r/a.eql:2:6: expected 'where'"
            kill(run.process.processIdentifier, SIGHUP)
            let isSaid = said.wait(for: mistake)
            #expect(isSaid, "\(said.text)")
            reload(["read the rules again: 'a' stays as it was"])
            try weir.file("r/c.eql", "b wher true")
            try weir.file("r/b.eql", "// name: d\nb where true")
            reload(["read the rules again: 'd' is new, 'b' ends, 'a' stays as it was"])
            reload(["read the rules again: 'a' stays as it was"])
            try input.write(contentsOf: line(4, "b"))
            try WeirProcess.eventually("the pending match") { try found() == ["a", "b", "a", "b", "a", "d"] }
            // A file that cannot be read leaves its rules as they were too.
            try weir.file("r/a.eql", [0xFF])
            reload(["read the rules again: 'a' stays as it was"])
            try weir.file("r/a.eql", "sequence [a where true] [b where true]")
            try FileManager.default.removeItem(atPath: weir.folder + "/r/c.eql")
            reload(["read the rules again: 'c' ends"])
            try input.write(contentsOf: line(5, "x"))
            try input.close()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("weir: 7 events read, 0 rejected, 6 matches in "), "\(said.text)")
        }

        /// Also where nothing had been read, and the rules need other fields.
        @Test func timesKeepTheirFormAndAnEmptyFileItsMatches() throws {
            try weir.file("r/a.eql", "sequence by k [a where true] [b where true]")
            try weir.file("r/x.eql", "x")
            try weir.file("in.jsonl", "")
            let errors = Pipe()
            let run = try weir.start(
                ["match", "--rules", "r", "--from", "file:in.jsonl?follow=true", "--to", "m.jsonl"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            var said = Arrivals(errors)
            func reload(_ expected: String) {
                kill(run.process.processIdentifier, SIGHUP)
                let wasSaid = said.wait(for: "read the rules again: \(expected)\n")
                #expect(wasSaid, "\(said.text)")
            }
            let isRunning = said.wait(for: "1 of 2 rules can be used\n")
            #expect(isRunning, "\(said.text)")
            try FileManager.default.removeItem(atPath: weir.folder + "/r/x.eql")
            try weir.file("r/b.eql", "b where true")
            reload("'b' is new, 'x' ends")
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.jsonl"))
            func write(_ time: Int, _ kind: String) throws {
                let time = "2026-01-01 00:00:0\(time)Z"
                try input.write(contentsOf: Data("{\"@timestamp\":\"\(time)\",\"type\":\"\(kind)\",\"k\":1}\n".utf8))
            }
            try write(1, "a")
            try write(2, "b")
            try WeirProcess.eventually("two matches") { (try? found()) == ["a", "b"] }
            try write(3, "a")
            try write(4, "c")
            try weir.file("r/c.eql", "c where not x == 1")
            reload("'c' is new")
            try write(5, "b")
            try WeirProcess.eventually("two more") { try found().suffix(2) == ["a", "b"] && found().count > 3 }
            let times = try weir.text(of: "m.jsonl").split(separator: "\n").map {
                $0.split(separator: "\"time\":")[1].prefix(22)
            }
            #expect(times.allSatisfy { $0.hasPrefix("\"2026-01-01 00:00:0") }, "\(times)")
            run.process.terminate()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 130)
            #expect(!said.text.contains("partial match"), "\(said.text)")
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
