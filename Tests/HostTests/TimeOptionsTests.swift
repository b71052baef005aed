import Foundation
import Testing

extension HostTests {
    /// Times of any form, in every command that reads them.
    @Suite struct TimeOptionsTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        /// Whether the system has the rules of time zones.
        private static let hasZones = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Amsterdam")
        private static let advice: Comment = "needs the system's time zones, of the package 'tzdata'"

        /// Readings that shake at the second one.
        private func readings(_ times: String...) -> String {
            "time,x,y,z\n" + times.enumerated().map { "\($1),\($0 % 2 * 9),0,1\n" }.joined()
        }

        /// The times of the matches.
        private func times(_ outcome: Outcome) -> [String] {
            outcome.output.split(separator: "\n")
                .compactMap { line in
                    let match = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    return match?["time"].map { "\($0)" }
                }
        }

        @Test(arguments: [
            ("2024-06-08T16:05:00Z", "2024-06-08T16:05:01Z"), ("1717862700000", "1717862701000"),
            ("2024-06-08 16:05:00+02:00", "2024-06-08 16:05:01+02:00"),
            ("2024/06/08 16:05:00 +0000", "2024/06/08 16:05:01 +0000"),
            ("08/Jun/2024:16:05:00 +0100", "08/Jun/2024:16:05:01 +0100"),
        ])
        func matchesHaveTheFormOfTheInput(first: String, second: String) throws {
            try weir.file("a.csv", readings(first, second))
            let outcome = try weir.run("run", "shake", "a.csv")
            #expect(times(outcome) == [second], "\(outcome.errors)")
            #expect(
                times(try weir.run("run", "shake", "a.csv", "--time-form", "rfc3339")).first?.hasSuffix(":01Z") ?? false
            )
            let number = try weir.run("run", "shake", "a.csv", "--time-form", "number", "--time-unit", "ms")
            #expect(times(number).first.flatMap { Int64($0) } != nil)
        }

        @Test func everyPluginWritesTheFormOfTheInput() throws {
            let inputs = [
                "walk": "time,steps,speed\n@0,1,1\n@1,2,1\n@2,3,1\n",
                "fraud": "time,card,amount\n@0,a,1\n@1,a,1\n@2,a,1\n@3,a,900\n",
                "sentiment": "created_at,text,followers\n@0,apple good,3\n",
            ]
            for (plugin, rows) in inputs {
                for (form, expected) in [
                    ("2024/06/08 16:05:0 +0000", "2024/06/08 16:05:0"), ("171786270000", "171786270000"),
                ] {
                    let digits = form.hasPrefix("1") ? form : nil
                    var text = rows
                    for index in 0...3 {
                        let time = digits.map { $0 + "\(index)" } ?? "2024/06/08 16:05:0\(index) +0000"
                        text = text.split(separator: "@\(index)", omittingEmptySubsequences: false).joined(
                            separator: time
                        )
                    }
                    try weir.file("a.csv", text)
                    let columns = plugin == "sentiment" ? ["--columns", "followers=followers"] : []
                    let outcome = try weir.start(["run", plugin, "a.csv"] + columns, input: .nothing).outcome()
                    let found = times(outcome)
                    #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix(expected) }, "\(plugin): \(outcome)")
                }
            }
        }

        @Test(.enabled(if: hasZones, advice)) func timesWithoutAZoneAreReadInTheGivenOne() throws {
            try weir.file("a.csv", readings("2024-10-27 02:30:00", "2024-10-27 02:30:01"))
            let without = try weir.run("run", "shake", "a.csv")
            #expect(without.exitCode == 65)
            #expect(
                without.errors.contains(
                    "weir: every line was rejected: field 'time' has no time zone; --time-zone says whose clock it is, "
                        + "such as --time-zone Europe/Amsterdam\n"
                ),
                "\(without.errors)"
            )
            let outcome = try weir.run("run", "shake", "a.csv", "--time-zone", "Europe/Amsterdam")
            #expect(times(outcome) == ["2024-10-27 02:30:01"], "\(outcome.errors)")
            #expect(outcome.errors.contains("weir: 2 times that clocks show twice"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("do not show"))
            let internet = try weir.run(
                "run",
                "shake",
                "a.csv",
                "--time-zone",
                "Europe/Amsterdam",
                "--time-form",
                "rfc3339"
            )
            #expect(times(internet) == ["2024-10-27T00:30:01Z"])
            try weir.file("gap.csv", readings("2024-03-31 02:30:00", "2024-03-31 02:30:01"))
            let gap = try weir.run("report", "shake", "gap.csv", "--time-zone", "Europe/Amsterdam")
            #expect(gap.errors.contains("weir: 2 times that clocks do not show"), "\(gap.errors)")
            let wrong = try weir.run("run", "shake", "a.csv", "--time-zone", "Europe/Amsterdm")
            #expect(wrong.exitCode == 2)
            #expect(
                wrong.errors.contains(
                    "--time-zone: there is no time zone 'Europe/Amsterdm'; did you mean 'Europe/Amsterdam'?"
                ),
                "\(wrong.errors)"
            )
        }

        @Test(.enabled(if: hasZones, advice)) func aPluginFromALibraryReadsAndWritesTheSame() throws {
            let folder = URL(fileURLWithPath: try WeirProcess.program).deletingLastPathComponent().path
            let library = folder + "/libWeirShakePlugin.so"
            try weir.file("a.csv", readings("2024-06-08 16:05:00", "2024-06-08 16:05:01", "2024-10-27 02:30:00"))
            // The host reads the times too, to put the records in order.
            let options = ["--time-zone", "Europe/Amsterdam", "--lateness", "1s"]
            let outcome = try weir.start(["run", library, "a.csv"] + options, input: .nothing).outcome()
            #expect(times(outcome) == ["2024-06-08 16:05:01", "2024-10-27 02:30:00"], "\(outcome)")
            #expect(outcome.errors.contains("weir: 1 times that clocks show twice"), "\(outcome.errors)")
            let without = try weir.start(["run", library, "a.csv"], input: .nothing).outcome()
            #expect(without.errors.contains("; --time-zone says whose clock it is"), "\(without.errors)")
        }

        @Test(.enabled(if: hasZones, advice)) func aConfigurationSaysHowTimesAreWritten() throws {
            try weir.file("a.csv", readings("08.06.2024 16:05:00", "08.06.2024 16:05:01"))
            try weir.file(
                "c.json",
                """
                {"pipelines": {"times": {"plugin": "shake", "from": "a.csv", "time-zone": "Europe/Amsterdam",
                                         "time-format": "%d.%m.%Y %H:%M:%S"}}}
                """
            )
            let outcome = try weir.run("run", "--config", "c.json")
            #expect(times(outcome) == ["08.06.2024 16:05:01"], "\(outcome)")
        }

        @Test func ownFormatsAreReadAndWritten() throws {
            try weir.file("a.csv", readings("08.06.2024 16:05:00", "08.06.2024 16:05:01"))
            let options = ["--time-format", "%d.%m.%Y %H:%M:%S", "--time-zone", "+02:00"]
            let outcome = try weir.start(["run", "shake", "a.csv"] + options, input: .nothing).outcome()
            #expect(times(outcome) == ["08.06.2024 16:05:01"], "\(outcome)")
            let plain = try weir.run("run", "shake", "a.csv")
            #expect(plain.errors.contains("; --time-format says how times are written"), "\(plain.errors)")
            let flaw = try weir.run("run", "shake", "a.csv", "--time-format", "%d.%Q.%Y")
            #expect(flaw.exitCode == 2)
            #expect(
                flaw.errors.contains("--time-format: there is no field '%Q', at the ^ in '%d.^%Q.%Y'"),
                "\(flaw.errors)"
            )
            let bare = try weir.run("run", "shake", "a.csv", "--time-format", "%d.%m.%Y %H:%M:%S")
            #expect(bare.exitCode == 2 && bare.errors.contains("; say it with --time-zone"), "\(bare.errors)")
            let converted = try weir.start(["convert", "a.csv", "--schema", "time=time"] + options, input: .nothing)
                .outcome()
            #expect(converted.output.hasPrefix(#"{"time":"2024-06-08T14:05:00Z","#), "\(converted)")
            let sent = try weir.start(["replay", "a.csv", "--speed", "max"] + options, input: .nothing).outcome()
            #expect(sent.output == readings("08.06.2024 16:05:00", "08.06.2024 16:05:01"), "\(sent.errors)")
        }

        @Test func theUnitIsFoundWhenAsked() throws {
            try weir.file("a.csv", readings("1717862700", "1717862700.5", "1717862700500000"))
            let outcome = try weir.run("run", "shake", "a.csv", "--time-unit", "auto")
            #expect(times(outcome) == ["1717862700.5"], "\(outcome)")
            #expect(outcome.errors.contains("counts microseconds, and the first time seconds"), "\(outcome.errors)")
            #expect(outcome.errors.contains("times count seconds, as the first one shows"), "\(outcome.errors)")
            let workers = try weir.run(
                "run",
                "shake",
                "a.csv",
                "--time-unit",
                "auto",
                "--by",
                "y",
                "--partition-by",
                "y",
                "--workers",
                "2"
            )
            #expect(workers.errors.contains("times count seconds, as the first one shows"), "\(workers.errors)")
            let sent = try weir.run("replay", "a.csv", "--speed", "max", "--time-unit", "auto")
            #expect(sent.errors.contains("2 lines sent, 1 left out"), "\(sent.errors)")
            #expect(sent.errors.contains("times count seconds"), "\(sent.errors)")
        }

        @Test func whatHasNoZoneIsExplainedByEveryCommand() throws {
            try weir.file("a.csv", readings("2024-06-08 16:05:00", "2024-06-08"))
            for command in [
                ["run", "shake", "a.csv"], ["convert", "a.csv", "--schema", "time=time"], ["replay", "a.csv"],
                ["validate", "shake", "a.csv"],
            ] {
                let outcome = try weir.start(command, input: .nothing).outcome()
                #expect(outcome.errors.contains("has no time zone"), "\(command): \(outcome.errors)")
                #expect(
                    outcome.errors.contains("--time-zone says whose clock it is, such as --time-zone"),
                    "\(command): \(outcome.errors)"
                )
            }
        }

        @Test func whatIsRejectedKeepsItsForm() throws {
            let rows = readings("2024/06/08 16:05:00 +0000", "2024/06/08 16:05:00", "2024/06/08 16:05:01 +0000")
            try weir.file("a.csv", rows)
            let outcome = try weir.run("run", "shake", "a.csv", "--rejected", "no.csv")
            #expect(times(outcome).isEmpty, "\(outcome)")
            let kept = try String(contentsOfFile: weir.folder + "/no.csv", encoding: .utf8)
            #expect(kept.contains("2024/06/08 16:05:00,9,0,1\n"), "\(kept)")
        }
    }
}
