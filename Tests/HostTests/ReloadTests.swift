import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// A configuration that is read again.
    @Suite struct ReloadTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private func configure(_ pipelines: String...) throws {
            try weir.file("c.json", "{\"pipelines\": {\(pipelines.joined(separator: ", "))}}")
        }

        private func start(_ errors: Pipe, input: WeirProcess.Input = .nothing) throws -> Running {
            let run = try weir.start(["run", "--config", "c.json"], input: input, errors: errors.fileHandleForWriting)
            try errors.fileHandleForWriting.close()
            return run
        }

        @Test func aPipelineThatWasTakenOutComesBack() throws {
            let one = #""one": {"plugin": "shake", "from": "one.fifo", "format": "csv", "to": "one.jsonl"}"#
            let two = #""two": {"plugin": "shake", "from": "two.fifo", "format": "csv", "to": "two.jsonl"}"#
            for name in ["one", "two"] { #expect(unsafe mkfifo(weir.folder + "/\(name).fifo", 0o600) == 0) }
            try configure(one, two)
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let second = try #require(FileHandle(forWritingAtPath: weir.folder + "/two.fifo"))
            let first = try #require(FileHandle(forWritingAtPath: weir.folder + "/one.fifo"))
            func reload(_ expected: String) {
                kill(run.process.processIdentifier, SIGHUP)
                let wasSaid = said.wait(for: "again: \(expected)\n")
                #expect(wasSaid)
                said.forget(through: "again: \(expected)\n")
            }
            try configure(two)
            reload("'one' ends")
            reload("nothing changed")
            try configure(one, two)
            reload("'one' is new")
            let again = try #require(FileHandle(forWritingAtPath: weir.folder + "/one.fifo"))
            try again.write(contentsOf: Data(jerk.utf8))
            // A pipe without readers and writers forgets what is in it.
            try WeirProcess.eventually("it is read") { try weir.text(of: "one.jsonl") == jerkMatch }
            for handle in [first, again, second] { try handle.close() }
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("weir: [one] 2 events read, 0 rejected, 1 match in "))
            #expect(try weir.text(of: "one.jsonl") == jerkMatch)
        }

        /// What a plugin knows stays where its options change, and is that of the new ones in the next run.
        @Test func aChangedPipelineKeepsItsState() throws {
            func pipeline(_ threshold: String) -> String {
                #""one": {"plugin": "shake", "from": "file:in.csv?follow=true", "format": "csv", "to": "m.jsonl", "#
                    + #""threshold": "\#(threshold)", "quiet-period": "0", "state": "s", "checkpoint": "1ms"}"#
            }
            func append(_ text: String) throws {
                let file = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.csv"))
                try file.seekToEnd()
                try file.write(contentsOf: Data(text.utf8))
                try file.close()
            }
            func matchCount() -> Int {
                ((try? weir.text(of: "m.jsonl")) ?? "").utf8.count { $0 == UInt8(ascii: "\n") }
            }
            try weir.file("in.csv", "time,x,y,z\n0,0,0,0\n20,2,0,0\n40,2,0,0\n")
            try configure(pipeline("1"))
            var errors = Pipe()
            var run = try start(errors)
            var said = Arrivals(errors)
            try WeirProcess.eventually("the first match") { matchCount() == 1 }
            try configure(pipeline("0.5"))
            kill(run.process.processIdentifier, SIGHUP)
            let wasSaid = said.wait(for: "again: 'one' changed\n")
            #expect(wasSaid, "\(said.text)")
            // Less than the old threshold, and seen beside the row from before.
            try append("60,2.75,0,0\n")
            try WeirProcess.eventually("the second match") { matchCount() == 2 }
            try WeirProcess.eventually("the state") { try weir.run("state", "s").output.contains("0.5") }
            kill(run.process.processIdentifier, SIGKILL)
            said.waitForEnd()
            #expect(try run.outcome().exitCode == -SIGKILL)
            #expect(!said.text.contains("lost"), "\(said.text)")
            errors = Pipe()
            run = try start(errors)
            said = Arrivals(errors)
            try append("80,2,0,0\n")
            try WeirProcess.eventually("the third match") { matchCount() == 3 }
            run.process.terminate()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 130, "\(said.text)")
            #expect(said.text.contains("goes on behind"), "\(said.text)")
        }

        @Test func aTableGetsNoRowsOfOtherPlugins() throws {
            func pipeline(_ plugin: String) -> String {
                #""one": {"plugin": "\#(plugin)", "from": "in.fifo", "format": "csv", "to": "m.csv"}"#
            }
            #expect(unsafe mkfifo(weir.folder + "/in.fifo", 0o600) == 0)
            try configure(pipeline("shake"))
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.fifo"))
            try input.write(contentsOf: Data(jerk.utf8))
            try WeirProcess.eventually("a match") { (try? weir.text(of: "m.csv"))?.isEmpty == false }
            let table = try weir.text(of: "m.csv")
            try configure(pipeline("sentiment"))
            kill(run.process.processIdentifier, SIGHUP)
            let wasRefused = said.wait(for: "the configuration stays as it was\n")
            #expect(wasRefused)
            #expect(said.text.contains("'m.csv' is a table of something else: it has 'axis' and lacks 'kind'"))
            try input.write(contentsOf: Data("40,0,0,1\n".utf8))
            try input.close()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("weir: [one] 3 events read, 0 rejected"))
            #expect(try weir.text(of: "m.csv").hasPrefix(table))
        }

        @Test func anOutputThatCannotBeOpenedChangesNothing() throws {
            func pipeline(_ threshold: Int, to output: String) -> String {
                #""one": {"plugin": "shake", "from": "stdin", "format": "csv", "threshold": \#(threshold), "to": "\#(output)"}"#
            }
            let other = #""other": {"plugin": "shake", "from": "demo", "to": "/dev/null", "threshold": "#
            try configure(other + "1}", pipeline(1, to: "m.jsonl"))
            let input = Pipe()
            let errors = Pipe()
            let run = try start(errors, input: .pipe(input))
            var said = Arrivals(errors)
            let isRunning = said.wait(for: "weir: [other] 1,000 events read")
            #expect(isRunning)
            for output in ["nowhere/m.jsonl", "c.json/m"] {
                try configure(other + "2}", pipeline(9, to: output))
                kill(run.process.processIdentifier, SIGHUP)
                let wasRefused = said.wait(for: "the configuration stays as it was\n")
                try #require(wasRefused)
                #expect(!said.text.contains("changed"))
                said.forget(through: "the configuration stays as it was\n")
            }
            try input.fileHandleForWriting.write(contentsOf: Data(jerk.utf8))
            try input.fileHandleForWriting.close()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("weir: [one] 2 events read, 0 rejected, 1 match in "))
            #expect(try weir.text(of: "m.jsonl") == jerkMatch)
        }

        /// What a changed pipeline forgets is told and counted; one whose options did not change forgets nothing.
        @Test func partialMatchesThatAChangeGivesUpAreCounted() throws {
            func pipeline(_ name: String, small: Int) -> String {
                #""\#(name)": {"plugin": "fraud", "from": "\#(name).fifo", "format": "csv", "to": "\#(name).jsonl", "small": \#(small)}"#
            }
            let names = ["changed", "still"]
            for name in names { #expect(unsafe mkfifo(weir.folder + "/\(name).fifo", 0o600) == 0) }
            try configure(pipeline("changed", small: 5), pipeline("still", small: 5))
            let errors = Pipe()
            let run = try weir.start(
                ["run", "--config", "c.json", "--metrics", "m.prom"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            let inputs = try names.map { try #require(FileHandle(forWritingAtPath: weir.folder + "/\($0).fifo")) }
            func feed(_ rows: String) throws {
                for input in inputs { try input.write(contentsOf: Data(rows.utf8)) }
            }
            // The match of the card b shows that the purchases of the card a were taken before.
            try feed("time,card,amount\n1,a,1\n2,a,1\n3,a,1\n4,b,1\n5,b,1\n6,b,1\n7,b,900\n")
            for name in names {
                try WeirProcess.eventually("the match of \(name)") {
                    (try? weir.text(of: "\(name).jsonl"))?.hasSuffix("\n") ?? false
                }
            }
            // Written in another way, and in another order.
            try configure(pipeline("still", small: 5).replacing(": ", with: ":\n"), pipeline("changed", small: 6))
            kill(run.process.processIdentifier, SIGHUP)
            var said = Arrivals(errors)
            let wasRead = said.wait(for: "again: 'changed' changed\n")
            #expect(wasRead)
            try feed("8,a,900\n")
            for input in inputs { try input.close() }
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(try weir.text(of: "changed.jsonl").split(separator: "\n").count == 1)
            #expect(try weir.text(of: "still.jsonl").split(separator: "\n").count == 2)
            let told = said.text.split(separator: "\n").filter { $0.contains("begins anew") }
            #expect(told.count == 1)
            let count = try #require(told.first?.split(separator: " ").compactMap { Int($0) }.first)
            #expect(count > 0)
            #expect(
                told.first
                    == "weir: [changed] begins anew: \(count) partial match\(count == 1 ? " is" : "es are") given up"
            )
            let metrics = try weir.text(of: "m.prom")
            #expect(metrics.contains("weir_abandoned_partial_matches_total{pipeline=\"changed\"} \(count)\n"))
            #expect(metrics.contains("weir_abandoned_partial_matches_total{pipeline=\"still\"} 0\n"))
        }

        /// The input stays open, so that nothing is read twice; plugins that count no partial matches say what they saw.
        @Test func anotherFileForRejectedLinesReadsNothingAgain() throws {
            try weir.file("in.csv", jerk + "first\n")
            func pipeline(_ rejected: String) -> String {
                #""one": {"plugin": "shake", "from": "file:in.csv?follow=true&poll=2ms", "to": "m.jsonl", "#
                    + #""rejected": "\#(rejected)", "report": "page.html"}"#
            }
            try configure(pipeline("a.txt"))
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let wasRead = said.wait(for: "line 4 rejected")
            #expect(wasRead)
            try configure(pipeline("b.txt"))
            kill(run.process.processIdentifier, SIGHUP)
            let wasChanged = said.wait(for: "'one' changed\n")
            #expect(wasChanged)
            let input = try #require(FileHandle(forWritingAtPath: weir.folder + "/in.csv"))
            try input.seekToEnd()
            try input.write(contentsOf: Data("second\n900,0,0,1\n920,2,0,1\n".utf8))
            let began = said.wait(for: "begins anew: what its plugins made of 2 events is given up\n")
            #expect(began, "\(said.text)")
            try WeirProcess.eventually("the second match") {
                try weir.text(of: "m.jsonl").split(separator: "\n").count == 2
            }
            run.process.interrupt()
            said.waitForEnd()
            _ = try run.outcome()
            #expect(try weir.text(of: "m.jsonl").hasPrefix(jerkMatch))
            #expect(try weir.text(of: "a.txt") == "first\n")
            #expect(try weir.text(of: "b.txt") == "second\n")
            #expect(said.text.contains("4 events read, 2 rejected, 2 matches"))
            // The page shows what the plugins after the change found too.
            #expect(try weir.text(of: "page.html").contains("920"))
        }

        /// What reads ahead must not have read before it is known that the output can be written.
        @Test(arguments: [
            #""from": "stdin", "by": "x", "partition-by": "x", "workers": 2"#, #""from": ["stdin", "b.csv"]"#,
        ])
        func aStartThatFailsReadsNothing(inputs: String) throws {
            try weir.file("b.csv", "time,x,y,z\n")
            try configure(
                #""one": {"plugin": "shake", \#(inputs), "format": "csv", "to": "late/m.jsonl", "restarts": 99}"#
            )
            let errors = Pipe()
            let run = try start(errors, input: .text(jerk))
            var said = Arrivals(errors)
            let hasFailed = said.wait(for: "starts again")
            #expect(hasFailed)
            try FileManager.default.createDirectory(
                atPath: weir.folder + "/late",
                withIntermediateDirectories: false
            )
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("weir: [one] 2 events read, 0 rejected, "))
        }
    }
}
