#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    extension HostTests {
        /// The live display, on a terminal of its own.
        @Suite struct LiveTests {
            private let weir: WeirProcess
            private let terminal: Terminal

            init() throws {
                weir = try WeirProcess()
                terminal = try Terminal()
                terminal.resize(columns: 80, rows: 24)
            }

            /// Starts the program as the leader of a session whose terminal is the test's.
            private func start(_ arguments: String...) throws -> Running {
                try weir.start(
                    arguments,
                    input: .handle(terminal.side),
                    output: terminal.side,
                    errors: terminal.side,
                    environment: ["TERM": "xterm", "NO_COLOR": "", "XDG_RUNTIME_DIR": weir.folder],
                    launcher: ["/usr/bin/setsid", "--ctty", "--wait"]
                )
            }

            /// A pipe with a name, open for reading and writing, so that nobody waits.
            private func pipe(_ name: String) throws -> FileHandle {
                #expect(unsafe mkfifo(weir.folder + "/" + name, 0o600) == 0)
                return try #require(FileHandle(forUpdatingAtPath: weir.folder + "/" + name))
            }

            /// Reads until the run is on the screen, and has written the match of what waited in its input.
            private func waitForShake(_ arrivals: inout Arrivals) throws {
                _ = try wait(&arrivals) {
                    $0.lines[2].hasPrefix("shake") && (try? weir.text(of: "m.jsonl")) == jerkMatch
                }
            }

            /// Reads until the screen is as wanted.
            private func wait(
                _ arrivals: inout Arrivals,
                columns: Int = 80,
                rows: Int = 24,
                until isWanted: (ShownText) -> Bool
            ) throws -> ShownText {
                let limit = Date(timeIntervalSinceNow: WeirProcess.patience)
                while Date() < limit {
                    _ = arrivals.takeSome(milliseconds: 1000)
                    // What was drawn for another size has been wiped away.
                    let start = arrivals.text.range(of: "\u{1B}[2J", options: .backwards)?.lowerBound
                    guard let start else { continue }
                    let shown = ShownText(columns: columns, rows: rows, String(arrivals.text[start...]))
                    if isWanted(shown) { return shown }
                }
                Issue.record("the screen never was as wanted: \(arrivals.text.suffix(4000))")
                throw CancellationError()
            }

            private static let purchases =
                "time,card,amount,latitude,longitude,face-to-face\n"
                + (0..<5).map { "\($0 * 1000),card\($0),100,52,13,true\n" }.joined()

            @Test func aRunIsShownInAnySizeAndFollowsKeys() throws {
                let input = try pipe("in.fifo")
                try input.write(contentsOf: Data(Self.purchases.utf8))
                let run = try start("run", "fraud", "in.fifo", "--to", "m.jsonl", "--live", "--control", "c.sock")
                var arrivals = Arrivals(terminal.screen)
                // Five cards whose second purchase may come from far away.
                let shown = try wait(&arrivals) { $0.lines[3].contains("watermark 1970-01-01T00:00:04") }
                #expect(!shown.hasOverflown)
                let heading = shown.lines[1].split(separator: " ").map(String.init)
                #expect(
                    heading
                        == [
                            "PIPELINE", "STATE", "IN/S", "OUT/S", "P50", "P99", "PENDING", "PARTIAL", "REJECTED",
                            "DROPPED",
                        ]
                )
                let cells = shown.lines[2].split(separator: " ").map(String.init)
                #expect(cells.count == heading.count)
                #expect(cells.prefix(2) == ["fraud", "running"])
                #expect(zip(heading, cells).first { $0.0 == "PARTIAL" }?.1 == "5")
                #expect(shown.lines[23] == "q quit  p pause  s sort: name")

                let other = try WeirProcess()
                let metrics = try other.ask(weir.folder + "/c.sock", "--metrics")
                #expect(metrics.contains("\nweir_partial_matches{pipeline=\"fraud\"} 5\n"))
                #expect(
                    try other.ask(weir.folder + "/c.sock", "--snapshot").contains("partial matches  5\n")
                )

                for (columns, rows) in [(40, 10), (200, 60), (20, 3), (80, 24)] {
                    terminal.resize(columns: UInt16(columns), rows: UInt16(rows))
                    let shown = try wait(&arrivals, columns: columns, rows: rows) {
                        $0.lines[rows - 1].hasPrefix("q quit") && !$0.hasOverflown
                    }
                    #expect(shown.lines[0] == "weir run")
                    #expect(shown.lines[1].hasPrefix("PIPELINE"))
                    #expect((columns == 200) == shown.lines[1].contains("LAST MINUTE"))
                }
                terminal.type("s")
                _ = try wait(&arrivals) { $0.lines[23].hasSuffix("sort: rate") }
                terminal.type("p")
                _ = try wait(&arrivals) { $0.lines[23].contains("paused") }
                terminal.type("q")
                let outcome = try run.outcome()
                #expect(outcome.exitCode == 130)
                arrivals.waitForMore(until: "interrupted; 5 events read")
                let end = ShownText(columns: 80, rows: 24, arrivals.text)
                #expect(!end.isOtherScreen && end.isCursorShown)
                #expect(arrivals.text.contains("weir: interrupted; 5 events read"))
                try input.close()
            }

            @Test func ctrlCGivesTheTerminalBackAtOnce() throws {
                let input = try pipe("in.fifo")
                try input.write(contentsOf: Data(jerk.utf8))
                let run = try start("run", "shake", "in.fifo", "--to", "m.jsonl", "--live")
                var arrivals = Arrivals(terminal.screen)
                try waitForShake(&arrivals)
                // The terminal's driver makes a signal of it, for the program in front.
                terminal.type("\u{3}")
                #expect(try run.outcome().exitCode == 130)
                arrivals.waitForMore(until: "interrupted; 2 events read")
                let end = ShownText(columns: 80, rows: 24, arrivals.text)
                #expect(!end.isOtherScreen && end.isCursorShown)
                #expect(try weir.text(of: "m.jsonl") == jerkMatch)
                try input.close()
            }

            @Test func aRunEndsInOrderWhenItsTerminalGoesAway() throws {
                // Tests that run under `nohup` ignore the signal, and so would the program that they start.
                signal(SIGHUP, SIG_DFL)
                let input = try pipe("in.fifo")
                try input.write(contentsOf: Data(jerk.utf8))
                let run = try start("run", "shake", "in.fifo", "--to", "m.jsonl", "--live", "--control", "c.sock")
                var arrivals = Arrivals(terminal.screen)
                try waitForShake(&arrivals)
                try terminal.side.close()
                close(terminal.screen)
                #expect(try run.outcome().exitCode == 130)
                #expect(try weir.text(of: "m.jsonl") == jerkMatch)
                #expect(!FileManager.default.fileExists(atPath: weir.folder + "/c.sock"))
                try input.close()
            }

            @Test func topShowsAnotherProgramUntilThatEnds() throws {
                let input = Pipe()
                let run = try weir.start(
                    ["run", "shake", "--control", "c.sock", "--to", "m.jsonl"],
                    input: .pipe(input)
                )
                try input.fileHandleForWriting.write(contentsOf: Data(jerk.utf8))
                let path = weir.folder + "/c.sock"
                let other = try WeirProcess()
                _ = try other.ask(path, "--json")
                let top = try other.start(
                    ["top", path],
                    input: .handle(terminal.side),
                    output: terminal.side,
                    errors: terminal.side,
                    environment: ["TERM": "xterm", "NO_COLOR": "1"],
                    launcher: ["/usr/bin/setsid", "--ctty", "--wait"]
                )
                var arrivals = Arrivals(terminal.screen)
                let shown = try wait(&arrivals) { $0.lines[2].hasPrefix("shake") && $0.lines[2].contains("running") }
                #expect(shown.lines[0].hasPrefix("weir top /"))
                // Without patterns there is no number of partial matches, not even zero.
                #expect(shown.lines[2].contains(" - "))
                #expect(!arrivals.text.contains("\u{1B}[1m"))
                try input.fileHandleForWriting.close()
                #expect(try run.outcome().exitCode == 0)
                #expect(try top.outcome().exitCode == 0)
                arrivals.waitForMore(until: "answers no more")
                #expect(arrivals.text.contains("answers no more: the program has ended"))
            }

            /// Neither one pipeline nor those of a configuration may write where the display is.
            @Test func matchesAndDisplayNeedTwoPlaces() throws {
                try weir.file("a.csv", jerk)
                try weir.file("c.json", #"{"pipelines": {"one": {"plugin": "shake", "from": "a.csv"}}}"#)
                for arguments in [["shake", "a.csv"], ["--config", "c.json"]] {
                    let run = try weir.start(
                        ["run"] + arguments + ["--live", "--control", "none"],
                        input: .handle(terminal.side),
                        output: terminal.side,
                        launcher: ["/usr/bin/setsid", "--ctty", "--wait"]
                    )
                    let outcome = try run.outcome()
                    #expect(outcome.exitCode == 2)
                    #expect(
                        outcome.errors.hasPrefix(
                            "weir: --live needs the terminal for itself; send the matches elsewhere"
                        )
                    )
                }
            }

            /// The display and the metrics of a run that waits, over three drawings.
            @Test func lookingCostsNextToNothing() throws {
                let input = try pipe("in.fifo")
                try input.write(contentsOf: Data(jerk.utf8))
                let run = try start("run", "shake", "in.fifo", "--to", "m.jsonl", "--live", "--metrics", "m.prom")
                var arrivals = Arrivals(terminal.screen)
                func drawings() -> Int { arrivals.text.components(separatedBy: "\u{1B}[H").count }
                func waitForDrawings(_ count: Int) {
                    let limit = Date(timeIntervalSinceNow: WeirProcess.patience)
                    while drawings() < count, Date() < limit { _ = arrivals.takeSome(milliseconds: 1000) }
                }
                waitForDrawings(3)
                // Others are read late where the tests had no processor.
                while arrivals.takeSome(milliseconds: 0) {}
                let process = try Self.child(of: run.process.processIdentifier)
                let (first, start, before) = (drawings(), ContinuousClock.now, try Self.processorTicks(process))
                waitForDrawings(first + 3)
                let seconds = max(2, (ContinuousClock.now - start) / .seconds(1))
                // A hundredth when it is optimised, and the clock has no finer ticks than one.
                let share = Double(try Self.processorTicks(process) - before - 1) / 100 / seconds
                #expect(share <= 0.04, "\(share) of a core")
                terminal.type("q")
                #expect(try run.outcome().exitCode == 130)
                try input.close()
            }

            /// The program that a launcher has started, or become.
            private static func child(of process: Int32) throws -> Int32 {
                let text = try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
                return text.split(separator: " ").first.flatMap { Int32($0) } ?? process
            }

            private static func processorTicks(_ process: Int32) throws -> Int {
                let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
                // Behind the name, which may have anything in it.
                let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
                return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
            }
        }
    }

    extension Arrivals {
        /// Reads what a program that has ended left on its terminal.
        mutating func waitForMore(until wanted: String) {
            while !text.contains(wanted), takeSome(milliseconds: Int32(WeirProcess.patience * 1000)) {}
        }
    }
#endif
