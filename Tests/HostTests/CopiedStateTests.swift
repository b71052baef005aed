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
            private static let variant = StateTests.variants[0]
            private static let words = variant + ["--state", "$/state", "--checkpoint", "3s", "--fsync", "never"]
            private static let ballast = 5 << 20

            private let run: StateRun
            private let expected: [String]

            init() throws {
                run = try StateRun()
                try StateTests.prepare(run, seed: 21)
                #expect(try run.run(Self.variant).code == .done)
                expected = StateTests.outputs.map { [run] in run.text($0) }
            }

            private var found: [String] { StateTests.outputs.map { run.text($0) } }

            /// How often the state of a run was saved, and how often by the run itself.
            private func saves() throws -> (all: UInt64, here: UInt64) {
                let process = getpid()
                let here = Locked(UInt64(0))
                let outcome = try run.run(
                    Self.words,
                    ballast: Self.ballast,
                    onSave: { if getpid() == process { here.withLock { $0 += 1 } } }
                )
                #expect(outcome.code == .done && !outcome.said.contains("copy"), "\(outcome.said)")
                let newest = try #require(StateFolder.newest(in: run.folder + "/state") { _ in })
                return (newest.checkpoint.number, here.withLock { $0 })
            }

            @Test func whatCopiesSaveIsTheSame() throws {
                defer { run.remove() }
                let saves = try saves()
                #expect(found == expected)
                #expect(saves.all > saves.here, "\(saves)")
                #expect(try run.run(Self.words, ballast: Self.ballast).said.contains("nothing to do"))
            }

            @Test func aRunThatIsKilledWithItsCopyGoesOn() async throws {
                defer { run.remove() }
                let clock = StateRun.Clock()
                #expect(try run.run(Self.words, ballast: Self.ballast, clock: clock).code == .done)
                try FileManager.default.removeItem(atPath: run.folder + "/state")
                let count = max(6, StateTests.killCount / 6)
                var random = SeededGenerator(seed: 5)
                var goneOn = 0
                for kill in 1...count {
                    let looks = Int.random(in: 1...max(1, clock.count / 2), using: &random)
                    let delay = UInt32.random(in: 0..<5000, using: &random)
                    await StateTests.killRun(in: run.folder, Self.words, ballast: Self.ballast, after: looks, delay)
                    guard kill % 2 == 0 else { continue }
                    let last = try run.run(Self.words, ballast: Self.ballast)
                    if last.said.contains("goes on behind") { goneOn += 1 }
                    #expect(last.code == .done, "\(last.said)")
                    #expect(found == expected, "kill \(kill): \(last.said)")
                    try FileManager.default.removeItem(atPath: run.folder + "/state")
                }
                #expect(goneOn > 0)
                print("weir --state: copies, \(count) kills, \(goneOn) runs went on")
            }

            @Test func aCopyThatIsLostIsSaidOnceAndTheRunSavesItself() throws {
                defer { run.remove() }
                let process = getpid()
                let outcome = try run.run(
                    Self.words,
                    ballast: Self.ballast,
                    onSave: { if getpid() != process { kill(getpid(), SIGKILL) } }
                )
                #expect(outcome.code == .done, "\(outcome.said)")
                #expect(found == expected)
                #expect(outcome.said.split(separator: "\n").count { $0.contains("was ended by signal 9;") } == 1)
                #expect(!outcome.said.contains("cannot be saved"), "\(outcome.said)")
                #expect(try run.run(Self.words, ballast: Self.ballast).said.contains("nothing to do"))
            }

            @Test func whatACopyCannotWriteIsSaidOnceAndTheRunGoesOn() throws {
                defer { run.remove() }
                let (folder, process) = (run.folder, getpid())
                let outcome = try run.run(
                    Self.words,
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
