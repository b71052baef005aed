import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// What a pipeline has written is there after it was started again.
    @Suite struct RestartTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private func configure(_ pipelines: String) throws {
            try weir.file("c.json", "{\"pipelines\": {\(pipelines)}}")
        }

        private func start(_ errors: Pipe) throws -> Running {
            let command = ["run", "--config", "c.json"]
            let run = try weir.start(command, input: .nothing, errors: errors.fileHandleForWriting)
            try errors.fileHandleForWriting.close()
            return run
        }

        /// A file with another header takes the place of the one that is followed, which ends the pipeline.
        private func rotate(to contents: String) throws {
            try weir.file("new.csv", contents)
            #expect(unsafe rename(weir.folder + "/new.csv", weir.folder + "/in.csv") == 0)
        }

        private static let wider = "time,x,y,z,more\n0,0,0,1,1\nno,0,0,1,1\n20,2,0,1,1\n"

        @Test(arguments: ["m.jsonl", "m.csv", "recording:m.rec"])
        func aStartAfterAFailureKeepsWhatWasWritten(output: String) throws {
            for name in ["m.jsonl", "m.csv", "r.txt"] { try weir.file(name, "of an earlier run\n") }
            try weir.file("in.csv", jerk + "nothing\n")
            try configure(
                #""one": {"plugin": "shake", "from": "file:in.csv?follow=true&header=shared&poll=2ms", "#
                    + #""format": "csv", "to": "\#(output)", "rejected": "r.txt", "restarts": 9}"#
            )
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let rejectedOne = said.wait(for: "line 4 rejected")
            #expect(rejectedOne)
            try rotate(to: Self.wider)
            let startedAgain = said.wait(for: "starts again")
            #expect(startedAgain)
            let rejectedAnother = said.wait(for: "line 3 rejected")
            #expect(rejectedAnother)
            run.process.interrupt()
            said.waitForEnd()
            _ = try run.outcome()
            // What the first run counted too.
            #expect(said.text.contains("interrupted; 4 events read, 2 rejected, 2 matches in "), "\(said.text)")
            let anew = "begins anew: what its plugins made of 2 events is given up; "
            #expect(said.text.contains(anew + "'in.csv' is read from its beginning again, so matches may come twice\n"))
            #expect(!said.text.contains("was cut off"), "\(said.text)")
            #expect(try weir.text(of: "r.txt") == "nothing\nno,0,0,1,1\n")
            switch output {
            case "m.jsonl": #expect(try weir.text(of: output) == jerkMatch + jerkMatch)
            case "m.csv":
                let rows = try weir.text(of: output).split(separator: "\n")
                #expect(rows.count == 3 && rows[1] == rows[2] && rows[0].hasPrefix("time,"))
            default:
                #expect(try weir.run("replay", "m.rec", "--speed", "max").output == jerkMatch + jerkMatch)
            }
        }

        @Test func anotherPlanForTheSameOutputGoesOnInIt() throws {
            for name in ["a.fifo", "b.fifo"] { #expect(unsafe mkfifo(weir.folder + "/" + name, 0o600) == 0) }
            func pipeline(_ name: String, _ input: String, _ options: String) -> String {
                #""\#(name)": {"plugin": "shake", "from": "\#(input)", "format": "csv", \#(options)}"#
            }
            try weir.file("m.jsonl", "of an earlier run\n")
            try configure(pipeline("one", "a.fifo", #""to": "m.jsonl""#))
            let errors = Pipe()
            let run = try start(errors)
            var said = Arrivals(errors)
            let first = try #require(FileHandle(forWritingAtPath: weir.folder + "/a.fifo"))
            try first.write(contentsOf: Data(jerk.utf8))
            try WeirProcess.eventually("the first match") { try weir.text(of: "m.jsonl") == jerkMatch }
            func reload(_ expected: String) {
                kill(run.process.processIdentifier, SIGHUP)
                let wasSaid = said.wait(for: expected)
                #expect(wasSaid)
            }
            // The same inputs: in place.
            try configure(pipeline("one", "a.fifo", #""to": ["./m.jsonl", "other.jsonl"]"#))
            reload("'one' changed")
            try first.write(contentsOf: Data("40,0,0,1\n900,0,0,1\n920,2,0,1\n".utf8))
            try WeirProcess.eventually("matches in both") {
                (try? weir.text(of: "other.jsonl"))?.isEmpty == false
            }
            let before = try weir.text(of: "m.jsonl")
            #expect(before.hasPrefix(jerkMatch) && before.utf8.count > jerkMatch.utf8.count)
            // Another pipeline takes the output over.
            try configure(pipeline("two", "b.fifo", #""to": "m.jsonl""#))
            reload("'two' is new")
            let second = try #require(FileHandle(forWritingAtPath: weir.folder + "/b.fifo"))
            try second.write(contentsOf: Data(jerk.utf8))
            for handle in [first, second] { try handle.close() }
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 0)
            #expect(try weir.text(of: "m.jsonl") == before + jerkMatch)
        }
    }
}
