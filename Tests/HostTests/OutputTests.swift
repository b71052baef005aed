import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// What stays in outputs, and how matches are written to them.
    @Suite struct OutputTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: weir.folder).filter { $0.first != "." } }
        }

        // MARK: Mistakes

        @Test(arguments: [
            ["report", "shake", "missing.csv", "--to", "keep"], ["run", "shake", "missing.csv", "--to", "keep"],
            ["run", "shake", "a.csv", "--columns", "x=nowhere", "--to", "keep"],
            ["run", "shake", "a.csv", "--columns", "x=nowhere", "--rejected", "keep"],
            ["run", "shake", "a.csv", "b.csv", "--columns", "x=nowhere", "--to", "keep"],
            ["run", "shake", "a.csv", "--by", "x", "--partition-by", "x", "--columns", "y=nowhere", "--to", "keep"],
            ["report", "shake", "a.csv", "--columns", "x=nowhere", "--to", "keep"],
            ["convert", "a.csv", "keep", "--columns", "nowhere"],
            ["convert", "a.csv", "other", "--columns", "nowhere", "--rejected", "keep"],
            ["convert", "missing.csv", "keep"], ["record", "missing.csv", "keep"],
            ["record", "missing.csv", "file:keep"], ["replay", "a.csv", "--time", "nowhere", "--to", "keep"],
        ])
        func aMistakeLeavesTheOutputAsItWas(arguments: [String]) throws {
            for name in ["a.csv", "b.csv"] { try weir.file(name, jerk) }
            try weir.file("keep", "of an earlier run\n")
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            #expect(outcome.exitCode == 66, "\(outcome.errors)")
            #expect(try weir.text(of: "keep") == "of an earlier run\n")
        }

        @Test func whatIsAcceptedTakesThePlaceOfWhatWasThere() throws {
            try weir.file("a.csv", "time,x,y,z\n")
            for (name, arguments) in [
                ("matches", ["run", "shake", "a.csv", "--to", "matches"]),
                ("rejected", ["run", "shake", "a.csv", "--rejected", "rejected"]),
                ("table.jsonl", ["convert", "a.csv", "table.jsonl"]),
            ] {
                try weir.file(name, "of an earlier run\n")
                #expect(try weir.start(arguments, input: .nothing).outcome().exitCode == 0)
                #expect(try weir.text(of: name).isEmpty, "\(name)")
            }
        }

        // MARK: Whole files

        @Test func aPageReplacesAFileAndKeepsItsPermissions() throws {
            try weir.file("page.html", "old")
            #expect(unsafe chmod(weir.folder + "/page.html", 0o640) == 0)
            #expect(try weir.run("report", "shake", "--from", "demo", "--to", "page.html").exitCode == 0)
            #expect(try weir.text(of: "page.html").hasPrefix("<!doctype html>"))
            var status = stat()
            #expect(unsafe stat(weir.folder + "/page.html", &status) == 0 && status.st_mode & 0o777 == 0o640)
            #expect(try names == ["page.html"], "the draft is gone")
        }

        @Test(arguments: [
            ["report", "shake", "--from", "demo", "--to"], ["run", "shake", "--from", "demo", "--metrics"],
        ])
        func noLinkIsFollowedWhereAFileIsReplaced(arguments: [String]) throws {
            try weir.file("target", "another's")
            for name in ["link", "name.new"] {
                try FileManager.default.createSymbolicLink(
                    atPath: weir.folder + "/" + name,
                    withDestinationPath: weir.folder + "/target"
                )
            }
            let refused = try weir.start(arguments + ["link"], input: .nothing).outcome()
            #expect(refused.exitCode == 73)
            let reason = "it is a symbolic link, which is not followed; name the file itself"
            #expect(refused.errors.contains("'link': \(reason)"))
            #expect(try weir.start(arguments + ["name"], input: .nothing).outcome().exitCode == 0)
            #expect(try weir.text(of: "target") == "another's")
            #expect(try Set(names) == ["link", "name", "name.new", "target"])
        }

        @Test func aPageGoesToADeviceOrADescriptorAsItIs() throws {
            for place in ["/dev/stdout", "/dev/fd/1"] {
                let outcome = try weir.run("report", "shake", "--from", "demo", "--to", place)
                #expect(outcome.exitCode == 0)
                #expect(outcome.output.hasPrefix("<!doctype html>"), "\(place)")
            }
        }

        // MARK: Appending

        @Test func aLineThatWasCutOffStaysOnALineOfItsOwn() throws {
            try weir.file("a.csv", jerk)
            let whole = jerkMatch + String(jerkMatch.dropLast())
            for cut in stride(from: 1, to: jerkMatch.utf8.count, by: 7) {
                let torn = String(whole.prefix(jerkMatch.utf8.count + cut))
                try weir.file("m", torn)
                let outcome = try weir.run("run", "shake", "a.csv", "--to", "file:m?append=true")
                #expect(outcome.exitCode == 0)
                let size = cut == 1 ? "1 byte" : "\(cut) bytes"
                #expect(outcome.errors.contains("'m' ends with \(size) of a line that was cut off; "))
                #expect(try weir.text(of: "m") == torn + "\n" + jerkMatch)
            }
        }

        @Test func aTableIsWrittenOnWithoutASecondHeader() throws {
            try weir.file("a.csv", jerk)
            for _ in 1...2 {
                #expect(try weir.run("run", "shake", "a.csv", "--to", "file:m.csv?append=true").exitCode == 0)
                #expect(try weir.run("convert", "a.csv", "file:c.csv?append=true").exitCode == 0)
            }
            let matches = try weir.text(of: "m.csv").split(separator: "\n")
            #expect(matches.count == 3 && matches[1] == matches[2] && matches[0].hasPrefix("time,axis,"))
            #expect(try weir.text(of: "c.csv") == jerk + jerk.dropFirst("time,x,y,z\n".count))
            try weir.file("c.csv", "other,columns\n")
            let outcome = try weir.run("convert", "a.csv", "file:c.csv?append=true")
            #expect(outcome.exitCode == 73)
            #expect(outcome.errors.contains("'c.csv' has other columns, 'other', 'columns'; choose them"))
            #expect(try weir.text(of: "c.csv") == "other,columns\n")
        }

        @Test func aRecordingIsWrittenOn() throws {
            try weir.file("in", "one\n")
            #expect(try weir.run("record", "in", "a.rec").exitCode == 0)
            // A piece that was cut off goes.
            let bytes = try weir.contents(of: "a.rec")
            try weir.file("a.rec", bytes + bytes.suffix(20).prefix(9))
            try weir.file("in", "two\n")
            let outcome = try weir.run("record", "in", "recording:a.rec?append=true")
            let notice = "'a.rec' ended within a piece; its 9 bytes are cut off"
            #expect(outcome.errors.contains(notice), "\(outcome.errors)")
            #expect(try weir.run("replay", "a.rec", "--speed", "max").output == "one\ntwo\n")
        }

        // MARK: Styles

        @Test(arguments: ["shake", "walk", "sentiment", "fraud"])
        func aTableHasAllColumnsOfAPlugin(plugin: String) throws {
            let table = try weir.run("run", plugin, "--from", "demo", "--output", "csv")
            #expect(table.exitCode == 0)
            #expect(!table.errors.contains("has no columns"), "\(table.errors)")
            #expect(table.output.split(separator: "\n").count > 2)
        }

        @Test func aFieldThatATemplateMisspellsIsTold() throws {
            let outcome = try weir.run(
                "run",
                "shake",
                "--from",
                "demo",
                "--output",
                "template:{axs} {time} {previous.x}"
            )
            #expect(outcome.exitCode == 0)
            #expect(
                outcome.errors.hasPrefix(
                    "weir: no match has 'axs', which --output names; --output json shows what matches have\n"
                ),
                "\(outcome.errors)"
            )
        }

        @Test func anOutputWhoseReaderGoesIsToldWhereOthersGoOn() throws {
            let output = Pipe()
            try output.fileHandleForReading.close()
            let run = try weir.start(
                ["run", "shake", "--from", "demo", "--to", "stdout", "--to", "m.jsonl"],
                input: .nothing,
                output: output.fileHandleForWriting
            )
            try output.fileHandleForWriting.close()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors.hasPrefix("weir: nobody reads 'stdout' any more; the other outputs go on\n"))
            #expect(try weir.text(of: "m.jsonl").split(separator: "\n").count == 3)
        }

        @Test func whatATableHasNoColumnForIsCounted() throws {
            try weir.file("m.csv", "time,axis\n")
            let outcome = try weir.run("run", "shake", "--from", "demo", "--to", "file:m.csv?append=true")
            #expect(outcome.errors.contains("which 3 matches had; --output json keeps them"), "\(outcome.errors)")
            #expect(try weir.text(of: "m.csv").hasPrefix("time,axis\n11020,x\n"))
        }

        @Test func theEndingSaysHowMatchesAreWritten() throws {
            let all = ["m.csv", "m.CSV", "m.jsonl", "m.json", "m"]
            let outcome = try weir.start(
                ["run", "shake", "--from", "demo"] + all.flatMap { ["--to", $0] },
                input: .nothing
            )
            .outcome()
            #expect(outcome.exitCode == 0)
            for name in all {
                let isTable = name.lowercased().hasSuffix("csv")
                #expect(try weir.text(of: name).hasPrefix(isTable ? "time,axis," : "{\"time\":11020,"), "\(name)")
                // Beside another style they are as they are alone.
                let alone = ["run", "shake", "--from", "demo", "--output", isTable ? "csv" : "json"]
                #expect(try weir.text(of: name) == weir.start(alone, input: .nothing).outcome().output, "\(name)")
            }
            #expect(try weir.run("run", "shake", "--from", "demo", "--to", "j.csv", "--output", "json").exitCode == 0)
            #expect(try weir.text(of: "j.csv").hasPrefix("{"))
            let binary = try weir.run("run", "shake", "--from", "demo", "--to", "m.weir")
            #expect(binary.exitCode == 2 && binary.errors.contains("'m.weir' is called like the binary format"))
        }

        /// No file gets an ending of what it does not hold.
        @Test(arguments: [
            ["run", "shake", "--from", "demo", "--to", "m.csv.tgz"],
            ["run", "shake", "--from", "demo", "--to", "m.lz4"],
            ["run", "shake", "--from", "demo", "--report", "m.html.gz"],
            ["run", "shake", "--from", "demo", "--to", "m.tsv"], ["run", "shake", "--from", "demo", "--to", "m.xlsx"],
            ["run", "shake", "--from", "demo", "--rejected", "m.zip"], ["convert", "a.csv", "m.parquet"],
            ["convert", "a.csv", "m.jsonl.7z"], ["convert", "a.csv", "m.jsonl.br", "--to-format", "jsonl"],
            ["run", "shake", "--from", "demo", "--to", "m.xlsx.gz"],
            ["record", "a.csv", "m.rec.gz"],
        ])
        func anEndingOfAnotherFormatIsRefused(arguments: [String]) throws {
            try weir.file("a.csv", jerk)
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            let isPacked = arguments.contains { argument in
                ["csv.tgz", "lz4", "html.gz", "zip", "7z", "br", "rec.gz"].contains { argument.hasSuffix($0) }
            }
            #expect(outcome.exitCode == 2 && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(
                outcome.errors.contains(isPacked ? "' is called like something compressed" : "name it .jsonl or .csv")
            )
            #expect(try names == ["a.csv"])
        }

        @Test func anEndingThatMeansNothingIsAnyName() throws {
            for name in ["m.txt", "m.log", "m.2024", "m.tsv"] {
                let arguments = name == "m.tsv" ? ["--output", "template:{time}\t{axis}"] : []
                let run = ["run", "shake", "--from", "demo", "--to", name] + arguments
                #expect(try weir.start(run, input: .nothing).outcome().exitCode == 0)
            }
            #expect(try weir.text(of: "m.tsv").hasPrefix("11020\tx\n"))
        }
    }
}
