#if os(Linux)
    import Foundation
    import Testing

    extension HostTests {
        /// A pipeline waits for a file that takes no more, and loses and doubles nothing.
        @Suite struct FullDiskTests {
            private let weir: WeirProcess

            init() throws {
                weir = try WeirProcess()
                try weir.file("in.csv", Self.input)
            }

            /// A jerk every second, with a line between them that is no record.
            private static let input =
                "time,x,y,z\n" + (0..<200).map { "\($0 * 1000),0,0,1\nno\n\($0 * 1000 + 20),2,0,1\n" }.joined()

            private func configure(_ options: String) throws {
                try weir.file(
                    "c.json",
                    """
                    {"pipelines": {"one": {"plugin": "shake", "format": "csv", "to": ["good.jsonl", "full.jsonl"],
                    "rejected": "bad.txt", \(options)}}}
                    """
                )
            }

            /// Runs the configuration with a limit on the size of files, which the test lifts later.
            private func start(fileLimit: Int, _ errors: Pipe) throws -> Running {
                let run = try weir.start(
                    ["run", "--config", "c.json", "--control", "none"],
                    input: .nothing,
                    errors: errors.fileHandleForWriting,
                    launcher: ["/usr/bin/env", "prlimit", "--fsize=\(fileLimit):unlimited"]
                )
                try errors.fileHandleForWriting.close()
                return run
            }

            private func liftLimit(of run: Running) throws {
                let change = Process()
                change.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                change.arguments = ["prlimit", "--pid", "\(run.process.processIdentifier)", "--fsize=unlimited"]
                try change.run()
                change.waitUntilExit()
                try #require(change.terminationStatus == 0)
            }

            @Test(arguments: [
                #""from": "in.csv""#, #""from": "file:in.csv?follow=true&poll=2ms""#,
                #""from": ["in.csv", "more.csv"]"#,
                #""from": "in.csv", "by": "z", "partition-by": "z", "workers": 2"#,
            ])
            func nothingIsLostOrWrittenTwice(options: String) throws {
                try weir.file("more.csv", "time,x,y,z\n")
                try weir.file("full.jsonl", "of an earlier run\n")
                try configure(options)
                let errors = Pipe()
                let run = try start(fileLimit: 5000, errors)
                var said = Arrivals(errors)
                let isWaiting = said.wait(for: "file too large; it is tried again in 0.200 s (2 of 10)\n")
                #expect(isWaiting, "\(said.text)")
                try liftLimit(of: run)
                let goesOn = said.wait(for: "weir: [one] goes on\n")
                #expect(goesOn, "\(said.text)")
                let expected = try weir.run("run", "shake", "in.csv").output
                if options.contains("follow") {
                    try WeirProcess.eventually("all matches") { try weir.text(of: "full.jsonl") == expected }
                    run.process.interrupt()
                }
                said.waitForEnd()
                _ = try run.outcome()
                #expect(said.text.contains("400 events read, 200 rejected, 200 matches"), "\(said.text)")
                #expect(!said.text.contains("starts again") && !said.text.contains("begins anew"))
                for name in ["good.jsonl", "full.jsonl"] {
                    let lines = try weir.text(of: name).split(separator: "\n")
                    #expect(lines.count == 200 && Set(lines).count == 200, "\(name)")
                }
                #expect(try weir.text(of: "bad.txt") == String(repeating: "no\n", count: 200))
            }

            /// Another start would write everything twice.
            @Test func onceItGivesUpItDoesNotBeginAnew() throws {
                try configure(#""from": "in.csv", "restarts": 1"#)
                let errors = Pipe()
                let run = try start(fileLimit: 5000, errors)
                var said = Arrivals(errors)
                said.waitForEnd()
                #expect(try run.outcome().exitCode == 74)
                #expect(said.text.contains("file too large; it is tried again in 0.100 s (1 of 1)\n"))
                #expect(said.text.contains("file too large\nweir: [one] stopped early; "), "\(said.text)")
                #expect(!said.text.contains("begins anew"))
                #expect(try weir.text(of: "bad.txt").hasSuffix("no\n"))
            }

            @Test(arguments: [true, false])
            func whatWaitsCanBeStoppedOrChanged(isStopped: Bool) throws {
                try configure(#""from": "in.csv""#)
                let errors = Pipe()
                let run = try start(fileLimit: 5000, errors)
                var said = Arrivals(errors)
                let isWaiting = said.wait(for: "it is tried again in 0.400 s")
                #expect(isWaiting)
                if isStopped {
                    run.process.interrupt()
                } else {
                    try weir.file(
                        "c.json",
                        #"{"pipelines": {"one": {"plugin": "shake", "from": "in.csv", "to": "/dev/null"}}}"#
                    )
                    kill(run.process.processIdentifier, SIGHUP)
                }
                said.waitForEnd()
                let outcome = try run.outcome()
                #expect(outcome.exitCode == (isStopped ? 130 : 0), "\(said.text)")
                let remark = "; 'in.csv' is read from its beginning again, so matches may come twice\n"
                #expect(said.text.contains(remark) != isStopped)
            }
        }
    }
#endif
