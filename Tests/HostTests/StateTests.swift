import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords
import WeirState

@testable import weir

#if canImport(Glibc)
    import Glibc
#endif

extension String {
    fileprivate var lines: [Substring] { split(separator: "\n") }
}

extension HostTests {
    /// Runs that go on where others ended or were killed.
    @Suite struct StateTests {
        @Test func rulesThatChangeAreSaidAndTheOthersGoOn() throws {
            let run = try StateRun()
            defer { run.remove() }
            func events(_ times: Range<Int>, _ type: String) -> String {
                times.map { "{\"time\":\($0),\"type\":\"\(type)\",\"user\":\"u\($0 % 5)\"}\n" }.joined()
            }
            try run.write(events(0..<5, "a"), to: "a.jsonl")
            let same = "// name: same\nsequence by user [a where true] [b where true]\n---\n// name: other\n"
            try run.write(same + "sequence by user [a where true] [c where true]", to: "rules.eql")
            let words = Self.queries[0] + ["--state", "$/state"]
            #expect(try run.run(words, plugin: "match").code == .done)
            try run.append(events(5..<10, "b"), to: "a.jsonl")
            try run.write(same + "sequence by user [a where true] [b where true] [c where true]", to: "rules.eql")
            let refused = try run.run(words, plugin: "match")
            #expect(refused.code == .noInput)
            #expect(refused.said.contains("has the state of another pipeline: rules changed"), "\(refused.said)")
            #expect(refused.said.lines.count == 1, "\(refused.said)")
            let shown = try WeirProcess().run("state", run.folder + "/state")
            let shownWords = shown.output.split { $0.isWhitespace }.joined(separator: " ")
            #expect(shownWords.contains("rule same/partial matches 5 elements, "), "\(shown.output)")
            let dropped = try run.run(words + ["--state-mismatch", "drop"], plugin: "match")
            #expect(dropped.code == .done, "\(dropped.said)")
            let loss = "'rule other/partial matches' is changed, with 5 elements"
            #expect(dropped.said.contains(loss), "\(dropped.said)")
            #expect(run.text("m.jsonl").lines.count == 5)
            #expect(run.text("m.jsonl").lines.allSatisfy { $0.hasPrefix("{\"rule\":\"same\"") })
            // From here on it is the state of the new rules.
            #expect(try run.run(words, plugin: "match").said.contains("nothing to do"))
        }

        /// What was said is said again only where it is still so.
        @Test func categoriesThatWereSeenBeforeAreNotMissed() throws {
            let run = try StateRun()
            defer { run.remove() }
            try run.write("{\"time\":1,\"type\":\"a\",\"user\":\"u\"}\n", to: "a.jsonl")
            let words = [
                "sequence by user [a where true] [b where true]", "$/a.jsonl", "--to", "$/m.jsonl", "--state",
                "$/state",
            ]
            #expect(try run.run(words, plugin: "match").said.contains("no record has the category 'b'"))
            try run.append("{\"time\":2,\"type\":\"b\",\"user\":\"u\"}\n", to: "a.jsonl")
            let last = try run.run(words, plugin: "match")
            #expect(!last.said.contains("no record has the category"), "\(last.said)")
            #expect(run.text("m.jsonl").lines.count == 1)
        }

        @Test func aRunThatHasFinishedHasNothingToDoUntilSomethingIsAppended() throws {
            let run = try StateRun()
            defer { run.remove() }
            let table = Self.table(seed: 3, count: 900)
            let cut = try #require(
                table.range(of: "\n", range: table.index(table.startIndex, offsetBy: 9000)..<table.endIndex)
            )
            try run.write(table, to: "a.csv")
            let words = Self.variants[0] + ["--state", "$/state"]
            #expect(try run.run(Self.variants[0]).code == .done)
            let expected = Self.outputs.map { run.text($0) }
            try run.write(String(table[..<cut.upperBound]), to: "a.csv")
            #expect(try run.run(words).code == .done)
            #expect(run.text("m.jsonl").contains("all k1"))
            let before = run.text("m.jsonl")
            let again = try run.run(words)
            #expect(again.code == .done)
            #expect(again.said.contains("nothing to do: "), "\(again.said)")
            #expect(run.text("m.jsonl") == before)
            try run.append(String(table[cut.upperBound...]), to: "a.csv")
            let more = try run.run(words)
            #expect(more.code == .done)
            #expect(more.said.contains("goes on behind "), "\(more.said)")
            #expect(Self.outputs.map { run.text($0) } == expected)
            // The summary counts on.
            let whole = try run.run(Self.variants[0]).said.lines.last?.components(separatedBy: " in ").first
            #expect(more.said.lines.last?.hasPrefix(whole ?? "?") ?? false, "\(more.said)")
        }

        @Test func whatDoesNotFitIsRefusedOrDropped() throws {
            let run = try StateRun()
            defer { run.remove() }
            try run.write(Self.table(seed: 3, count: 900), to: "a.csv")
            let words = Self.variants[0] + ["--state", "$/state"]
            #expect(try run.run(words).code == .done)
            func refused(_ more: [String], _ reason: String, line: Int = #line) throws {
                let before = Self.outputs.map { run.text($0) }
                let outcome = try run.run(words + more)
                #expect(outcome.code != .done && outcome.code != .interrupted, "line \(line): \(outcome.said)")
                #expect(outcome.said.contains(reason), "line \(line): \(outcome.said)")
                #expect(outcome.said.split(separator: "\n").count == 1, "line \(line): \(outcome.said)")
                #expect(Self.outputs.map { run.text($0) } == before)
            }
            try refused(["--every", "4"], "has the state of another pipeline: --every was not given")
            try refused(["--from", "demo"], "'demo' is a new input")
            try run.append("1,k1,5\n", to: "a.csv")
            let whole = run.text("m.jsonl")
            try run.write(String(whole.dropLast(40)), to: "m2")
            let handle = try #require(FileHandle(forWritingAtPath: run.folder + "/m.jsonl"))
            try handle.truncate(atOffset: 10)
            try refused([], "m.jsonl' has 10 bytes, and ")
            try handle.write(contentsOf: Data(whole.utf8))
            try handle.close()
            try run.write("time,key,value\n1,k1,1\n", to: "b.csv")
            unsafe unlink(run.folder + "/a.csv")
            try FileManager.default.moveItem(atPath: run.folder + "/b.csv", toPath: run.folder + "/a.csv")
            try refused([], "it is another file than the one that was read before; with --state-mismatch drop")
            let dropped = try run.run(words + ["--state-mismatch", "drop", "--every", "1"])
            #expect(dropped.code == .done, "\(dropped.said)")
            #expect(dropped.said.contains("what 'count' knew does not fit any more; that is lost"), "\(dropped.said)")
            #expect(dropped.said.contains("it is read from its start"), "\(dropped.said)")
            #expect(
                run.text("m.jsonl").hasSuffix(
                    "{\"key\":\"k1\",\"count\":1,\"sum\":1}\n{\"key\":\"all k1\",\"count\":1,\"sum\":1}\n"
                )
            )
        }

        /// The half of a first line was the start of a document, the whole line is one of many.
        @Test func anInputWhoseFirstLinesShowAnotherFormatIsRefused() throws {
            let run = try StateRun()
            defer { run.remove() }
            let line = "{\"time\":1,\"key\":\"k1\",\"value\":1}"
            try run.write(String(line.dropLast(10)), to: "lines")
            let words = Self.variants[7] + ["--state", "$/state"]
            #expect(try run.run(words).said.contains("1 rejected"))
            try run.append("\"value\":1}\n\(line)\n", to: "lines")
            let second = try run.run(words)
            #expect(second.code == .noInput)
            #expect(second.said.contains("the first lines show another format than before"), "\(second.said)")
        }

        /// A folder that takes nothing for a while costs checkpoints, and nothing else.
        @Test func aStateThatCannotBeWrittenIsSaidOnceAndTheRunGoesOn() throws {
            let run = try StateRun()
            defer { run.remove() }
            try Self.prepare(run, seed: 5)
            #expect(try run.run(Self.variants[0]).code == .done)
            let expected = Self.outputs.map { run.text($0) }
            let folder = run.folder
            let words = Self.variants[0] + ["--state", "$/state", "--checkpoint", "2s"]
            let outcome = try run.run(words) { number in
                if number == 2000 { _ = unsafe rename(folder + "/state", folder + "/gone") }
                if number == 9000 { _ = unsafe rename(folder + "/gone", folder + "/state") }
            }
            #expect(outcome.code == .done)
            #expect(Self.outputs.map { run.text($0) } == expected)
            // Nothing is written meanwhile where the disk is slower than the run.
            let failures = outcome.said.lines.count {
                $0.contains("the state cannot be saved, and the run goes on with")
            }
            #expect(failures <= 1)
            #expect(outcome.said.lines.count { $0.contains("the state is saved again") } == failures, "\(outcome.said)")
            #expect(try run.run(words).said.contains("nothing to do: "))
            // The last state is waited for.
            for name in ["state"] + Self.outputs { try? FileManager.default.removeItem(atPath: folder + "/" + name) }
            let lost = try run.run(words) { number in
                if number == 2000 { _ = unsafe rename(folder + "/state", folder + "/gone") }
            }
            #expect(lost.said.lines.count { $0.contains("the state cannot be saved, and the run goes on with") } == 1)
            #expect(Self.outputs.map { run.text($0) } == expected)
        }

        /// Otherwise a kill would take what was written long before it.
        @Test(arguments: ["jsonl", "csv"]) func theStateIsSavedWhileNothingComes(format: String) throws {
            let weir = try WeirProcess()
            let lines = (0..<50).map { format == "csv" ? "\($0),\($0)\n" : "{\"time\":\($0),\"n\":\($0)}\n" }
            try weir.file("in", (format == "csv" ? "time,n\n" : "") + lines.joined())
            let words = [
                "match", "any where true", "--from", "file:in?follow=true", "--format", format, "--time", "time",
                "--to",
                "m", "--state", "s", "--checkpoint",
            ]
            let (run, other) = (try weir.start(words + ["10ms"], input: .nothing), try WeirProcess())
            try WeirProcess.eventually("all is saved") {
                try other.run("state", weir.folder + "/s").output.contains(/events +50\n/)
            }
            kill(run.process.processIdentifier, SIGKILL)
            _ = try run.outcome()
            let found = try weir.text(of: "m")
            #expect(found.split(separator: "\n").count == 50)
            let again = try weir.start(words + ["1h"], input: .nothing)
            try WeirProcess.eventually("it goes on") {
                try weir.text(of: ".errors").contains("goes on behind 50 records")
            }
            again.process.interrupt()
            #expect(try again.outcome().exitCode == 130)
            #expect(try weir.text(of: "m") == found)
        }

        /// Where it begins is told by the file, and not by what it is asked for the next time.
        @Test(arguments: [[], ["--time", "time"]]) func aFileThatBeginsAtItsEndGoesOnThere(options: [String]) throws {
            let (weir, other) = (try WeirProcess(), try WeirProcess())
            try weir.file("in", "{\"time\":1}\n")
            let words =
                [
                    "match", "any where true", "--from", "file:in?follow=true&start=end&poll=1ms", "--format", "jsonl",
                    "--to", "m", "--state", "s", "--checkpoint", "1h",
                ] + options
            func count() throws -> Int { try weir.text(of: "m").split(separator: "\n").count }
            let run = try weir.start(words, input: .nothing)
            try WeirProcess.eventually("the first checkpoint is there") {
                try other.run("state", weir.folder + "/s").exitCode == 0
            }
            let file = try #require(FileHandle(forWritingAtPath: weir.folder + "/in"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("{\"time\":2}\n".utf8))
            try WeirProcess.eventually("it is read") { try count() == 1 }
            kill(run.process.processIdentifier, SIGKILL)
            _ = try run.outcome()
            try file.write(contentsOf: Data("{\"time\":3}\n".utf8))
            let again = try weir.start(words, input: .nothing)
            try WeirProcess.eventually("both are read") {
                try weir.text(of: ".errors").contains("goes on behind 0 records") && count() == 2
            }
            again.process.interrupt()
            #expect(try again.outcome().exitCode == 130)
        }

        /// They wait for the next batch, which does not come.
        @Test func rulesThatWaitWhenARunEndsAreThoseOfItsState() throws {
            let weir = try WeirProcess()
            func configure(_ rule: String) throws {
                try weir.file(
                    "c.json",
                    #"{"pipelines": {"t": {"match": "\#(rule)", "from": "file:in?follow=true&poll=1ms", "format": "jsonl", "#
                        + #""time": "time", "to": "m", "state": "s", "checkpoint": "1h"}}}"#
                )
            }
            func lines() throws -> Int { try weir.text(of: "m").split(separator: "\n").count }
            try weir.file("in", "{\"time\":1,\"n\":1}\n")
            try configure("any where n >= 0")
            let words = ["run", "--config", "c.json", "--control", "none"]
            let run = try weir.start(words, input: .nothing)
            try WeirProcess.eventually("it is read") { (try? lines()) == 1 }
            try configure("any where n >= 1")
            kill(run.process.processIdentifier, SIGHUP)
            try WeirProcess.eventually("it is changed") { try weir.text(of: ".errors").contains("'t' changed") }
            run.process.interrupt()
            #expect(try run.outcome().exitCode == 130)
            let again = try weir.start(words, input: .nothing)
            let file = try #require(FileHandle(forWritingAtPath: weir.folder + "/in"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("{\"time\":2,\"n\":2}\n".utf8))
            try WeirProcess.eventually("it goes on") { try lines() == 2 || !again.process.isRunning }
            again.process.interrupt()
            let outcome = try again.outcome()
            #expect(try outcome.exitCode == 130 && lines() == 2, "\(outcome.errors)")
        }

        /// Also where nothing comes any more.
        @Test func aStateThatCannotBeSavedIsToldAndTriedAgain() throws {
            let (weir, other) = (try WeirProcess(), try WeirProcess())
            try weir.file("in", "{\"time\":1}\n")
            let words = [
                "match", "any where true", "--from", "file:in?follow=true&poll=1ms", "--format", "jsonl", "--time",
                "time",
                "--to", "m", "--state", "s", "--checkpoint", "10ms",
            ]
            let run = try weir.start(words, input: .nothing)
            func isSaved(_ count: Int) throws -> Bool {
                try other.run("state", weir.folder + "/s").output.contains(try Regex("events +\(count)\n"))
            }
            try WeirProcess.eventually("it is saved") { try isSaved(1) }
            #expect(unsafe rename(weir.folder + "/s", weir.folder + "/gone") == 0)
            let file = try #require(FileHandle(forWritingAtPath: weir.folder + "/in"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("{\"time\":2}\n".utf8))
            try WeirProcess.eventually("it is told") {
                try weir.text(of: ".errors").contains("the state cannot be saved")
            }
            #expect(unsafe rename(weir.folder + "/gone", weir.folder + "/s") == 0)
            try WeirProcess.eventually("it is saved again") {
                try weir.text(of: ".errors").contains("the state is saved again") && isSaved(2)
            }
            run.process.interrupt()
            #expect(try run.outcome().exitCode == 130)
        }

        /// Nothing of it was in the first checkpoint, but which file it was.
        @Test(arguments: ["", "&header=shared"])
        func aFileThatIsRenamedBeforeItsFirstCheckpointIsReadAgain(options: String) throws {
            let weir = try WeirProcess()
            let header = options.isEmpty ? "" : "time,n\n"
            func lines(_ range: Range<Int>) -> String {
                range.map { options.isEmpty ? "{\"time\":\($0),\"n\":\($0)}\n" : "\($0),\($0)\n" }.joined()
            }
            try weir.file("in", header)
            let words = [
                "match", "any where true", "--from", "file:in?follow=true&poll=1ms\(options)", "--format",
                options.isEmpty ? "jsonl" : "csv", "--time", "time", "--to", "m", "--state", "s", "--checkpoint", "1h",
            ]
            func count() throws -> Int { try weir.text(of: "m").split(separator: "\n").count }
            let (run, other) = (try weir.start(words, input: .nothing), try WeirProcess())
            try WeirProcess.eventually("the first checkpoint is there") {
                try other.run("state", weir.folder + "/s").exitCode == 0
            }
            let file = try #require(FileHandle(forWritingAtPath: weir.folder + "/in"))
            try file.seekToEnd()
            try file.write(contentsOf: Data(lines(0..<100).utf8))
            try WeirProcess.eventually("it is read") { try count() == 100 }
            #expect(unsafe rename(weir.folder + "/in", weir.folder + "/in.1") == 0)
            try weir.file("in", header + lines(100..<110))
            try WeirProcess.eventually("the next one is read") { try count() == 110 }
            kill(run.process.processIdentifier, SIGKILL)
            _ = try run.outcome()
            let found = try weir.text(of: "m")
            let again = try weir.start(words, input: .nothing)
            try WeirProcess.eventually("both are read again") {
                try weir.text(of: ".errors").contains("goes on behind 0 records") && count() == 110
            }
            again.process.interrupt()
            #expect(try again.outcome().exitCode == 130)
            #expect(try weir.text(of: "m") == found)
        }

        /// A run after that would begin at the start of the file, and find all again.
        @Test func aFollowedFileWithoutPlacesIsRefused() throws {
            let weir = try WeirProcess()
            try weir.file("in.log", "<13>Oct 11 22:14:15 host app: text\n")
            let outcome = try weir.run(
                "match",
                "any where true",
                "--from",
                "file:in.log?follow=true",
                "--format",
                "syslog",
                "--state",
                "s"
            )
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.contains("--state knows no places in the format syslog; pipe it in"), "\(outcome)")
        }

        @Test func whatCannotBeSavedIsRefusedAtTheStart() throws {
            let run = try StateRun()
            defer { run.remove() }
            try run.write(Self.table(seed: 3, count: 30), to: "a.csv")
            func refused(_ words: [String], _ reason: String, isSaveable: Bool = true) throws {
                let outcome = try run.run(["$/a.csv"] + words, isSaveable: isSaveable)
                #expect(outcome.code == .usage || outcome.code == .cannotCreate, "\(outcome.said)")
                #expect(outcome.said.contains(reason), "\(outcome.said)")
                #expect(outcome.said.split(separator: "\n").count == 1, "\(outcome.said)")
            }
            try refused(["--state", "$/s"], "--state: what 'count' keeps cannot be saved", isSaveable: false)
            try refused(["--state", "$/s", "--to", "$/m.jsonl.gz"], "is compressed, and --state cuts outputs back")
            try refused(["--state", "$/s", "--report", "$/r.html"], "--report draws what one run sees")
            try refused(["--checkpoint", "1s"], "--checkpoint is of use only with --state DIR")
            try refused(["--state", "$/s", "--checkpoint", "0"], "--checkpoint: must be longer than 0")
            try refused(["--state", "$"], "is no folder of --state: it has ")
            try refused(["--state", "/dev/null/x"], "not a directory")
            #expect(!FileManager.default.fileExists(atPath: run.folder + "/m.jsonl.gz"))
        }

        /// A file that grows and is rotated between runs, each of which is interrupted.
        @Test(arguments: 1...4 as ClosedRange<UInt64>)
        func aFollowedFileIsReadOnceThroughRotations(seed: UInt64) throws {
            let run = try StateRun()
            defer { run.remove() }
            let table = Self.table(seed: seed, count: 1500)
            try run.write(table, to: "a.csv")
            #expect(try run.run(Self.variants[0]).code == .done)
            let expected = run.text("m.jsonl").split(separator: "\n").filter { !$0.contains("all ") }
            let rejected = run.text("bad.txt")
            let words = [
                "file:$/app.csv?follow=true&poll=1ms", "--to", "$/m.jsonl", "--rejected", "$/bad.txt", "--state",
                "$/state",
            ]
            var random = SystemNumbers(seed: seed)
            var rest = Array(table.utf8)[...]
            try run.write("", to: "app.csv")
            var runs = 0
            var rotations = 0
            var files: [String] = []
            func age(_ name: String) throws {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_000_000 + Double(rotations) * 10)],
                    ofItemAtPath: run.folder + "/" + name
                )
            }
            while !rest.isEmpty {
                var piece = rest.prefix(Int(random.next() % 1000))
                if random.next() % 2 == 0 {
                    piece = rest.firstIndex(of: UInt8(ascii: "\n")).map { rest[...$0] } ?? rest
                }
                rest = rest.dropFirst(piece.count)
                try run.append(String(decoding: piece, as: UTF8.self), to: "app.csv")
                // The writer goes on with another file between two lines only.
                if random.next() % 3 == 0, run.text("app.csv").hasSuffix("\n") {
                    rotations += 1
                    files.append("app.csv.\(rotations)")
                    try FileManager.default.moveItem(
                        atPath: run.folder + "/app.csv",
                        toPath: run.folder + "/" + files[files.count - 1]
                    )
                    try age(files[files.count - 1])
                    try run.write("", to: "app.csv")
                }
                guard random.next() % 2 == 0 else { continue }
                let interruption = try Interruption()
                interruption.trigger()
                let outcome = try run.run(words, interruption: interruption)
                #expect(outcome.code == .interrupted, "\(outcome.said)")
                runs += 1
            }
            var length = -1
            while length != run.text("m.jsonl").utf8.count {
                length = run.text("m.jsonl").utf8.count
                let interruption = try Interruption()
                interruption.trigger()
                #expect(try run.run(words, interruption: interruption).code == .interrupted)
            }
            #expect(run.text("m.jsonl").split(separator: "\n") == expected, "seed \(seed)")
            #expect(run.text("bad.txt") == rejected, "seed \(seed)")
            print("weir --state: followed, seed \(seed), \(runs) runs, \(rotations) rotations")
        }

        private struct SystemNumbers {
            private var state: UInt64

            init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state >> 33
            }
        }

        @Test func whatIsSavedCanBeShown() throws {
            let weir = try WeirProcess()
            for (name, number) in [("one", 3), ("two", 4)] {
                let folder = try StateFolder(weir.folder + "/state/" + name)
                var checkpoint = RunCheckpoint()
                checkpoint.program = "9.9"
                let place = RunCheckpoint.BytePlace(
                    position: SourcePosition(offset: 120),
                    prelude: [],
                    unread: [1, 2],
                    line: UInt64(number)
                )
                checkpoint.inputs = [RunCheckpoint.Input(name: "in.csv", place: .bytes(place), byteCount: 120)]
                checkpoint.outputs = [RunCheckpoint.Output(name: "--to m.jsonl", byteCount: 77, node: 1)]
                checkpoint.consumers = [
                    RunCheckpoint.Consumer(name: "count", fingerprint: "f", partialMatches: 2, bytes: [1, 2, 3])
                ]
                checkpoint.counts = [("events", 1234)]
                _ = try folder.write(&checkpoint, isDurable: false)
            }
            let one = try weir.run("state", "state/one")
            #expect(one.exitCode == 0, "\(one.errors)")
            for text in ["by weir 9.9", "line 3, byte 118", "77 bytes", "3 bytes, 2 partial matches", "1,234"] {
                #expect(one.output.contains(text), "\(text): \(one.output)")
            }
            let both = try weir.run("state", "state", "--format", "json")
            let json = try #require(try JSONSerialization.jsonObject(with: Data(both.output.utf8)) as? [[String: Any]])
            #expect(json.map { $0["folder"] as? String } == ["state/one", "state/two"])
            let inputs = try #require(json.last?["inputs"] as? [[String: Any]])
            #expect(inputs.first?["line"] as? Int == 4)
            try weir.file("letter", "x")
            let none = try weir.run("state", ".")
            #expect(none.exitCode == 66)
            #expect(none.errors.contains("is no folder of --state"), "\(none.errors)")
            // What the help says of the plugins of the program.
            for plugin in ["shake", "walk", "sentiment", "fraud"] {
                let saved = try weir.run("run", plugin, "--from", "demo", "--state", "new-\(plugin)")
                #expect(saved.exitCode == 0, "\(saved.errors)")
                #expect(try weir.run("state", "new-\(plugin)").output.contains(plugin))
            }
            let near = ["match", "sequence [a where true] [b where true]", "--near", "1", "--from", "demo"]
            let refused = try weir.start(near + ["--state", "new"], input: .nothing).outcome()
            #expect(refused.exitCode == 2)
            #expect(refused.errors.contains(" keeps cannot be saved"), "\(refused.errors)")
            #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
            let validated = try weir.run("validate", "walk", "--from", "demo", "--state", "letter")
            #expect(validated.exitCode == 73, "\(validated.errors)")
        }

        @Test func anInterruptedRunGoesOn() throws {
            let run = try StateRun()
            defer { run.remove() }
            for variant in Self.variants {
                try Self.prepare(run, seed: 11, count: 3000)
                #expect(try run.run(variant).code == .done)
                let expected = Self.outputs.map { run.text($0) }
                let words = variant + ["--state", "$/state"]
                let interruption = try Interruption()
                interruption.trigger()
                #expect(try run.run(words, interruption: interruption).code == .interrupted)
                let last = try run.run(words)
                #expect(last.code == .done, "\(last.said)")
                #expect(last.said.contains("goes on behind"), "\(last.said)")
                #expect(Self.outputs.map { run.text($0) } == expected, "\(variant)")
                try FileManager.default.removeItem(atPath: run.folder + "/state")
                for name in Self.outputs { unsafe unlink(run.folder + "/" + name) }
            }
        }
    }
}
