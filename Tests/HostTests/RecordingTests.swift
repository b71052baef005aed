import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import WeirRecording

extension HostTests {
    /// `weir record` and `weir replay`.
    @Suite struct RecordingTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private final class HandClock: TimeSource {
            private let time = Locked(Timestamp.epoch)

            func set(_ milliseconds: Int64) {
                time.withLock { $0 = Timestamp(nanosecondsSinceEpoch: milliseconds * 1_000_000) }
            }

            func now() -> Timestamp { time.withLock { $0 } }
        }

        /// Makes a recording of lines that arrived at some milliseconds.
        private func record(_ name: String, _ arrivals: [(Int64, String)]) throws {
            let clock = HandClock()
            let storage = try FileStorage(path: weir.folder + "/" + name, writing: true)
            let sink = try ArrivalSink(storage, creation: .epoch, clock: clock)
            for (time, text) in arrivals {
                clock.set(time)
                try sink.write(Array(text.utf8))
            }
        }

        @Test func bytesComeBackAsTheyArrived() throws {
            let rows = table(readings(seed: 3, count: 20_000))
            let recorded = try weir.run("record", "-", "r.rec", input: .text(rows))
            #expect(recorded.exitCode == 0)
            #expect(
                recorded.errors
                    == "weir: \(rows.utf8.count.formatted(.number.locale(Locale(identifier: "en_US")))) bytes recorded\n"
            )
            for speed in ["max", "1000x"] {
                let replay = try weir.run("replay", "r.rec", "--speed", speed)
                #expect(replay.exitCode == 0)
                #expect(replay.output == rows)
            }
            try weir.file("r.csv", rows)
            // Looks like a recording, and is none.
            #expect(try weir.run("convert", "r.csv", "c.weir").exitCode == 0)
            #expect(try weir.run("run", "shake", "c.weir").errors.contains("20,000 events read, 0 rejected"))
            let plain = try weir.run("run", "shake", "r.csv")
            for input in ["r.rec", "recording:r.rec", "recording:r.rec?speed=max"] {
                #expect(try weir.run("run", "shake", input).output == plain.output)
            }
            #expect(try weir.run("replay", "r.rec", "--speed", "max", "--to", "b.csv").exitCode == 0)
            #expect(try weir.text(of: "b.csv") == rows)
        }

        @Test func theFormatIsThatOfTheNameBeforeItsEnding() throws {
            try record(
                "r.jsonl.rec",
                [(0, #"{"time":0,"x":0,"y":0,"z":1}"# + "\n" + #"{"time":20,"x":2,"y":0,"z":1}"# + "\n")]
            )
            #expect(try weir.run("run", "shake", "r.jsonl.rec").output == jerkMatch)
            #expect(try weir.run("convert", "r.jsonl.rec", "c.csv").exitCode == 0)
            #expect(try weir.text(of: "c.csv") == "time,x,y,z\n0,0,0,1\n20,2,0,1\n")
        }

        @Test func replaysKeepThePace() throws {
            try record("r.rec", [(5000, "one\n"), (5060, "two\n"), (5240, "three\n")])
            for (speed, seconds) in [("1x", 0.24), ("0.5x", 0.48), ("2x", 0.12)] {
                // Not before its time; how much later depends on what else the machine does.
                let start = Date()
                let replay = try weir.run("replay", "r.rec", "--speed", speed)
                #expect(Date().timeIntervalSince(start) >= seconds)
                #expect(replay.output == "one\ntwo\nthree\n")
                #expect(replay.errors == "weir: 14 bytes sent\n")
            }
        }

        @Test func ctrlCLeavesAWholeRecording() throws {
            let input = Pipe()
            let run = try weir.start(["record", "-", "r.rec"], input: .pipe(input))
            try input.fileHandleForWriting.write(contentsOf: Data(jerk.utf8))
            let limit = Date(timeIntervalSinceNow: WeirProcess.patience)
            // The recording can be read while it grows.
            let other = try WeirProcess()
            var found = ""
            while Date() < limit, found != jerk {
                found = try other.run("replay", weir.folder + "/r.rec", "--speed", "max").output
            }
            run.process.interrupt()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.errors == "weir: interrupted; \(jerk.utf8.count) bytes recorded\n")
            let replay = try weir.run("replay", "r.rec", "--speed", "max")
            #expect(replay.output == jerk)
            #expect(replay.errors == "weir: \(jerk.utf8.count) bytes sent\n")
            try input.fileHandleForWriting.close()
        }

        @Test func whatIsBeforeDamageIsNotLost() throws {
            try record(
                "r.rec",
                (0..<9).map { (Int64($0), $0 == 0 ? "time,x,y,z\n" : "\($0 * 20),\($0 % 2 * 5),0,1\n") }
            )
            let bytes = try weir.contents(of: "r.rec")
            try weir.file("cut.rec", Array(bytes.dropLast(5)))
            let cut = try weir.run("replay", "cut.rec", "--speed", "max")
            #expect(cut.exitCode == 0)
            #expect(cut.output.hasSuffix("140,5,0,1\n"))
            #expect(cut.errorLines.count == 2)
            #expect(cut.errors.hasPrefix("weir: 'cut.rec' ends with "))
            var damaged = bytes
            damaged[bytes.count - 100] ^= 1
            try weir.file("damaged.rec", damaged)
            let broken = try weir.run("replay", "damaged.rec", "--speed", "max")
            #expect(broken.exitCode == 66)
            #expect(broken.errorLines.count == 1)
            #expect(
                broken.errors.hasPrefix("weir: cannot read on from 'damaged.rec': the recording is damaged at byte ")
            )
            #expect(broken.output.hasPrefix("time,x,y,z\n20,5,0,1\n"))
            let run = try weir.run("run", "shake", "damaged.rec", "--quiet-period", "0")
            #expect(run.exitCode == 66)
            #expect(run.output.split(separator: "\n").count == broken.output.split(separator: "\n").count - 2)
            #expect(run.errors.hasPrefix("weir: cannot read on from 'damaged.rec': "))
        }

        @Test(arguments: [
            (
                ["replay", "r.rec", "--time", "t"], 2,
                "--time: 'r.rec' is a recording, which has times of its own; leave it out"
            ),
            (["replay", "r.rec", "--speed", "fast"], 2, "--speed: 'fast' is neither max nor of the form 10x"),
            (
                ["replay", "r.rec", "--to", "r.rec"], 2,
                "--to: 'r.rec' is the input, which would be overwritten; write to another file"
            ),
            (
                ["record", "r.rec", "r.rec"], 2,
                "--to: 'r.rec' is the input, which would be overwritten; write to another file"
            ),
            (["run", "shake", "recording:a.csv"], 66, "cannot open 'a.csv': 'a.csv' is not a recording"),
            (
                ["run", "shake", "recording:r.rec?speed=0x"], 2,
                "cannot open 'r.rec': the speed '0x' is neither max nor of the form 10x"
            ),
            (["record", "a.csv", "nowhere/r.rec"], 73, "cannot open 'nowhere/r.rec': no such file or directory"),
        ])
        func mistakesAreOneLine(arguments: [String], code: Int32, message: String) throws {
            try record("r.rec", [(0, jerk)])
            try weir.file("a.csv", jerk)
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            #expect(outcome.exitCode == code)
            #expect(outcome.errors == "weir: \(message)\n")
        }
    }
}
