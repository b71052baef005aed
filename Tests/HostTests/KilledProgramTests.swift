import Foundation
import TestPlugins
import Testing
import WeirCore

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// The program, killed at seeded moments, goes on as if nothing had happened.
    @Suite struct KilledProgramTests {
        private static let fraud = [
            "--columns", "card=key,amount=x,latitude=speed,longitude=z", "--small", "1", "--large", "2", "--trials",
            "2",
            "--within", "2s", "--trial-time", "1s", "--max-open", "20",
        ]
        private static let shake = ["--by", "key", "--quiet-period", "50ms", "--threshold", "1"]
        private static let query =
            "sequence by key with maxspan=300ms [any where x > 2] [any where y > 0] [any where x < 1]"

        /// What is run, behind the program's name; LIBRARY stands for the folder of the built libraries.
        private static let variants: [[String]] = [
            ["run", "fraud"] + fraud,
            ["run", "fraud"] + fraud + ["--partition-by", "key", "--workers", "3"],
            ["run", "fraud", "again=fraud"] + fraud + [
                "--partition-by", "key", "--workers", "2", "--lateness", "40ms",
            ],
            ["run", "shake"] + shake + ["--workers", "3"],
            ["run", "LIBRARY/libWeirShakePlugin.so"] + shake,
            ["run", "LIBRARY/libWeirFraudPlugin.so"] + fraud + ["--partition-by", "key", "--workers", "2"],
            ["match", query, "--workers", "2"],
            ["match", query, "--partition-by", "key", "--workers", "3"],
            // So much is kept that copies of the process save it.
            ["run", "shake"] + shake + ["--max-groups", "20000"],
        ]

        private static let outputs = ["m.jsonl", "bad.txt"]

        private static func table(seed: UInt64, count: Int, hasLongKeys: Bool = false) -> String {
            let padding = hasLongKeys ? String(repeating: "x", count: 2000) : ""
            var random = SeededGenerator(seed: seed)
            func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
            var text = "time,key,x,y,z,speed\n"
            for row in 0..<count {
                let time = row * 10 + (number(60) == 0 ? -300 : number(9))
                let key =
                    number(30) == 0
                    ? "\"a \"\"key\"\"\n\(number(3))\"" : "\(padding)k\(number(12) + row / (hasLongKeys ? 4 : 4000))"
                text += "\(time),\(key),\(number(3)).5,\(number(3) / 2),0,\(number(25)).1\n"
                if number(200) == 0 { text += "no\n" }
            }
            return text
        }

        @Test(arguments: variants.indices)
        func aProgramThatIsKilledGoesOn(variant: Int) throws {
            let weir = try WeirProcess()
            let library = URL(fileURLWithPath: try WeirProcess.program).deletingLastPathComponent().path
            let hasLongKeys = Self.variants[variant].contains("20000")
            try weir.file("a.csv", Self.table(seed: UInt64(variant) + 1, count: 12_000, hasLongKeys: hasLongKeys))
            let plain =
                Self.variants[variant].map { $0.replacingOccurrences(of: "LIBRARY", with: library) }
                + ["--from", "a.csv", "--to", "m.jsonl", "--rejected", "bad.txt"]
            let words =
                plain + ["--state", "state", "--checkpoint", "1ms", "--fsync", variant % 2 == 0 ? "never" : "interval"]
            func texts() -> [String] { Self.outputs.map { (try? weir.text(of: $0)) ?? "" } }
            let whole = try weir.start(plain, input: .nothing).outcome()
            #expect(whole.exitCode == 0, "\(whole.errors)")
            let expected = texts()
            #expect(expected[0].utf8.count > 10_000 && expected[1].utf8.count > 100)
            let start = MonotonicClock().now()
            let saved = try weir.start(words, input: .nothing).outcome()
            let length = (MonotonicClock().now() - start).wholeNanoseconds / 1000
            #expect(saved.exitCode == 0, "\(saved.errors)")
            #expect(texts() == expected)
            // What is counted is the same too.
            #expect(Self.summary(saved.errors) == Self.summary(whole.errors))
            let count = max(6, StateTests.killCount / Self.variants.count)
            var random = SeededGenerator(seed: UInt64(variant) + 100)
            var (kills, goneOn) = (0, 0)
            try FileManager.default.removeItem(atPath: weir.folder + "/state")
            while StateTests.needsKill(kills, of: count, goneOn) {
                kills += 1
                let run = try weir.start(words, input: .nothing)
                usleep(UInt32.random(in: 0...UInt32(clamping: length * 3 / 4), using: &random))
                kill(run.process.processIdentifier, SIGKILL)
                if try run.outcome().errors.contains("goes on behind") { goneOn += 1 }
                guard kills % 3 == 0 else { continue }
                let last = try weir.start(words, input: .nothing).outcome()
                #expect(last.exitCode == 0, "\(last.errors)")
                if last.errors.contains("goes on behind") { goneOn += 1 }
                #expect(texts() == expected, "variant \(variant), kill \(kills): \(last.errors)")
                #expect(
                    Self.summary(last.errors).last == Self.summary(whole.errors).last,
                    "variant \(variant), kill \(kills)"
                )
                try FileManager.default.removeItem(atPath: weir.folder + "/state")
            }
            #expect(goneOn > 0)
            print(
                "weir \(words[0...1].joined(separator: " ")): variant \(variant), \(kills) kills, \(goneOn) runs went on"
            )
        }

        /// What was counted, without how long it took.
        private static func summary(_ errors: String) -> [Substring] {
            errors.split(separator: "\n").map { $0.prefix(upTo: $0.firstRange(of: " in ")?.lowerBound ?? $0.endIndex) }
                .filter { !$0.contains("goes on behind") && !$0.contains("nothing to do") }
        }

        @Test func whatWorkersKnowFitsAsManyWorkers() throws {
            let weir = try WeirProcess()
            try weir.file("a.csv", Self.table(seed: 1, count: 3000))
            let words = ["run", "fraud"] + Self.fraud + ["--from", "a.csv", "--to", "m.jsonl", "--state", "s"]
            let two = words + ["--partition-by", "key", "--workers", "2"]
            #expect(try weir.start(two, input: .nothing).outcome().exitCode == 0)
            #expect(try weir.start(two, input: .nothing).outcome().errors.contains("nothing to do"))
            let shown = try weir.run("state", "s").output
            #expect(shown.contains("fraud, worker 1 of 2") && shown.contains("fraud, worker 2 of 2"), "\(shown)")
            let three = try weir.start(words + ["--partition-by", "key", "--workers", "3"], input: .nothing).outcome()
            #expect(three.exitCode == 66)
            #expect(three.errors.contains("--workers was '2' and is '3'"), "\(three.errors)")
            #expect(three.errorLines.count == 1, "\(three.errors)")
            let dropped = words + ["--partition-by", "key", "--workers", "3", "--state-mismatch", "drop"]
            let other = try weir.start(dropped, input: .nothing).outcome()
            #expect(other.exitCode == 0, "\(other.errors)")
            #expect(other.errors.contains("'fraud, worker 1 of 2' any more; that is lost"), "\(other.errors)")
            // Threads that only read are no part of what is known.
            let readers = ["run", "shake"] + Self.shake + ["--from", "a.csv", "--to", "n.jsonl", "--state", "t"]
            #expect(try weir.start(readers + ["--workers", "2"], input: .nothing).outcome().exitCode == 0)
            let again = try weir.start(readers, input: .nothing).outcome()
            #expect(again.errors.contains("nothing to do"), "\(again.errors)")
        }
    }
}
