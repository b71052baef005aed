import Foundation
import Testing
import WeirCore
import WeirRecords
import WeirTesting

@testable import weir

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// Several plugins, inputs, outputs and workers in one run.
    @Suite struct PipelineTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        @Test func severalPluginsShareAnInputAndMarkTheirMatches() throws {
            let outcome = try weir.run("run", "shake", "calm=shake", "--from", "demo", "--calm.threshold", "2.4")
            #expect(outcome.exitCode == 0)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix(#"{"plugin":"shake","time":"#) }.count == 3)
            #expect(lines.filter { $0.hasPrefix(#"{"plugin":"calm","time":"#) }.count < 3)
            let alone = try weir.run("run", "shake", "--from", "demo").output.split(separator: "\n")
            let marked = lines.filter { $0.contains(#""plugin":"shake""#) }
                .map { $0.replacingOccurrences(of: #""plugin":"shake","#, with: "") }
            #expect(marked == alone.map(String.init))
        }

        @Test func pluginsWithOtherFieldsReadTheSameRecords() throws {
            try weir.file("both.csv", "time,x,y,z,steps,speed\n0,0,0,1,0,1\n20,5,0,1,2,1\n1000,0,0,1,4,1\n")
            let outcome = try weir.run("run", "shake", "walk", "both.csv")
            #expect(outcome.exitCode == 0)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix(#"{"plugin":"shake""#) })
            #expect(lines.contains { $0.hasPrefix(#"{"plugin":"walk""#) && $0.contains("walking") })
        }

        @Test func theSameNameTwiceIsRefused() throws {
            let outcome = try weir.run("run", "shake", "shake", "--from", "demo")
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors == "weir: there are two plugins 'shake'; name one of them, such as 'other=shake'\n")
        }

        @Test func severalInputsAreMergedByEventTime() throws {
            for seed in 1...3 {
                let tables = (0..<3).map { readings(seed: seed * 10 + $0, count: 700) }
                for (index, rows) in tables.enumerated() { try weir.file("\(index).csv", table(rows)) }
                let merged = tables.enumerated()
                    .flatMap { index, rows in rows.enumerated().map { (index, $0.offset, $0.element) } }
                    .sorted { ($0.2.time, $0.0, $0.1) < ($1.2.time, $1.0, $1.1) }
                try weir.file("merged.csv", table(merged.map(\.2)))
                let several = try weir.run("run", "shake", "0.csv", "1.csv", "--from", "2.csv", "--quiet-period", "0")
                // `--from` goes before the places.
                let order = try weir.run("run", "shake", "2.csv", "0.csv", "1.csv", "--quiet-period", "0")
                #expect(several.output == order.output, "seed \(seed)")
                let one = try weir.run("run", "shake", "merged.csv", "--quiet-period", "0")
                let inOrder = try weir.run("run", "shake", "0.csv", "1.csv", "2.csv", "--quiet-period", "0")
                #expect(!one.output.isEmpty)
                #expect(inOrder.output == one.output, "seed \(seed)")
                #expect(inOrder.errors.contains("2,100 events read, 0 rejected"))
            }
        }

        /// The rows of a demo in three files, by turns and each in another format, give what the demo gives.
        @Test(arguments: ["shake", "walk", "sentiment", "fraud"])
        func everyPluginMergesItsInputs(name: String) throws {
            let plugin = try #require(try Registry.builtIn(interruption: nil).plugin(named: name))
            let demo = try plugin.makeDemo(seed: 1).readAll(limit: 1 << 20, address: "demo")
            let rows = String(decoding: demo, as: UTF8.self).split(separator: "\n")
            for part in 0..<3 {
                let some = rows.indices.dropFirst().filter { $0 % 3 == part }.map { rows[$0] }
                try weir.file("\(part).csv", ([rows[0]] + some).joined(separator: "\n") + "\n")
            }
            #expect(try weir.run("convert", "1.csv", "1.weir").exitCode == 0)
            // A name with a point is that of a member in JSON.
            let hasMembers = rows[0].contains(".")
            let third = hasMembers ? "2.csv" : "2.jsonl"
            if !hasMembers { #expect(try weir.run("convert", "2.csv", "2.jsonl").exitCode == 0) }
            let merged = try weir.run("run", name, "--from", "0.csv", "--from", "1.weir", "--from", third)
            #expect(merged.exitCode == 0, "\(merged.errors)")
            #expect(try merged.output == weir.run("run", name, "--from", "demo").output)
            #expect(!merged.output.isEmpty)
        }

        /// Posts whose times are written in three ways.
        @Test func postsAreMergedByTimesOfAnyForm() throws {
            func posts(_ texts: [(time: String, id: Int)]) -> String {
                texts.map { #"{"created_at":\#($0.time),"id_str":"\#($0.id)","text":"apple is great"}"# + "\n" }
                    .joined()
            }
            try weir.file(
                "a.jsonl",
                posts([(#""Wed Oct 10 12:00:00 +0000 2018""#, 1), (#""Wed Oct 10 14:00:03 +0200 2018""#, 4)])
            )
            try weir.file("b.jsonl", posts([("1539172801000", 2), ("1539172804000", 5)]))
            try weir.file(
                "c.csv",
                "created_at,id_str,text\n2018-10-10T12:00:02Z,3,apple\n2018-10-10T12:00:05Z,6,apple\n"
            )
            let outcome = try weir.run("run", "sentiment", "c.csv", "a.jsonl", "b.jsonl", "--output", "template:{id}")
            #expect(outcome.errors.contains("6 events read, 0 rejected"))
            #expect(outcome.output == "1\n2\n3\n4\n5\n6\n")
        }

        @Test func rejectionsOfSeveralInputsSayWhichOne() throws {
            try weir.file("a.csv", "time,x,y,z\n0,0,0,1\nnever,0,0,1\n")
            try weir.file("b.csv", "time,x,y,z\n0,0,0,1\n5,zero,0,1\n\"\n")
            let outcome = try weir.run("run", "shake", "a.csv", "b.csv", "--rejected", "bad.txt")
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors.contains("weir: 'a.csv', line 3 rejected: "))
            #expect(outcome.errors.contains("weir: 'b.csv', line 3 rejected: "))
            #expect(outcome.errors.contains("weir: 'b.csv', line 4 rejected: "))
            #expect(outcome.errors.contains("2 events read, 3 rejected"))
            let kept = try weir.text(of: "bad.txt")
            #expect(kept.contains("never,0,0,1\n") && kept.contains("5,zero,0,1\n"))
        }

        @Test func anIdleInputHoldsUpTheOthersOnlySoLong() throws {
            try weir.file("a.csv", jerk)
            let input = Pipe()
            let output = Pipe()
            let run = try weir.start(
                ["run", "shake", "a.csv", "stdin", "--idle-timeout", "50ms", "--quiet-period", "0"],
                input: .pipe(input),
                output: output.fileHandleForWriting
            )
            try output.fileHandleForWriting.close()
            var arrivals = Arrivals(output)
            let matchArrived = arrivals.wait(for: jerkMatch)
            #expect(matchArrived)
            #expect(run.process.isRunning)
            try input.fileHandleForWriting.close()
            #expect(try run.outcome().exitCode == 0)
        }

        @Test func everyOutputGetsEveryMatch() throws {
            let outcome = try weir.run(
                "run",
                "shake",
                "--from",
                "demo",
                "--to",
                "a.jsonl",
                "--to",
                "b.jsonl",
                "--to",
                "-"
            )
            #expect(outcome.exitCode == 0)
            #expect(outcome.output.split(separator: "\n").count == 3)
            #expect(try weir.text(of: "a.jsonl") == outcome.output)
            #expect(try weir.text(of: "b.jsonl") == outcome.output)
        }

        @Test func anyNumberOfWorkersGivesTheSameOutput() throws {
            for seed in 1...3 {
                try weir.file(
                    "many.csv",
                    table(readings(seed: seed, count: 9000), by: 13, seed: seed) + "x,0,0,1,d1\n1,y,0,1,d2\n"
                )
                let options = ["run", "shake", "many.csv", "--by", "device", "--rejected"]
                let one = try weir.start(options + ["one.txt"], input: .nothing).outcome()
                #expect(one.output.split(separator: "\n").count > 100)
                for count in [1, 2, 5] {
                    let workers = ["--partition-by", "device", "--workers", "\(count)"]
                    let outcome = try weir.start(options + ["some.txt"] + workers, input: .nothing).outcome()
                    #expect(outcome.exitCode == 0)
                    #expect(outcome.output == one.output, "seed \(seed), \(count) workers")
                    #expect(try weir.text(of: "some.txt") == weir.text(of: "one.txt"))
                    #expect(outcome.errors.contains("9,000 events read, 2 rejected"))
                }
            }
        }

        @Test func anyNumberOfReadersGivesTheSameOutput() throws {
            // Several pieces of a quarter of a mebibyte, with quoted lines, and lines that are rejected.
            var generator = SeededGenerator(seed: 7)
            var text = "time,note,x,y,z\n"
            for time in 0..<60_000 {
                let note =
                    switch Int.random(in: 0..<500, using: &generator) {
                    case 0: "\"two\nlines, and more\""
                    case 1: "\"stray"
                    case 2: "one,too many"
                    default: "word"
                    }
                let x = Int.random(in: 0..<20, using: &generator) == 0 ? 3 : 0
                text += "\(time * 20),\(note),\(x),0,1\n"
            }
            try weir.file("big.csv", text)
            let options = ["run", "shake", "s=shake", "big.csv", "--rejected"]
            let one = try weir.start(options + ["one.txt"], input: .nothing).outcome()
            #expect(one.output.split(separator: "\n").count > 100)
            for count in [2, 3, 8] {
                let outcome = try weir.start(options + ["some.txt", "--workers", "\(count)"], input: .nothing).outcome()
                #expect(outcome.exitCode == one.exitCode)
                #expect(outcome.output == one.output, "\(count) workers")
                #expect(try weir.text(of: "some.txt") == weir.text(of: "one.txt"))
            }
        }

        /// What comes before the fault is found in any case, and what only a whole input brings is not.
        @Test func anInputThatBreaksOffGivesTheSameInEachRun() throws {
            let rows = readings(seed: 5, count: 6000)
            try weir.file("a.csv", table(rows, by: 3, seed: 1))
            try weir.file("b.csv", table(rows, by: 3, seed: 2))
            try weir.file("c.csv", "time,y\n1,2\n")
            for name in ["b", "c"] { #expect(try weir.run("convert", name + ".csv", name + ".weir").exitCode == 0) }
            // Behind the records comes a header that lacks fields.
            try weir.file("b.weir", try weir.contents(of: "b.weir") + weir.contents(of: "c.weir"))
            for plugin in ["shake", "walk"] {
                for inputs in [["b.weir"], ["a.csv", "b.weir"]] {
                    let one = try weir.start(["run", plugin, "--by", "device"] + inputs, input: .nothing).outcome()
                    #expect(one.exitCode == 66)
                    #expect(plugin == "walk" || !one.output.isEmpty)
                    for workers in [[], ["--partition-by", "device", "--workers", "2"]] {
                        for _ in 0..<3 {
                            let other = try weir.start(
                                ["run", plugin, "--by", "device"] + inputs + workers,
                                input: .nothing
                            ).outcome()
                            #expect(other.exitCode == 66)
                            #expect(other.output == one.output, "\(plugin) \(inputs) \(workers)")
                        }
                    }
                }
            }
        }

        @Test func readersShowMatchesWhileTheInputIsOpen() throws {
            let input = Pipe()
            let output = Pipe()
            let run = try weir.start(
                ["run", "shake", "--workers", "2"],
                input: .pipe(input),
                output: output.fileHandleForWriting
            )
            try output.fileHandleForWriting.close()
            var arrivals = Arrivals(output)
            try input.fileHandleForWriting.write(contentsOf: Data("time,x,y,z\n0,0,0,1\n20,2,0,1\n".utf8))
            let matchArrived = arrivals.wait(for: #""axis":"x""#)
            #expect(matchArrived)
            run.process.interrupt()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.errors.hasPrefix("weir: interrupted; 2 events read, 0 rejected, 1 match in "))
            try input.fileHandleForWriting.close()
        }

        @Test func workersShowMatchesWhileTheInputIsOpen() throws {
            let input = Pipe()
            let output = Pipe()
            let run = try weir.start(
                ["run", "shake", "--by", "d", "--partition-by", "d", "--workers", "2"],
                input: .pipe(input),
                output: output.fileHandleForWriting
            )
            try output.fileHandleForWriting.close()
            var arrivals = Arrivals(output)
            try input.fileHandleForWriting.write(contentsOf: Data("time,x,y,z,d\n0,0,0,1,a\n20,2,0,1,a\n".utf8))
            let matchArrived = arrivals.wait(for: #""group":"a""#)
            #expect(matchArrived)
            run.process.interrupt()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.errors.hasPrefix("weir: interrupted; 2 events read, 0 rejected, 1 match in "))
            try input.fileHandleForWriting.close()
        }

        @Test(arguments: [
            (
                ["shake", "unix:x", "--workers", "2"],
                "--workers: 'unix:x' is read by one thread; to spread its records over workers, say which stay together, "
                    + "with --partition-by FIELD"
            ),
            (
                ["shake", "--partition-by", "d"],
                "--partition-by: 'shake' does not keep records apart; say by what, with --by d"
            ),
            (
                ["shake", "--by", "e", "--partition-by", "d"],
                "--partition-by: 'shake' keeps records apart by 'e', not by 'd'"
            ),
            (
                ["sentiment", "--partition-by", "d"],
                "--partition-by: 'sentiment' needs all records in one place; what can be spread over workers is "
                    + "'shake' with --by FIELD, 'walk' with --by FIELD, 'fraud' by 'card'"
            ),
            (
                ["shake", "--by", "d", "--partition-by", "d", "--workers", "0"],
                "--workers: '0' is not a whole number from 1 to 256"
            ),
            (
                ["shake", "--by", "d", "--partition-by", "d", "--report", "r.html"],
                "--report draws what one thread sees; leave out --partition-by, or the report"
            ),
            (
                ["shake", "sentiment", "a.csv", "b.csv"],
                "several inputs are merged by event time, and it is not known which field that is for "
                    + "'shake' and 'sentiment'; give one input"
            ),
        ])
        func whatCannotBeSpreadOrMergedIsRefused(arguments: [String], message: String) throws {
            let outcome = try weir.start(["run"] + arguments, input: .nothing).outcome()
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors == "weir: \(message)\n")
        }

        @Test func oneUserSignalShowsHowItGoes() throws {
            let input = Pipe()
            let output = Pipe()
            let errors = Pipe()
            let run = try weir.start(
                ["run", "shake", "--quiet-period", "0"],
                input: .pipe(input),
                output: output.fileHandleForWriting,
                errors: errors.fileHandleForWriting
            )
            try input.fileHandleForWriting.write(contentsOf: Data(jerk.utf8))
            var arrivals = Arrivals(output)
            let matchArrived = arrivals.wait(for: jerkMatch)
            #expect(matchArrived)
            kill(run.process.processIdentifier, SIGUSR1)
            var said = Arrivals(errors)
            let snapshotArrived = said.wait(for: "delay p99")
            #expect(snapshotArrived)
            #expect(said.text.contains("weir: shake\n"))
            kill(run.process.processIdentifier, SIGTERM)
            #expect(try run.outcome().exitCode == 130)
        }

        @Test func theEnvironmentStandsForOptions() throws {
            let few = try weir.start(
                ["run", "shake", "--from", "demo"],
                input: .nothing,
                environment: ["WEIR_THRESHOLD": "2.4"]
            )
            .outcome()
            let given = try weir.run("run", "shake", "--from", "demo", "--threshold", "2.4")
            #expect(few.output == given.output)
            let wrong = try weir.start(
                ["run", "shake", "--from", "demo"],
                input: .nothing,
                environment: ["WEIR_QUIET_PERIOD": "soon"]
            )
            .outcome()
            #expect(wrong.exitCode == 2)
            #expect(wrong.errors == "weir: WEIR_QUIET_PERIOD: 'soon' is not a duration; write 250ms, 5m or 1h30m\n")
            let strict = try weir.start(
                ["run", "shake"],
                input: .text("time,x,y,z\nx\n"),
                environment: ["WEIR_STRICT": "true"]
            )
            .outcome()
            #expect(strict.exitCode == 1)
        }
    }
}

/// A reading of an accelerometer.
struct SomeReading {
    let time: Int
    let x: Double
}

/// Readings with rising times, and jumps.
func readings(seed: Int, count: Int) -> [SomeReading] {
    var random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
    var time = 0
    return (0..<count).map { _ in
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        time += Int(random >> 60)
        return SomeReading(time: time, x: Double((random >> 40) % 300) / 100)
    }
}

func table(_ rows: [SomeReading]) -> String {
    "time,x,y,z\n" + rows.map { "\($0.time),\($0.x),0,1\n" }.joined()
}

/// A table with a device for each row.
func table(_ rows: [SomeReading], by devices: Int, seed: Int) -> String {
    "time,x,y,z,device\n"
        + rows.enumerated().map { "\($1.time),\($1.x),0,1,d\(($0 &* 7919 &+ seed) % devices)\n" }.joined()
}
