import Foundation
import Testing

extension HostTests {
    /// What a run says that found less than it could have.
    @Suite struct AdviceTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private static let steps = """
            time,steps,Speed
            2020-01-01T00:00:00Z,1,1
            2020-01-01T00:00:01Z,2,1
            2020-01-01T00:00:02Z,3,1

            """

        private static let post = #"{"time":1,"text":"apple good","user":{"followers_count":3}}"# + "\n"

        // MARK: Fields that options name

        @Test func aNamedFieldThatTheHeaderLacksIsAnError() throws {
            try weir.file("a.csv", Self.steps)
            let outcome = try weir.run("run", "walk", "a.csv", "--columns", "speed=Spede", "--to", "kept")
            #expect(outcome.exitCode == 66)
            #expect(outcome.errors.contains("has no field 'Spede'"))
            #expect(outcome.errors.hasSuffix("; say which to read with --columns speed=NAME, such as 'Speed'\n"))
            #expect(try weir.run("run", "walk", "a.csv", "--columns", "speed=Speed").exitCode == 0)
            #expect(try weir.run("convert", "a.csv", "a.weir").exitCode == 0)
            let binary = try weir.run("run", "walk", "a.weir", "--columns", "speed=Spede")
            #expect(binary.exitCode == 66, "\(binary.errors)")
        }

        @Test func oneOfSeveralInputsMayBringTheNamedField() throws {
            try weir.file("steps.csv", "time,steps\n2020-01-01T00:00:00Z,1\n2020-01-01T00:00:02Z,3\n")
            try weir.file("speed.csv", "time,v\n2020-01-01T00:00:01Z,1\n")
            let good = try weir.run("run", "walk", "steps.csv", "speed.csv", "--columns", "speed=v")
            #expect(good.exitCode == 0)
            #expect(!good.errors.contains("no record has a value"), "\(good.errors)")
            let wrong = try weir.run("run", "walk", "steps.csv", "speed.csv", "--columns", "speed=w")
            #expect(
                wrong.errors.contains("weir: no record has a value in 'w'; --columns speed=NAME names another field")
            )
        }

        @Test(arguments: [[], ["--partition-by", "device", "--workers", "2"]])
        func aNamedFieldThatNoRecordHasIsToldAtTheEnd(options: [String]) throws {
            let lines = (0..<3).map { #"{"time":\#($0),"x":0,"y":0,"z":1,"device":"a"}"# + "\n" }.joined()
            try weir.file("a.jsonl", lines)
            let shake = try weir.start(["run", "shake", "a.jsonl", "--by", "device"] + options, input: .nothing)
                .outcome()
            #expect(!shake.errors.contains("no record has"), "\(shake.errors)")
            try weir.file("p.jsonl", Self.post)
            let post = try weir.run(
                "run",
                "sentiment",
                "p.jsonl",
                "--columns",
                "time=time,text=text,followers=user.folowers_count"
            )
            #expect(post.exitCode == 0)
            #expect(
                post.errors.hasPrefix(
                    "weir: no record has a value in 'user.folowers_count'; --columns followers=NAME names another field; "
                        + "did you mean 'user.followers_count'?\n"
                ),
                "\(post.errors)"
            )
            let converted = try weir.run("convert", "p.jsonl", "p.csv", "--columns", "time,prise")
            #expect(converted.errors.hasPrefix("weir: no record has a value in 'prise', which --columns names\n"))
        }

        @Test func aRunThatFindsNothingSaysWhichFieldsAreNotThere() throws {
            try weir.file("a.csv", Self.steps)
            let outcome = try weir.run("run", "walk", "a.csv")
            #expect(outcome.exitCode == 0)
            #expect(
                outcome.errors.hasPrefix(
                    "weir: nothing was found, and no record has a value in 'cadence', 'speed', 'latitude', "
                ),
                "\(outcome.errors)"
            )
            let found = try weir.run("run", "walk", "a.csv", "--columns", "speed=Speed", "--emit", "all")
            #expect(found.errorLines.count == 1, "\(found.errors)")
        }

        // MARK: Rejections

        @Test func linesThatAreRejectedForOneReasonAreSummedUpOnce() throws {
            let rows = (0..<100).map { "\($0 % 2 == 0 ? $0 : $0 - 60),0,0,1\n" }.joined()
            try weir.file("a.csv", "time,x,y,z\n" + rows)
            let outcome = try weir.run("run", "shake", "a.csv")
            #expect(
                outcome.errors.contains(
                    "weir: 50 lines were rejected: field 'time' goes back: it is before the last record's; --by FIELD "
                        + "keeps apart what has times of its own, and --lateness 100ms puts records in the order of "
                        + "their times\n"
                ),
                "\(outcome.errors)"
            )
            let ordered = try weir.run("run", "shake", "a.csv", "--lateness", "100ms")
            #expect(ordered.errors.hasPrefix("weir: 100 events read, 0 rejected"))
        }

        // MARK: Times

        @Test func timesInAnotherUnitAreNoticed() throws {
            let rows = (0..<20).map { "\(1_767_225_600 + $0).5,\($0 % 2 * 2),0,1\n" }.joined()
            try weir.file("a.csv", "time,x,y,z\n" + rows)
            let remark = "the last time, 1970-01-21T10:53:45.6195Z, is long ago; where the times count seconds, "
            for command in ["run", "validate"] {
                let outcome = try weir.run(command, "shake", "a.csv")
                #expect(outcome.errors.contains(remark + "--time-unit s says so\n"), "\(outcome.errors)")
            }
            for options in [["--time-unit", "s"], ["--time-unit", "ms"]] {
                let outcome = try weir.start(["run", "shake", "a.csv"] + options, input: .nothing).outcome()
                #expect(!outcome.errors.contains("long ago"), "\(outcome.errors)")
            }
            try weir.file("a.csv", "time,x,y,z\n1767225600000000,0,0,1\n")
            let micro = try weir.run("run", "shake", "a.csv")
            #expect(micro.exitCode == 65)
            #expect(
                micro.errors.contains("every line was rejected: field 'time' is out of range; --time-unit says what"),
                "\(micro.errors)"
            )
        }

        @Test func aTimeFarAheadIsBlamedForWhatGoesBackBehindIt() throws {
            let rows = (0..<40).map { "\($0 == 20 ? 7_258_118_400_000 : 1_767_225_600_000 + $0),0,0,1\n" }.joined()
            try weir.file("a.csv", "time,x,y,z\n" + rows)
            let plain = try weir.run("run", "shake", "a.csv")
            #expect(
                plain.errors.contains(
                    "--max-ahead 1d rejects times that far ahead of the others, and --time-unit says"
                ),
                "\(plain.errors)"
            )
            let ordered = try weir.run("run", "shake", "a.csv", "--lateness", "1s")
            #expect(ordered.errors.contains("weir: 19 records came later than --lateness lets them; a longer one"))
            let bounded = try weir.run("run", "shake", "a.csv", "--max-ahead", "1d")
            #expect(bounded.errors.contains("39 events read, 1 rejected"))
        }

        @Test func whenAllIsRejectedTheExitCodeSaysSo() throws {
            try weir.file("a.csv", "time,x,y,z\nnever,0,0,1\nnever,0,0,2\n")
            for command in [["run", "shake", "a.csv"], ["report", "shake", "a.csv"]] {
                let outcome = try weir.start(command, input: .nothing).outcome()
                #expect(outcome.exitCode == 65)
                #expect(
                    outcome.errors.contains(
                        "weir: every line was rejected: field 'time' is neither a number nor a time; "
                            + "--time-format says how times are written, such as '%d.%m.%Y %H:%M:%S', and "
                            + "--columns time=NAME which field to read\n"
                    ),
                    "\(outcome.errors)"
                )
            }
            #expect(try weir.run("run", "shake", "a.csv", "--strict").exitCode == 1)
            let converted = try weir.run("convert", "a.csv", "b.jsonl", "--schema", "time=time")
            #expect(converted.exitCode == 65)
            #expect(converted.errors.contains("weir: every line was rejected: field 'time' is "))
            let missing = try weir.run("run", "sentiment", input: .text("created_at,text\n"))
            #expect(missing.exitCode == 0)
            #expect(missing.errors.hasPrefix("weir: the input has no records; 0 events read"))
            try weir.file("c.json", #"{"pipelines": {"one": {"plugin": "shake", "from": "a.csv", "to": "m"}}}"#)
            let configured = try weir.run("run", "--config", "c.json", "--control", "none")
            #expect(configured.exitCode == 65)
            #expect(!configured.errors.contains("starts again"))
        }

        @Test(arguments: [("\t", "tabs"), (";", "semicolons"), ("|", "bars")])
        func fieldsThatAreSeparatedOtherwiseAreNoticed(separator: String, word: String) throws {
            try weir.file("a.csv", jerk.replacingOccurrences(of: ",", with: separator))
            let run = try weir.run("run", "shake", "a.csv")
            #expect(run.exitCode == 66)
            #expect(run.errors.contains("the header is one field that holds \(word)"))
            let converted = try weir.run("convert", "a.csv", "b.jsonl")
            #expect(converted.errors.hasPrefix("weir: the header is one field that holds \(word)"))
            let replayed = try weir.run("replay", "a.csv")
            #expect(replayed.exitCode == 66)
            #expect(replayed.errors.contains("the header is one field that holds \(word)"))
        }

        // MARK: Order

        @Test func recordsOutOfOrderAreToldWhereNoPluginRefusesThem() throws {
            try weir.file("a.csv", "time,text\n60000,apple\n1000,apple\n62000,apple\n61000,apple\n")
            let columns = ["--columns", "time=time,text=text"]
            let outcome = try weir.start(["run", "sentiment", "a.csv"] + columns, input: .nothing).outcome()
            #expect(
                outcome.errors.hasPrefix(
                    "weir: 2 records came after a later one, by up to 59s; --lateness 1m puts records in the order of "
                        + "their times\n"
                ),
                "\(outcome.errors)"
            )
            let ordered = try weir.start(
                ["run", "sentiment", "a.csv", "--lateness", "1m"] + columns,
                input: .nothing
            ).outcome()
            #expect(ordered.errorLines.count == 1)
        }

        @Test func groupsWithTimesOfTheirOwnAreInOrder() throws {
            let rows = (0..<3).map { "\($0 * 20),0,0,1,a\n" } + (0..<3).map { "\($0 * 20),0,0,1,b\n" }
            try weir.file("a.csv", "time,x,y,z,device\n" + rows.joined())
            let outcome = try weir.run("run", "shake", "a.csv", "--by", "device")
            #expect(outcome.errors.hasPrefix("weir: 6 events read, 0 rejected"), "\(outcome.errors)")
        }

        // MARK: Validation and replay

        @Test func validateReadsTheFirstRecords() throws {
            try weir.file("a.csv", Self.steps)
            let good = try weir.run("validate", "walk", "a.csv", "--columns", "speed=Speed")
            #expect(good.exitCode == 0)
            #expect(good.errors == "weir: valid: walk from a.csv to stdout\n")
            let header = try weir.run("validate", "shake", "a.csv")
            #expect(header.exitCode == 66)
            #expect(header.errors.contains("has no field 'x', 'y', 'z'"))
            let followed = try weir.run("validate", "shake", "file:a.csv?follow=true")
            #expect(followed.exitCode == 66)
            let column = try weir.run("validate", "walk", "a.csv", "--columns", "speed=Spede")
            #expect(column.exitCode == 66)
            try weir.file("p.jsonl", Self.post)
            let posts = try weir.run("validate", "sentiment", "p.jsonl")
            #expect(posts.exitCode == 65)
            #expect(
                posts.errors
                    == "weir: 'p.jsonl' is of no use, by its first 1 record: every line was rejected: field 'created_at' "
                    + "is missing; --columns time=NAME says which field to read; the input has 'time', 'text', 'user', "
                    + "'user.followers_count'\n"
            )
            try weir.file("empty.csv", "")
            #expect(try weir.run("validate", "shake", "empty.csv").exitCode == 0)
            try weir.file("c.json", #"{"pipelines": {"one": {"plugin": "shake", "from": "a.csv", "to": "m"}}}"#)
            #expect(try weir.run("validate", "--config", "c.json").exitCode == 66)
        }

        @Test func aReplayThatSendsNothingSaysWhy() throws {
            try weir.file("a.csv", "time,x\nnever,1\n")
            let unread = try weir.run("replay", "a.csv")
            #expect(unread.exitCode == 65)
            #expect(
                unread.errors.contains("weir: nothing was sent: field 'time' is neither a number nor a time; --time ")
            )
            try weir.file("b.csv", "time,x\n")
            #expect(try weir.run("replay", "b.csv").errors.contains("weir: nothing was sent: it has no records\n"))
            try weir.file("c.csv", "")
            #expect(try weir.run("replay", "c.csv").errors.contains("weir: nothing was sent: the input is empty\n"))
            let misspelt = try weir.run("replay", "a.csv", "--time", "tyme")
            #expect(misspelt.errors.contains("say with --time which field is the time, such as 'time'"))
        }
    }
}
