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
            for handle in [first, again, second] { try handle.close() }
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(said.text.contains("weir: [one] 2 events read, 0 rejected, 1 match in "))
            #expect(try weir.text(of: "one.jsonl") == jerkMatch)
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
