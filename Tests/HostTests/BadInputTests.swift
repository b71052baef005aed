import Foundation
import Testing

extension HostTests {
    @Suite struct BadInputTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        /// Rows that are wrong, each with what is said of it, between the two rows of ``jerk``.
        @Test(arguments: [
            ("10,0", "expected 4 fields, found 2"),
            ("10,0,0,0,0", "expected 4 fields, found 5"),
            ("10,a,0,0", "field 'x' is not a number: 'a'"),
            ("10,,0,0", "field 'x' is missing"),
            ("10,0,nan,0", "field 'y' is not a finite number"),
            ("10,0,0,-inf", "field 'z' is not a finite number"),
            ("10,0,0,1e999", "field 'z' is not a finite number"),
            ("-10,0,0,0", "field 'time' goes back"),
            ("soon,0,0,0", "field 'time' is neither a number nor a time: 'soon'"),
        ])
        func rejectsALineAndGoesOn(row: String, reason: String) throws {
            let outcome = try weir.run(
                "run",
                "shake",
                "--rejected",
                "kept",
                input: .text("time,x,y,z\n0,0,0,1\n\(row)\n20,2,0,1\n")
            )
            #expect(outcome.exitCode == 0)
            #expect(outcome.output == jerkMatch)
            #expect(outcome.errorLines.count == 2)
            #expect(outcome.errors.hasPrefix("weir: line 3 rejected: \(reason)"), "\(outcome.errors)")
            #expect(outcome.errorLines.first?.hasSuffix(": \(row)") == true)
            #expect(outcome.errors.contains("weir: 2 events read, 1 rejected, 1 match in "))
            #expect(try weir.text(of: "kept") == row + "\n")
        }

        @Test func strictMakesRejectionsShow() throws {
            #expect(try weir.run("run", "shake", "--strict", input: .text(jerk)).exitCode == 0)
            let outcome = try weir.run("run", "shake", "--strict", input: .text(jerk + "bad\n"))
            #expect(outcome.exitCode == 1)
            #expect(outcome.output == jerkMatch)
        }

        @Test func showsTheFirstTenRejectionsAndCountsAll() throws {
            let bad = (1...2000).map { "bad \($0)\n" }.joined()
            let outcome = try weir.run("run", "shake", input: .text(jerk + bad))
            #expect(outcome.errorLines.count == 13)
            #expect(outcome.errorLines[11] == "weir: 2,000 lines were rejected: expected 4 fields, found 1")
            #expect(outcome.errorLines[9].hasPrefix("weir: line 13 rejected: "))
            #expect(outcome.errorLines[10] == "weir: further rejections are only counted (--rejected FILE keeps them)")
            #expect(outcome.errors.contains("weir: 2 events read, 2,000 rejected, 1 match in "))
            let kept = try weir.run("run", "shake", "--rejected", "kept", input: .text(jerk + bad))
            #expect(kept.errorLines[10] == "weir: further rejections are only counted here; the file has them all")
            #expect(try weir.text(of: "kept") == bad)
        }

        @Test func keepsInvalidUTF8AsItWas() throws {
            let bad: [UInt8] = Array("10,".utf8) + [0xFF, 0xFE] + Array(",0,0".utf8)
            try weir.file("a.csv", Array(jerk.utf8) + bad)
            let outcome = try weir.run("run", "shake", "a.csv", "--rejected", "kept")
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors.hasPrefix("weir: line 4 rejected: "))
            #expect(try weir.contents(of: "kept") == bad + [0x0A])
        }

        @Test func readsWindowsFiles() throws {
            let text = "\u{FEFF}" + (jerk + "bad\n").replacingOccurrences(of: "\n", with: "\r\n")
            let outcome = try weir.run("run", "shake", "--rejected", "kept", input: .text(text))
            #expect(outcome.exitCode == 0)
            #expect(outcome.output == jerkMatch)
            #expect(try weir.text(of: "kept") == "bad\n")
        }

        @Test func readsALastLineWithoutItsEnd() throws {
            let outcome = try weir.run("run", "shake", input: .text(String(jerk.dropLast())))
            #expect(outcome.output == jerkMatch)
        }

        @Test func rejectsALineOfTenMegabytes() throws {
            let long = String(repeating: "0123456789", count: 1_000_000)
            let text = "time,x,y,z\n0,0,0,1\n" + long + "\n20,2,0,1\nbad\n"
            let outcome = try weir.run("run", "shake", "--rejected", "kept", input: .text(text))
            #expect(outcome.exitCode == 0)
            #expect(outcome.output == jerkMatch)
            #expect(outcome.errors.hasPrefix("weir: line 3 rejected: the line is longer than 1048576 bytes"))
            #expect(outcome.errors.contains("\nweir: line 5 rejected: "))
            #expect(outcome.errorLines.allSatisfy { $0.count < 250 })
            #expect(outcome.errors.contains("weir: 2 events read, 2 rejected, 1 match in "))
            #expect(try weir.text(of: "kept") == long + "\nbad\n")
        }

        @Test func theLineLimitCanBeSet() throws {
            let text = "time,x,y,z\n0,0,0,1\n10,0,0,1.00000000000000\n20,2,0,1\n"
            #expect(try weir.run("run", "shake", input: .text(text)).errors.contains(" 0 rejected"))
            let outcome = try weir.run("run", "shake", "--max-line=16", input: .text(text))
            #expect(outcome.errors.contains("line 3 rejected: the line is longer than 16 bytes"))
            let raised = text + String(repeating: "9", count: 2 << 20) + "\n"
            #expect(
                try weir.run("run", "shake", "--max-line", "3MiB", input: .text(raised)).errors
                    .contains("line 5 rejected: expected 4 fields, found 1")
            )
        }

        @Test func saysThatTheInputIsEmpty() throws {
            for arguments in [["run", "shake"], ["run", "shake", "--format", "jsonl"], ["run", "shake", "--strict"]] {
                let outcome = try weir.start(arguments, input: .text("")).outcome()
                #expect(outcome.exitCode == 0)
                #expect(outcome.output == "")
                #expect(outcome.errors.hasPrefix("weir: the input is empty; 0 events read, 0 rejected, 0 matches in "))
            }
        }

        @Test func readsAHeaderWithoutRows() throws {
            let outcome = try weir.run("run", "shake", input: .text("time,x,y,z\n"))
            #expect(outcome.exitCode == 0)
            #expect(
                outcome.errors.hasPrefix("weir: the input has no records; 0 events read, 0 rejected, 0 matches in ")
            )
        }

        @Test func rejectsJSONThatIsNone() throws {
            let lines = [
                #"{"time":0,"x":0,"y":0,"z":1}"#, #"{"time":10,"x":"#, "[]", #"{"time":10,"y":0,"z":1}"#,
                #"{"time":20,"x":2,"y":0,"z":1}"#,
            ]
            let outcome = try weir.run(
                "run",
                "shake",
                "--format",
                "jsonl",
                "--rejected",
                "kept",
                input: .text(lines.joined(separator: "\n"))
            )
            #expect(outcome.exitCode == 0)
            #expect(outcome.output == jerkMatch)
            #expect(outcome.errors.contains("weir: 2 events read, 3 rejected, 1 match in "))
            #expect(try weir.text(of: "kept") == lines[1...3].joined(separator: "\n") + "\n")
        }

        /// Its records would count twice.
        @Test(arguments: ["a.csv", "./a.csv", "link.csv", "file:a.csv?follow=true"])
        func theSameFileTwiceIsRefused(other: String) throws {
            try weir.file("a.csv", jerk)
            try FileManager.default.createSymbolicLink(
                atPath: weir.folder + "/link.csv",
                withDestinationPath: "a.csv"
            )
            let outcome = try weir.run("run", "shake", "a.csv", other)
            #expect(outcome.exitCode == 2 && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains(", and would count twice; give it once"))
        }

        #if os(Linux)
            @Test func aPipeAsAConfigurationIsRefusedAndADescriptorIsNot() throws {
                let text = #"{"pipelines": {"a": {"plugin": "shake", "from": "demo"}}}"#
                #expect(unsafe mkfifo(weir.folder + "/c.fifo", 0o600) == 0)
                let outcome = try weir.run("run", "--config", "c.fifo")
                #expect(outcome.exitCode == 78 && outcome.errorLines.count == 1)
                #expect(outcome.errors.contains("'c.fifo': it is a pipe"), "\(outcome.errors)")
                let line = "printf '%s' '\(text)' | \"$0\" run --config /dev/stdin"
                let piped = try weir.start([], input: .nothing, launcher: ["/bin/sh", "-c", line]).outcome()
                #expect(piped.exitCode == 0, "\(piped.errors)")
            }
        #endif
    }
}
