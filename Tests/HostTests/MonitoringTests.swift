#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    extension HostTests {
        /// Looking at a run: the control socket, metrics, the live display.
        @Suite struct MonitoringTests {
            private let weir: WeirProcess

            init() throws {
                weir = try WeirProcess()
            }

            /// Starts a run that has found one match and waits for more.
            private func start(_ options: [String]) throws -> (run: Running, input: Pipe) {
                let input = Pipe()
                let output = Pipe()
                let run = try weir.start(
                    ["run", "shake", "--quiet-period", "0"] + options,
                    input: .pipe(input),
                    output: output.fileHandleForWriting
                )
                try output.fileHandleForWriting.close()
                try input.fileHandleForWriting.write(contentsOf: Data((jerk + "wrong\n").utf8))
                var arrivals = Arrivals(output)
                let matchArrived = arrivals.wait(for: jerkMatch)
                #expect(matchArrived)
                return (run, input)
            }

            @Test func theControlSocketAnswersItsUserOnly() throws {
                let (run, input) = try start(["--control", "weir.sock"])
                var status = stat()
                #expect(unsafe stat(weir.folder + "/weir.sock", &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                let other = try WeirProcess()
                let path = weir.folder + "/weir.sock"
                // The match is written before its batch is counted.
                var metrics = try other.ask(path, "--metrics")
                while !metrics.contains("weir_rejected_total{pipeline=\"shake\"} 1\n") {
                    try #require(run.process.isRunning)
                    metrics = try other.ask(path, "--metrics")
                }
                #expect(metrics.contains("# TYPE weir_events_total counter\nweir_events_total{pipeline=\"shake\"} 2\n"))
                #expect(metrics.contains("weir_matches_total{pipeline=\"shake\"} 1\n"))
                #expect(metrics.contains("weir_up{pipeline=\"shake\"} 1\n"))
                #expect(metrics.contains("weir_delay_seconds{pipeline=\"shake\",quantile=\"0.99\"} "))
                #expect(metrics.contains("weir_watermark_seconds{pipeline=\"shake\"} 0.02\n"))
                let json = try other.ask(path, "--json")
                let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                let pipelines = try #require(object?["pipelines"] as? [[String: Any]])
                #expect(pipelines.first?["matches"] as? Int == 1)
                let snapshot = try other.ask(path, "--snapshot")
                #expect(snapshot.contains("watermark  1970-01-01T00:00:00.02Z\n"))
                try WeirProcess.eventually("it is taken") {
                    let taken = try other.run("run", "shake", "--from", "demo", "--control", path)
                    #expect(taken.exitCode == 73)
                    return taken.errors.contains("another program answers there")
                }
                _ = try other.ask(path, "--json")
                try input.fileHandleForWriting.close()
                #expect(try run.outcome().exitCode == 0)
                #expect(!FileManager.default.fileExists(atPath: path))
                let gone = try other.run("top", path, "--json")
                #expect(gone.exitCode == 66)
            }

            @Test(arguments: [false, true])
            func partialMatchesOfAllWorkersAreCounted(isLoaded: Bool) throws {
                let library =
                    URL(fileURLWithPath: try WeirProcess.program).deletingLastPathComponent().path
                    + "/libWeirFraudPlugin.so"
                let input = Pipe()
                let run = try weir.start(
                    [
                        "run", isLoaded ? library : "fraud", "--partition-by", "card", "--workers", "3",
                        "--to", "m.jsonl", "--control", "c.sock",
                    ],
                    input: .pipe(input)
                )
                let rows = (0..<7).map { "\($0 * 1000),card\($0),100,52,13,true\n" }.joined()
                let text = "time,card,amount,latitude,longitude,face-to-face\n" + rows
                try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
                let other = try WeirProcess()
                let limit = Date(timeIntervalSinceNow: WeirProcess.patience)
                var metrics = ""
                while Date() < limit, !metrics.contains("weir_events_total{pipeline=\"fraud\"} 7\n") {
                    metrics = try other.run("top", weir.folder + "/c.sock", "--metrics").output
                }
                #expect(metrics.contains("weir_partial_matches{pipeline=\"fraud\"} 7\n"))
                try input.fileHandleForWriting.close()
                #expect(try run.outcome().exitCode == 0)
            }

            @Test func whatAKilledProgramLeftBehindIsReplaced() throws {
                let (run, input) = try start(["--control", "weir.sock"])
                kill(run.process.processIdentifier, SIGKILL)
                _ = try run.outcome()
                try input.fileHandleForWriting.close()
                #expect(FileManager.default.fileExists(atPath: weir.folder + "/weir.sock"))
                #expect(try weir.run("run", "shake", "--from", "demo", "--control", "weir.sock").exitCode == 0)
                try weir.file("precious", "data")
                let refused = try weir.run("run", "shake", "--from", "demo", "--control", "precious")
                #expect(refused.exitCode == 73)
                #expect(try weir.text(of: "precious") == "data")
            }

            @Test func metricsAreKeptInAFile() throws {
                let outcome = try weir.run("run", "shake", "--from", "demo", "--metrics", "weir.prom")
                #expect(outcome.exitCode == 0)
                let text = try weir.text(of: "weir.prom")
                #expect(text.contains("weir_events_total{pipeline=\"shake\"} 1000\n"))
                #expect(text.contains("weir_matches_total{pipeline=\"shake\"} 3\n"))
                #expect(!FileManager.default.fileExists(atPath: weir.folder + "/weir.prom.new"))
                let unwritable = try weir.run("run", "shake", "--from", "demo", "--metrics", "nowhere/weir.prom")
                #expect(unwritable.exitCode == 73)
            }

            @Test func aDisplayNeedsATerminal() throws {
                // A session of its own has no terminal.
                let outcome = try weir.run("run", "shake", "--from", "demo", "--to", "m.jsonl", "--live")
                if outcome.exitCode != 0 {
                    #expect(outcome.exitCode == 2)
                    #expect(outcome.errors == "weir: --live needs a terminal\n")
                }
            }
        }
    }
#endif
