import Foundation
import TestPlugins
import Testing

extension HostTests {
    /// Records that are spread over workers give the output of one, whatever they are.
    @Suite struct PartitionTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        /// Compares runs without workers, and with one to three of them.
        ///
        /// - Returns: How many matches there are.
        @discardableResult
        private func compare(_ arguments: [String], by field: String, _ remark: String = "") throws -> Int {
            let kept = ["--rejected", "kept.txt"]
            let one = try weir.start(["run"] + arguments + kept, input: .nothing).outcome()
            #expect(one.exitCode == 0, "\(one.errors)")
            let rejected = try weir.text(of: "kept.txt")
            for count in 1...3 {
                let workers = ["--partition-by", field, "--workers", "\(count)"]
                let some = try weir.start(["run"] + arguments + workers + kept, input: .nothing).outcome()
                #expect(some.exitCode == 0, "\(some.errors)")
                #expect(some.output == one.output, "\(count) workers \(remark)")
                #expect(try weir.text(of: "kept.txt") == rejected, "\(count) workers \(remark)")
                #expect(summary(some.errors) == summary(one.errors), "\(count) workers \(remark)")
            }
            return one.output.utf8.count { $0 == UInt8(ascii: "\n") }
        }

        /// What was counted, without how long it took.
        private func summary(_ errors: String) -> [Substring] {
            errors.split(separator: "\n").map { $0.prefix(upTo: $0.firstRange(of: " in ")?.lowerBound ?? $0.endIndex) }
        }

        @Test func demosGiveTheSame() throws {
            #expect(try compare(["fraud", "--from", "demo"], by: "card") == 2)
            for style in ["csv", "pretty", "template:{plugin} {card} {purchases.0.amount}"] {
                let two = ["fraud", "again=fraud", "--from", "demo", "--output", style]
                #expect(try compare(two, by: "card", style) > 3)
            }
            // The demos of the others have no groups; a column of theirs serves.
            #expect(try compare(["shake", "--from", "demo", "--by", "z", "--quiet-period", "0"], by: "z") > 0)
            #expect(
                try compare(["walk", "--from", "demo", "--by", "accuracy", "--steps", "ignored"], by: "accuracy") > 0
            )
        }

        /// Purchases of which some go back in time, within a card or not, some cannot be read, and many are suspicious.
        @Test func purchasesGiveTheSame() throws {
            for seed in 1...3 {
                var random = Numbers(seed: seed)
                var csv = "time,card,amount,latitude,longitude,face-to-face\n"
                var time = 1_000_000
                for _ in 0..<7_000 {
                    time += random.next(40_000)
                    let shown = random.next(50) == 0 ? time - random.next(100_000) : time
                    let card = random.next(30) == 0 ? "\"c,\(random.next(5))\"" : "c\(random.next(200))"
                    let amount = random.next(60) == 0 ? "much" : ["1", "3", "40", "800"][random.next(4)]
                    csv += "\(shown),\(card),\(amount),\(random.next(60)),\(random.next(3)),\(random.next(2) == 0)\n"
                }
                try weir.file("purchases.csv", csv)
                #expect(try compare(["fraud", "purchases.csv", "--within", "1h"], by: "card", "seed \(seed)") > 300)
            }
        }

        /// The same cards as text, as JSON with escapes, and as numbers in a binary file.
        @Test func keysAreTheSameInEveryFormat() throws {
            var csv = "time,card,amount\n"
            var json = ""
            var numbers = "time,card,amount\n"
            for index in 0..<1_200 {
                let card = index * 7 % 40
                let amount = index / 40 % 5 == 4 ? 900 : 1
                switch index % 3 {
                case 0: csv += "\(index),\(card),\(amount)\n"
                case 1:
                    let escaped = String(card).map { #"\u003\#($0)"# }.joined()
                    json += #"{"time":\#(index),"card":"\#(escaped)","amount":\#(amount)}"# + "\n"
                default: numbers += "\(index),\(card),\(amount)\n"
                }
            }
            try weir.file("a.csv", csv)
            try weir.file("b.jsonl", json)
            try weir.file("c.csv", numbers)
            #expect(try weir.run("convert", "c.csv", "c.weir").exitCode == 0)
            let count = try compare(["fraud", "a.csv", "b.jsonl", "c.weir"], by: "card")
            #expect(count > 100)
            // One table of all of them finds the same.
            try weir.file(
                "all.csv",
                "time,card,amount\n"
                    + (0..<1_200).map { "\($0),\($0 * 7 % 40),\($0 / 40 % 5 == 4 ? 900 : 1)\n" }.joined()
            )
            #expect(
                try weir.run("run", "fraud", "a.csv", "b.jsonl", "c.weir").output
                    == weir.run("run", "fraud", "all.csv").output
            )
        }

        @Test func severalInstancesGiveTheSame() throws {
            try weir.file(
                "many.csv",
                table(readings(seed: 4, count: 6_000), by: 9, seed: 4) + "x,0,0,1,d1\n1,y,0,1,d2\n"
            )
            let arguments = ["shake", "fine=shake", "many.csv", "--by", "device", "--fine.threshold", "0.5"]
            #expect(try compare(arguments, by: "device") > 50)
        }

        @Test func aLoadedPluginGivesTheSame() throws {
            let library =
                URL(fileURLWithPath: try WeirProcess.program).deletingLastPathComponent().path
                + "/libWeirFraudPlugin.so"
            var csv = "time,card,amount\n"
            for index in 0..<3_000 { csv += "\(index - index % 100),\(index % 37),\(index % 5 == 4 ? 900 : 1)\n" }
            try weir.file("purchases.csv", csv + "0,1,1\n")
            #expect(try compare([library, "purchases.csv"], by: "card") > 100)
            #expect(
                try weir.run("run", library, "purchases.csv").output == weir.run("run", "fraud", "purchases.csv").output
            )
            #expect(
                try weir.run("graph", library, "--within", "1h").output
                    == weir.run("graph", "fraud", "--within", "1h").output
            )
        }

        @Test(.enabled(if: Recordings.has("walk"), Comment(rawValue: Recordings.advice)))
        func recordingsGiveTheSame() throws {
            try weir.file("gestures.csv", Recordings.bytes("accelerometer/microbit_gestures.csv"))
            #expect(
                try compare(
                    ["shake", "gestures.csv", "--columns", "time=t_ms", "--by", "recording_id"],
                    by: "recording_id"
                ) > 50
            )
            try weir.file("day.csv", Recordings.bytes("walk/ssi_Utrecht1-2024-06-20.csv"))
            #expect(
                try compare(
                    ["walk", "day.csv", "--columns", "time=timestamp", "--steps", "ignored", "--by", "mode"],
                    by: "mode"
                ) > 5
            )
        }
    }
}

/// Random numbers for made-up input.
private struct Numbers {
    private var state: UInt64

    init(seed: Int) {
        state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
    }

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
