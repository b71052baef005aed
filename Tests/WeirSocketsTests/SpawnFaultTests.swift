#if os(Linux)
    import CWeirFaults
    import Foundation
    import Glibc
    import Testing
    import WeirCore
    import WeirFiles
    import WeirRecords

    @testable import WeirSockets

    /// Each system call that starts a program fails in turn, in each of its ways.
    ///
    /// Each test runs in a process of its own, because the faults are the whole process's.
    @Suite(.serialized) struct SpawnFaultTests {
        private static let spawning = UInt32(CWEIR_FAULT_SPAWNING)

        /// How many pipes are open.
        private static func openPipes() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                return target?.hasPrefix("pipe:") ?? false
            }
        }

        /// Whether this process has children that it has not waited for.
        private static var hasChildren: Bool { waitpid(-1, nil, WNOHANG) >= 0 }

        @Test func aProgramThatCannotBeStartedLeavesNothingBehind() async {
            await #expect(processExitsWith: .success) {
                for writes in [true, false] {
                    var faults = 0
                    let pipes = try Self.openPipes()
                    for choice in UInt64(0)..<2 {
                        for nth in UInt64(0)... {
                            var program: ChildProgram?
                            var fault: SystemError?
                            #expect(cweir_faults_begin_once(choice, Self.spawning, nth))
                            do throws(SystemError) {
                                program = try ChildProgram("sleep 60", writes: writes)
                            } catch {
                                fault = error
                            }
                            let isOver = cweir_faults_end() == 0
                            // A call that fails is told, and none is passed over.
                            #expect((program == nil) == !isOver && (fault == nil) == isOver, "call \(nth)")
                            if let program {
                                close(program.pipe)
                                program.ask()
                                #expect(program.end(by: .now).status == 128 + 15)
                            }
                            program = nil
                            let left = try Self.openPipes()
                            #expect(left == pipes && !Self.hasChildren, "choice \(choice), call \(nth): \(left) pipes")
                            if isOver { break }
                            faults += 1
                        }
                    }
                    // Two pipes, two programs, and what says how these are started.
                    #expect(faults > 20, "\(faults)")
                }
            }
        }

        @Test func aSourceGoesOnWhereTheSystemCouldNotStartItsCommand() async {
            await #expect(processExitsWith: .success) {
                for nth in UInt64(0)..<40 {
                    let folder = try Folder()
                    let command =
                        "echo run >> \(folder("runs")); echo line; exec test $(wc -l < \(folder("runs"))) -ge 3"
                    #expect(cweir_faults_begin_once(0, Self.spawning, nth))
                    var end: TransportError?
                    var lines: [String] = []
                    do {
                        let collector = Collector(try ExecTransport().openSource(command + "?retry=1ms"))
                        end = try collector.waitForEnd()
                        lines = collector.lines
                    } catch let error as TransportError {
                        // The first run is needed to open the source.
                        end = error
                    }
                    let failed = cweir_faults_end()
                    #expect(end == nil || failed == 1, "call \(nth): \(end as Any)")
                    #expect(lines == (end == nil ? ["line", "line", "line"] : []), "call \(nth): \(lines)")
                    #expect(!Self.hasChildren, "call \(nth)")
                }
            }
        }

        @Test func aSinkLosesNothingWhereTheSystemCouldNotStartItsCommand() async {
            await #expect(processExitsWith: .success) {
                for nth in UInt64(0)..<20 {
                    let folder = try Folder()
                    #expect(cweir_faults_begin_once(0, Self.spawning, nth))
                    var failure: (any Error)?
                    do {
                        let sink = try ExecTransport().openSink("cat > \(folder("out"))?retry=1ms&linger=60s")
                        try sink.write(Array("a\nb\n".utf8))
                        try sink.finish()
                        #expect(sink.meter?.metrics.delivered == 2 && sink.meter?.metrics.isBalanced == true)
                    } catch {
                        failure = error
                    }
                    _ = cweir_faults_end()
                    let text = try? String(contentsOfFile: folder("out"), encoding: .utf8)
                    #expect(failure != nil || text == "a\nb\n", "call \(nth): \(text as Any)")
                    #expect(!Self.hasChildren, "call \(nth)")
                }
            }
        }
    }
#endif
