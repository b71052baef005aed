import Foundation
import Testing

extension HostTests {
    /// A crash ends the program at once, by its signal and with one line; so does a second signal.
    @Suite struct CrashTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        /// How many runs crash at a time.
        private static let batch = 10

        private static let toNull = WeirProcess.plugin("crash", receiving: "*(volatile int *)0 = 1;")

        private static let advice = "; SWIFT_BACKTRACE=enable=yes shows where\n"

        /// Runs until each has ended, several at a time.
        private func outcomes(
            of arguments: [String],
            count: Int,
            environment: [String: String] = [:]
        ) throws -> [Outcome] {
            var outcomes: [Outcome] = []
            while outcomes.count < count {
                let runs = try (0..<min(Self.batch, count - outcomes.count)).map { _ in
                    try WeirProcess().start(arguments, input: .nothing, environment: environment)
                }
                outcomes += try runs.map { try $0.outcome() }
            }
            return outcomes
        }

        @Test func aLibraryThatWritesToNullEndsEveryRunAtOnce() throws {
            let library = try weir.library("crash.so", Self.toNull)
            for arguments in [[], ["--partition-by", "time", "--workers", "2"]] {
                let thread = arguments.isEmpty ? "weir" : "weir.worker"
                for outcome in try outcomes(of: ["run", library, "--from", "demo"] + arguments, count: 50) {
                    #expect(outcome.exitCode == -SIGSEGV)
                    #expect(
                        outcome.errors
                            == "weir: crashed by SIGSEGV, no access to address 0x0, in plugin 'crash' on thread "
                            + "'\(thread)'; mend it or leave it out" + Self.advice
                    )
                }
            }
        }

        /// Whatever of a plugin is called, it is the plugin that is at fault.
        @Test(arguments: ["start", "finish", "done", "demo", "partition"])
        func aCrashInAnyFunctionIsThePlugins(function: String) throws {
            let source = WeirProcess.plugin("crash", receiving: "")
                .replacing(
                    ".\(Self.members[function] ?? function) = \(function)",
                    with: ".\(Self.members[function] ?? function) = bad"
                )
                .replacing(
                    "static const weir_plugin table",
                    with: Self.bad(function) + "static const weir_plugin table"
                )
            let library = try weir.library("crash.so", source)
            for arguments in [[], ["--partition-by", "time", "--workers", "2"]] {
                let outcome = try weir.start(["run", library, "--from", "demo"] + arguments, input: .nothing).outcome()
                #expect(outcome.exitCode == -SIGSEGV)
                let line = "weir: crashed by SIGSEGV, no access to address 0x0, in plugin 'crash' on thread 'weir"
                #expect(outcome.errorLines.last?.hasPrefix(line) == true, "\(outcome.errors)")
            }
        }

        private static let members = ["done": "release", "partition": "partition_field"]

        /// A function of a plugin that writes to NULL.
        private static func bad(_ function: String) -> String {
            let result = function == "start" ? "static void *bad" : "static void bad"
            let parameters = [
                "start": "const weir_setting *s, size_t n, const weir_host *h", "done": "void *i",
                "finish": "void *i, weir_text f, const weir_host *h", "demo": "uint64_t s, const weir_host *h",
                "partition": "const weir_setting *s, size_t n, const weir_host *h",
            ]
            return
                "\(result)(\(parameters[function] ?? "")) { *(volatile int *)0 = 1; \(function == "start" ? "return 0; " : "")}\n"
        }

        /// The backtracer pauses all threads with a signal, and waits for them.
        ///
        /// The program ends at once. A backtracer that outlives it must not keep what tells the test of the end, so the
        /// program gets only the standard streams.
        @Test func swiftsBacktracerDoesNotHang() throws {
            let library = try weir.library("crash.so", Self.toNull)
            let closing =
                #"(for f in /proc/self/fd/*; do n=${f##*/}; [ "$n" -le 2 ] || eval "exec $n>&-"; done; exec "$@"); exit $?"#
            for _ in 0..<3 {
                let outcome = try weir.start(
                    ["run", library, "--from", "demo"],
                    input: .nothing,
                    environment: ["SWIFT_BACKTRACE": "enable=yes,color=no"],
                    launcher: ["/bin/bash", "-c", closing, "weir"]
                )
                .outcome()
                #expect(outcome.exitCode == 128 + SIGSEGV)
                #expect(outcome.errors.hasPrefix("weir: crashed by SIGSEGV, no access to address 0x0, in plugin"))
            }
        }

        @Test(arguments: [
            ("__builtin_trap();", SIGILL, "SIGILL, a failed check or a trap"),
            ("raise(SIGTRAP);", SIGTRAP, "SIGTRAP"),
            ("abort();", SIGABRT, "SIGABRT, an abort"),
            ("counter = overflow(0);", SIGSEGV, "SIGSEGV, the stack is used up"),
        ])
        func everyKindOfCrashIsALine(body: String, number: Int32, words: String) throws {
            let library = try weir.library("crash.so", WeirProcess.plugin("crash", receiving: body))
            for arguments in [[], ["--partition-by", "time", "--workers", "2"]] {
                let outcome = try weir.start(["run", library, "--from", "demo"] + arguments, input: .nothing).outcome()
                #if arch(x86_64)
                    #expect(outcome.exitCode == -number)
                    #expect(outcome.errors.hasPrefix("weir: crashed by \(words), in plugin 'crash' on thread "))
                #else
                    // Other machines raise other signals for a trap.
                    #expect(outcome.exitCode < 0)
                #endif
                #expect(outcome.errorLines.count == 1)
            }
        }

        /// Starts a run, and waits until it has read a header: its handlers of signals are in place then.
        private func startReading(_ arguments: [String], from input: Pipe) throws -> Running {
            // The pipe's own is closed with the start.
            let reading = dup(input.fileHandleForReading.fileDescriptor)
            defer { close(reading) }
            let run = try weir.start(arguments, input: .pipe(input))
            try input.fileHandleForWriting.write(contentsOf: Data("time,x,y,z\n".utf8))
            try WeirProcess.eventually("the input is read") {
                var count: Int32 = 0
                return unsafe ioctl(reading, UInt(FIONREAD), &count) == 0 && count == 0
            }
            return run
        }

        /// Whatever the program does: the line and the status are those of the signal.
        @Test(arguments: [
            ["run", "shake"], ["record", "-", "a.rec"], ["run", "--config", "pipelines.json"], ["report", "shake"],
        ])
        func everyCommandEndsByTheSignal(arguments: [String]) throws {
            try weir.file("pipelines.json", #"{"pipelines": {"a": {"plugin": "shake", "from": "stdin"}}}"#)
            let input = Pipe()
            let run = try startReading(arguments, from: input)
            kill(run.process.processIdentifier, SIGSEGV)
            let outcome = try run.outcome()
            #expect(outcome.exitCode == -SIGSEGV)
            #expect(
                outcome.errors.hasPrefix(
                    "weir: crashed by SIGSEGV, sent by process \(ProcessInfo.processInfo.processIdentifier)"
                )
            )
            #expect(outcome.errorLines.count == 1)
        }

        @Test(arguments: [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")], [false, true])
        func theSecondSignalEndsWhatNeverReturns(second: (number: Int32, name: String), hasWorkers: Bool) throws {
            let body = """
                h->take_lines(h->context, (weir_text)TEXT("{}\\n"), 1); fclose(fopen("runs", "w")); for (;;) counter++;
                """
            let library = try weir.library("loop.so", WeirProcess.plugin("loop", receiving: body))
            let input = Pipe()
            let run = try weir.start(
                ["run", library] + (hasWorkers ? ["--partition-by", "time", "--workers", "2"] : []),
                input: .pipe(input)
            )
            try input.fileHandleForWriting.write(contentsOf: Data("time\n1\n".utf8))
            let folder = weir.folder
            try WeirProcess.eventually("the library runs") { FileManager.default.fileExists(atPath: folder + "/runs") }
            kill(run.process.processIdentifier, SIGTERM)
            // Signals in quick succession are one, as those of timeout(1), so it comes until it is another one.
            try WeirProcess.eventually("a second signal ends it") {
                kill(run.process.processIdentifier, second.number)
                return !run.process.isRunning
            }
            let outcome = try run.outcome()
            #expect(outcome.exitCode == -second.number)
            let line = "weir: ended by a second signal, \(second.name) (status \(128 + second.number)): plugin 'loop' "
            #expect(outcome.errors.hasPrefix(line + "has not returned for "))
            #expect(outcome.errors.hasSuffix(" s; what it found in this batch is lost\n"))
            #expect(outcome.errorLines.count == 1)
        }

        /// Signals interrupt system calls on any thread; none of them may cost a record.
        @Test func manySnapshotsCostNoRecord() throws {
            let input = Pipe()
            let run = try startReading(["run", "shake"], from: input)
            let lines = (0..<20_000).map { "\($0),0,0,1\n" }
            for start in stride(from: 0, to: lines.count, by: 100) {
                kill(run.process.processIdentifier, SIGUSR1)
                try input.fileHandleForWriting.write(contentsOf: Data(lines[start..<start + 100].joined().utf8))
            }
            try input.fileHandleForWriting.close()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors.contains("weir: 20,000 events read, 0 rejected, 0 matches in "))
        }

        #if os(Linux)
            @Test func aCrashGivesTheTerminalBack() throws {
                let body = "if (b->count > 0 && b->bytes[b->slots[0].start] == '9') *(volatile int *)0 = 1;"
                let library = try weir.library("crash.so", WeirProcess.plugin("crash", receiving: body))
                let terminal = try Terminal()
                terminal.resize(columns: 80, rows: 24)
                // A pipe with a name, open for reading and writing, so that nobody waits: the terminal is the input.
                #expect(unsafe mkfifo(weir.folder + "/in.fifo", 0o600) == 0)
                let input = try #require(FileHandle(forUpdatingAtPath: weir.folder + "/in.fifo"))
                let run = try weir.start(
                    ["run", library, "in.fifo", "--format", "csv", "--to", "out.jsonl", "--live"],
                    input: .handle(terminal.side),
                    output: terminal.side,
                    errors: terminal.side,
                    environment: ["TERM": "xterm", "NO_COLOR": "", "XDG_RUNTIME_DIR": weir.folder],
                    launcher: ["/usr/bin/setsid", "--ctty", "--wait"]
                )
                try input.write(contentsOf: Data("time\n1\n".utf8))
                var arrivals = Arrivals(terminal.screen)
                let displayArrived = arrivals.wait(for: "PIPELINE")
                #expect(displayArrived)
                try input.write(contentsOf: Data("9\n".utf8))
                let lineArrived = arrivals.wait(for: "\u{1B}[?25h\u{1B}[?1049lweir: crashed by SIGSEGV")
                #expect(lineArrived)
                _ = try run.outcome()
            }
        #endif
    }
}
