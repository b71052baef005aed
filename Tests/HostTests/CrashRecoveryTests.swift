import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// The program is killed at moments that a seed decides, and started again: what it has written is the start of what
    /// it would have, and what follows begins on a line of its own.
    ///
    /// `WEIR_KILLS` is the number of kills of each kind; the default makes 208 in all.
    @Suite struct CrashRecoveryTests {
        private let weir: WeirProcess
        private static let killCount =
            ProcessInfo.processInfo.environment["WEIR_KILLS"].flatMap(Int.init) ?? 26

        init() throws {
            weir = try WeirProcess()
            try weir.file("in.csv", table(readings(seed: 5, count: 6000)))
        }

        /// Kills the program as often as wanted.
        ///
        /// - Parameters:
        ///   - arguments: How it is started.
        ///   - seed: Decides when.
        ///   - prepare: Called before each start.
        ///   - check: Called after each kill; says whether something was written, but not everything.
        /// - Throws: When the program cannot be started, and what the closures throw.
        private func kill(
            _ arguments: [String],
            seed: UInt64,
            prepare: () throws -> Void,
            check: (String) throws -> Bool
        ) throws {
            try prepare()
            let start = Date()
            #expect(try weir.start(arguments, input: .nothing).outcome().exitCode == 0)
            var length = Date().timeIntervalSince(start)
            var random = seed &* 0x9E37_79B9_7F4A_7C15
            var inTheMiddle = 0
            var number = 0
            // A machine that is busy with something else may need more of them to hit the time in which it writes.
            while number < Self.killCount || (inTheMiddle == 0 && number < 10 * Self.killCount) {
                number += 1
                try prepare()
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let run = try weir.start(arguments, input: .nothing)
                usleep(UInt32(Double(random >> 40) / Double(1 << 24) * length * 1_000_000))
                _ = endProcess(run.process.processIdentifier, SIGKILL)
                let outcome = try run.outcome()
                #expect(outcome.exitCode == -9 || outcome.exitCode == 0)
                if try check("\(arguments[0]), seed \(seed), kill \(number)") { inTheMiddle += 1 }
                // The machine may be faster or slower by now.
                if number >= Self.killCount { length *= outcome.exitCode == 0 ? 0.9 : 1.1 }
            }
            #expect(inTheMiddle > 0, "\(arguments[0]), seed \(seed): no kill hit a run that had written something")
            print("weir \(arguments[0]): \(number) kills, seed \(seed), \(inTheMiddle) of them in the middle")
        }

        private func remove(_ names: String...) {
            for name in names { try? FileManager.default.removeItem(atPath: weir.folder + "/" + name) }
        }

        private func written(_ name: String) -> String { (try? weir.text(of: name)) ?? "" }

        /// Checks that an output is the start of another one, and that the same command goes on behind it.
        private func checkLines(_ name: String, _ all: String, _ restart: [String], _ place: String) throws -> Bool {
            let found = written(name)
            #expect(all.hasPrefix(found), "\(place)")
            #expect(try weir.start(restart, input: .nothing).outcome().exitCode == 0, "\(place)")
            let seam = found.isEmpty || found.hasSuffix("\n") ? "" : "\n"
            #expect(written(name) == found + seam + all, "\(place)")
            return !found.isEmpty && found != all
        }

        @Test(arguments: [1, 2] as [UInt64])
        func aRunThatIsKilledLeavesTheStartOfItsMatches(seed: UInt64) throws {
            let common = ["run", "shake", "in.csv", "--quiet-period", "0", "--to"]
            let all = try weir.start(Array(common.dropLast()), input: .nothing).outcome().output
            #expect(all.utf8.count > 100_000)
            try kill(common + ["m"], seed: seed) {
                remove("m")
            } check: { place in
                try checkLines("m", all, common + ["file:m?append=true"], place)
            }
        }

        @Test(arguments: [3, 4] as [UInt64])
        func aConversionThatIsKilledLeavesTheStartOfItsRecords(seed: UInt64) throws {
            try weir.file("in.csv", table(readings(seed: 5, count: 20000)))
            let all = try weir.run("convert", "in.csv").output
            try kill(["convert", "in.csv", "m.jsonl"], seed: seed) {
                remove("m.jsonl")
            } check: { place in
                try checkLines("m.jsonl", all, ["convert", "in.csv", "file:m.jsonl?append=true"], place)
            }
        }

        @Test(arguments: [5, 6] as [UInt64])
        func aRecordingThatIsKilledIsWholeUpToItsLastPiece(seed: UInt64) throws {
            try weir.file("in.csv", table(readings(seed: 5, count: 60_000)))
            let all = try weir.text(of: "in.csv")
            try weir.file("next", "next\n")
            try kill(["record", "in.csv", "m"], seed: seed) {
                remove("m")
            } check: { place in
                let found = try written("m").isEmpty ? "" : weir.run("replay", "m", "--speed", "max").output
                #expect(all.hasPrefix(found), "\(place)")
                #expect(try weir.run("record", "next", "recording:m?append=true").exitCode == 0)
                #expect(try weir.run("replay", "m", "--speed", "max").output == found + "next\n", "\(place)")
                return !found.isEmpty && found != all
            }
        }

        @Test(arguments: [7, 8] as [UInt64])
        func aPageOfAReportThatIsKilledIsTheOldOneOrTheNewOne(seed: UInt64) throws {
            let arguments = ["report", "shake", "in.csv", "--to", "page.html"]
            try kill(arguments, seed: seed) {
                try weir.file("page.html", "old")
            } check: { place in
                let found = written("page.html")
                #expect(found == "old" || found.hasSuffix("</html>\n"), "\(place): \(found.suffix(20))")
                let again = try weir.start(arguments, input: .nothing).outcome()
                #expect(again.exitCode == 0)
                #expect(written("page.html").hasSuffix("</html>\n"))
                return found == "old"
            }
        }

        #if os(Linux)
            /// A file that can grow to no more than some bytes has the system tear a write at any of them.
            @Test func aWriteThatIsTornAtAnyByteIsMendedByTheNextStart() throws {
                try weir.file("in.csv", jerk)
                let whole = jerkMatch.utf8.count
                for length in stride(from: 1, to: whole, by: 3) {
                    remove("m")
                    let torn = try weir.start(
                        ["run", "shake", "in.csv", "--to", "m"],
                        input: .nothing,
                        launcher: ["/bin/sh", "-c", "trap '' XFSZ; exec prlimit --fsize=\(length) \"$@\"", "sh"]
                    )
                    .outcome()
                    #expect(torn.exitCode == 74, "\(torn.errors)")
                    #expect(written("m") == String(jerkMatch.prefix(length)), "the first \(length) bytes")
                    #expect(try weir.run("run", "shake", "in.csv", "--to", "file:m?append=true").exitCode == 0)
                    #expect(written("m") == jerkMatch.prefix(length) + "\n" + jerkMatch)
                }
            }
        #endif
    }
}

private func endProcess(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }
