import Foundation
import Testing
import WeirCore
import WeirState

@testable import weir

#if canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    extension HostTests {
        /// Large states, which copies of the process save while the run goes on.
        @Suite struct CopiedStateTests {
            /// How records come to the plugins.
            enum Way: CaseIterable {
                case oneThread
                case workers

                /// A run that keeps no state.
                var words: [String] {
                    let workers = ["--partition-by", "key", "--workers", "2"]
                    return StateTests.variants[0] + (self == .workers ? workers : [])
                }

                /// A run that does; workers come to fewer moments at which it is saved.
                var saving: [String] {
                    words + [
                        "--state", "$/state", "--fsync", "never", "--checkpoint", self == .workers ? "50ms" : "3s",
                    ]
                }
            }

            private static let ballast = 5 << 20

            private let run: StateRun

            init() throws {
                run = try StateRun()
            }

            private var found: [String] { StateTests.outputs.map { run.text($0) } }

            /// What a run that keeps no state writes.
            private func expected(_ way: Way) throws -> [String] {
                // More than is on its way to workers at a time.
                try StateTests.prepare(run, seed: 21, count: way == .workers ? 40_000 : 12_000)
                #expect(try run.run(way.words).code == .done)
                defer {
                    for name in StateTests.outputs {
                        try? FileManager.default.removeItem(atPath: run.folder + "/" + name)
                    }
                }
                return found
            }

            /// Runs until no copy has waited for a lock that a thread of another test held, which no program has.
            private func runUndisturbed(
                _ body: () throws -> (code: ExitCode, said: String)
            ) throws -> (code: ExitCode, said: String) {
                for _ in 0..<9 {
                    let outcome = try body()
                    guard outcome.said.contains("waited for a lock of another thread") else { return outcome }
                    for name in ["state"] + StateTests.outputs {
                        try? FileManager.default.removeItem(atPath: run.folder + "/" + name)
                    }
                }
                return try body()
            }

            /// How often the state of a run was saved, and how often by the run itself.
            private func saves(_ words: [String]) throws -> (all: UInt64, here: UInt64) {
                let process = getpid()
                let here = Locked(UInt64(0))
                let outcome = try runUndisturbed {
                    here.withLock { $0 = 0 }
                    return try run.run(
                        words,
                        ballast: Self.ballast,
                        onSave: { if getpid() == process { here.withLock { $0 += 1 } } }
                    )
                }
                #expect(outcome.code == .done && !outcome.said.contains("copy"), "\(outcome.said)")
                let newest = try #require(StateFolder.newest(in: run.folder + "/state") { _ in })
                return (newest.checkpoint.number, here.withLock { $0 })
            }

            @Test(arguments: Way.allCases) func whatCopiesSaveIsTheSame(way: Way) throws {
                defer { run.remove() }
                let words = way.saving
                let expected = try expected(way)
                let saves = try saves(words)
                #expect(found == expected)
                // Each worker has a plugin of its own.
                #expect(saves.all > saves.here / (way == .workers ? 2 : 1), "\(saves)")
                #expect(try run.run(words, ballast: Self.ballast).said.contains("nothing to do"))
            }

            @Test(arguments: Way.allCases) func aRunThatIsKilledWithItsCopyGoesOn(way: Way) async throws {
                defer { run.remove() }
                let (words, clock) = (way.saving, StateRun.Clock())
                let expected = try expected(way)
                #expect(try run.run(words, ballast: Self.ballast, clock: clock).code == .done)
                try FileManager.default.removeItem(atPath: run.folder + "/state")
                let count = max(6, StateTests.killCount / 6)
                var random = SeededGenerator(seed: 5)
                var (kill, goneOn) = (0, 0)
                while StateTests.needsKill(kill, of: count, goneOn) {
                    kill += 1
                    // Workers have read most of the input before their first large state is written.
                    let range = way == .workers ? clock.count * 3 / 4...clock.count - 1 : 1...max(1, clock.count / 2)
                    let looks = Int.random(in: range, using: &random)
                    let delay = UInt32.random(in: 0..<5000, using: &random)
                    await StateTests.killRun(in: run.folder, words, ballast: Self.ballast, after: looks, delay)
                    guard kill % 2 == 0 else { continue }
                    let last = try run.run(words, ballast: Self.ballast)
                    if last.said.contains("goes on behind") { goneOn += 1 }
                    #expect(last.code == .done, "\(last.said)")
                    #expect(found == expected, "kill \(kill): \(last.said)")
                    try FileManager.default.removeItem(atPath: run.folder + "/state")
                }
                #expect(goneOn > 0)
                print("weir --state: copies, \(kill) kills, \(goneOn) runs went on")
            }

            @Test(arguments: Way.allCases) func aCopyThatIsLostIsSaidOnceAndTheRunSavesItself(way: Way) throws {
                defer { run.remove() }
                let (words, process) = (way.saving, getpid())
                let expected = try expected(way)
                let outcome = try runUndisturbed {
                    try run.run(
                        words,
                        ballast: Self.ballast,
                        onSave: { if getpid() != process { kill(getpid(), SIGKILL) } }
                    )
                }
                #expect(outcome.code == .done, "\(outcome.said)")
                #expect(found == expected)
                #expect(outcome.said.split(separator: "\n").count { $0.contains("was ended by signal 9;") } == 1)
                #expect(!outcome.said.contains("cannot be saved"), "\(outcome.said)")
                #expect(try run.run(words, ballast: Self.ballast).said.contains("nothing to do"))
            }

            @Test func whatACopyCannotWriteIsSaidOnceAndTheRunGoesOn() throws {
                defer { run.remove() }
                let (folder, process) = (run.folder, getpid())
                let expected = try expected(.oneThread)
                let outcome = try run.run(
                    Way.oneThread.saving,
                    ballast: Self.ballast,
                    onSave: {
                        // The first copy takes the folder away.
                        guard getpid() != process, unsafe mkdir(folder + "/taken", 0o777) == 0 else { return }
                        _ = unsafe rename(folder + "/state", folder + "/gone")
                    }
                )
                #expect(outcome.code == .done)
                #expect(found == expected)
                let said = outcome.said.split(separator: "\n")
                #expect(
                    said.count { $0.contains("the state cannot be saved, and the run goes on with") } == 1,
                    "\(said)"
                )
            }
        }
    }
#endif
