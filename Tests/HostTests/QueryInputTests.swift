import Foundation
import Testing

extension HostTests {
    /// What inputs of queries show by themselves, and what is said of them.
    @Suite struct QueryInputTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        // MARK: Forms and times

        @Test func whatIsPipedInShowsItsFormAndItsTime() throws {
            let lines = "{\"@timestamp\":1,\"type\":\"a\",\"id\":1}\n{\"@timestamp\":2,\"type\":\"a\",\"id\":2}\n"
            let array =
                "\u{FEFF}[\n {\"timestamp\": 1, \"type\": \"a\", \"id\": 1},\n {\"timestamp\": 2, \"type\": \"a\", \"id\": 2}]"
            for text in [lines, array, "\n\n" + lines] {
                for workers in ["1", "2"] {
                    let outcome = try weir.run(
                        "match",
                        "sequence [a where true] [a where true]",
                        "--workers",
                        workers,
                        input: .text(text)
                    )
                    #expect(try MatchLine.all(outcome).map(\.ids) == [[1, 2]], "\(outcome.errors)")
                }
            }
            let table = try weir.run("match", "any where id == 2", input: .text("timestamp,id\n1,1\n2,2\n"))
            #expect(table.output.contains("\"id\":2"), "\(table.errors)")
            #expect(table.errors.contains("types, where the input is a table: id "))
        }

        @Test func eachFileHasItsOwnNameForTheTime() throws {
            try weir.file("a.jsonl", "{\"time\":1,\"type\":\"a\",\"id\":1}\n{\"time\":3,\"type\":\"a\",\"id\":3}\n")
            try weir.file("b.jsonl", "{\"@timestamp\":2,\"type\":\"a\",\"id\":2}\n")
            try weir.file("c.log", "{\"timestamp\":4,\"type\":\"a\",\"id\":4}\n")
            let files = ["a.jsonl", "b.jsonl", "c.log"]
            let outcome = try weir.start(["match", "a where true"] + files, input: .nothing).outcome()
            #expect(try MatchLine.all(outcome).map(\.ids) == [[1], [2], [3], [4]], "\(outcome.errors)")
            let valid = try weir.start(["validate", "match", "a where true"] + files, input: .nothing).outcome()
            #expect(valid.exitCode == 0 && valid.errorLines.count == 1, "\(valid.errors)")
        }

        /// A match shows all fields of a file that has no objects; of what cannot be looked at before, it says what is missing.
        @Test func matchesShowTheFieldsOfAnyFormat() throws {
            try weir.file("in.csv", "time,user,ok\n1700000000000,bob,true\n")
            let whole = "\"user\":\"bob\",\"ok\":\"true\""
            #expect(try weir.run("match", "any where true", "in.csv").output.contains(whole))
            for format in ["binary", "logfmt", "tsv"] {
                #expect(try weir.run("convert", "in.csv", "in.x", "--to-format", format).exitCode == 0)
                let outcome = try weir.run("match", "any where true", "in.x", "--format", format)
                #expect(outcome.output.contains("\"user\":\"bob\",\"ok\":"), "\(format): \(outcome.output)")
                #expect(!outcome.errors.contains("matches lack"))
            }
            // What comes late in a file is not known before.
            let lines = (0..<3000).map { "time=\($0) user=bob pad=xxxxxxxxxx\n" }.joined() + "time=9000 late=1\n"
            try weir.file("late.lf", lines)
            for types in [[], ["--types", "late=text"]] {
                let late = try weir.start(
                    ["match", "any where time == 9000", "late.lf", "--format", "logfmt"] + types,
                    input: .nothing
                )
                .outcome()
                #expect(late.errors.contains("matches of 'late.lf' show the fields of its first 64 KiB"), "\(late)")
                #expect(late.output.contains("late") == !types.isEmpty, "\(late)")
            }
            try weir.file("in.jsonl", "{\"time\":1,\"user\":\"al\"}\n")
            let both = try weir.run("match", "any where true", "--from", "in.jsonl", "--from", "in.csv")
            #expect(both.output.contains("\"user\":\"al\"") && both.output.contains(whole), "\(both.output)")
            let text = WeirProcess.Input.text("time,user,ok\n1700000000000,bob,true\n")
            for format in [[], ["--format", "csv"]] {
                let outcome = try weir.start(["match", "any where ok == true"] + format, input: text).outcome()
                #expect(
                    outcome.errors.contains("matches lack 'user', which the query does not name: "),
                    "\(outcome.errors)"
                )
                let named = try weir.start(["match", "any where true", "--types", "user=text"] + format, input: text)
                    .outcome()
                #expect(named.output.contains("\"user\":\"bob\"") && named.errors.contains("matches lack 'ok', "))
            }
            let objects = try weir.run("match", "any where true", input: .text("{\"time\":1,\"user\":\"al\"}\n"))
            #expect(objects.output.contains("\"user\":\"al\"") && !objects.errors.contains("matches lack"))
        }

        @Test func tablesBesideObjectsStayTables() throws {
            try weir.file("a.csv", "time,id,note\n1,a,x\n3,007,{}\n5,12,y\n")
            try weir.file("b.jsonl", "{\"time\":2,\"id\":\"007\"}\n{\"time\":4,\"id\":\"12\"}\n")
            let expected = [
                #"{"time":1,"id":"a","note":"x"}"#, #"{"time":2,"id":"007"}"#, #"{"time":3,"id":"007","note":"{}"}"#,
                #"{"time":4,"id":"12"}"#, #"{"time":5,"id":12,"note":"y"}"#,
            ]
            // Its records begin as objects do.
            try weir.file("c.csv", "id,time\n{a,1\n{b,3\n{c,5\n")
            let braces = try weir.run("match", "any where id == \"12\"", "--output", "events", "c.csv", "b.jsonl")
            #expect(braces.output == expected[3] + "\n", "\(braces.errors)")
            for more in [[], ["--lateness", "1s"], ["--workers", "2"]] {
                for files in [["a.csv", "b.jsonl"], ["b.jsonl", "a.csv"]] {
                    let query = ["match", "any where id != \"-\"", "--output", "events"]
                    let outcome = try weir.start(query + more + files, input: .nothing).outcome()
                    #expect(outcome.output == expected.map { $0 + "\n" }.joined(), "\(more) \(files) \(outcome.errors)")
                }
            }
        }

        @Test func whatHasNoTimeIsToldWhatItHas() throws {
            let outcome = try weir.run("match", "any where true", input: .text("{\"at\":1}\n"))
            #expect(outcome.exitCode == 65)
            #expect(
                outcome.errors.contains("--time NAME says which field to read; the input has 'at'"),
                "\(outcome.errors)"
            )
            let other = try weir.run("match", "any where true", input: .text("{\"@timestamp\":\"x\"}\n"))
            #expect(other.errors.contains("--time-format says how times are written"), "\(other.errors)")
        }

        @Test func oldMessagesOfSyslogAreReadInTheZone() throws {
            try weir.file("a.log", "<13>Oct 11 22:14:15 host app: hello\n")
            for (zone, time) in [("UTC", "T22:14:15Z"), ("Europe/Amsterdam", "T20:14:15Z")] {
                let outcome = try weir.run(
                    "match",
                    "any where app == \"app\"",
                    "a.log",
                    "--format",
                    "syslog",
                    "--time-zone",
                    zone,
                    "--time-form",
                    "rfc3339"
                )
                #expect(outcome.output.contains(time), "\(outcome.output)\(outcome.errors)")
            }
        }

        @Test func equalNumbersGoToTheSameWorker() throws {
            let numbers = ["1", "1.0", "1e0", "10e-1", "-0", "0.0", "2", "2.00", "\"2\"", "\"x\""]
            var text = ""
            for (index, number) in numbers.enumerated() {
                text += "{\"time\":\(index),\"type\":\"a\",\"k\":\(number),\"id\":\(index)}\n"
            }
            try weir.file("in.jsonl", text)
            let query = "sequence by k [a where true] [a where true]"
            let one = try weir.run("match", query, "in.jsonl")
            #expect(try MatchLine.all(one).map(\.ids) == [[0, 1], [1, 2], [2, 3], [4, 5], [6, 7]])
            for workers in ["2", "3", "7"] {
                let several = try weir.run("match", query, "in.jsonl", "--partition-by", "k", "--workers", workers)
                #expect(several.output == one.output, "\(several.errors)")
            }
            let refused = try weir.run(
                "match",
                query + " | head 1",
                "in.jsonl",
                "--partition-by",
                "k",
                "--workers",
                "2"
            )
            #expect(refused.exitCode == 2)
            #expect(refused.errors.contains("not every rule keeps records apart by 'k'"), "\(refused.errors)")
        }

        // MARK: What is said

        @Test func categoriesThatNoRecordHasAreNamed() throws {
            try weir.file("in.jsonl", "{\"time\":1,\"type\":\"process\"}\n{\"time\":2,\"type\":\"file\"}\n")
            let near = try weir.run("match", "proces where true", "in.jsonl")
            #expect(near.exitCode == 0)
            #expect(
                near.errors.contains("no record has the category 'proces'; did you mean 'process'?\n"),
                "\(near.errors)"
            )
            let far = try weir.run("match", "sequence [network where true] [file where true]", "in.jsonl")
            #expect(far.errors.contains("no record has the category 'network'; there is 'file', 'process'\n"))
            let none = try weir.run("match", "file where true", "in.jsonl", "--category", "kind")
            #expect(
                none.errors.contains("no record has a category, which the rules name: 'file'; --category FIELD says")
            )
            #expect(try !weir.run("match", "file where true", "in.jsonl").errors.contains("category"))
        }

        @Test func manyFieldsThatNoRecordHasAreCounted() throws {
            try weir.file("in.jsonl", "{\"time\":1,\"type\":\"a\"}\n")
            let names = (1...15).map { "f\($0) == 1" }.joined(separator: " or ")
            let outcome = try weir.run("match", "any where \(names)", "in.jsonl")
            #expect(outcome.errorLines.count { $0.contains("have no field 'f") } == 10)
            #expect(outcome.errors.contains("nor 5 other fields of the rules\n"), "\(outcome.errors)")
        }

        @Test func eventsAreNoTable() throws {
            try weir.file("in.jsonl", "{\"time\":1,\"type\":\"a\"}\n")
            let outcome = try weir.run("match", "any where true", "in.jsonl", "--output", "events", "--to", "o.csv")
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.contains("'o.csv' is called like a table; name it .jsonl"), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: weir.folder + "/o.csv"))
        }

        @Test func theLanguageHasAPage() throws {
            let outcome = try weir.run("help", "eql")
            #expect(outcome.exitCode == 0)
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines[2] == "Examples:" && lines.count <= 60)
            for line in lines { #expect(line.count <= 80 && line.last != " ", "\(line)") }
            // Its examples are queries.
            try weir.file("in.jsonl", "{\"time\":1,\"type\":\"a\"}\n")
            var queries: [String] = []
            for line in lines[3...].prefix(while: { !$0.isEmpty }) {
                if line.hasPrefix("    ") { queries[queries.count - 1] += line } else { queries.append(String(line)) }
            }
            #expect(queries.count == 7)
            for query in queries {
                let found = try weir.run("match", query, "in.jsonl")
                #expect(found.exitCode == 0, "\(query): \(found.errors)")
            }
        }

        // MARK: Files of rules

        @Test func aFileThatCannotBeReadDoesNotCostTheFolder() throws {
            try FileManager.default.createDirectory(atPath: weir.folder + "/r", withIntermediateDirectories: true)
            try weir.file("in.jsonl", "{\"time\":1,\"type\":\"a\",\"id\":1}\n")
            try weir.file("r/good.eql", "\u{FEFF}// name: good\na where true")
            try weir.file("r/bytes.eql", [0xFF, 0xFE, 0x41])
            try FileManager.default.createSymbolicLink(
                atPath: weir.folder + "/r/gone.eql",
                withDestinationPath: "/nowhere"
            )
            let outcome = try weir.run("match", "--rules", "r", "in.jsonl")
            #expect(outcome.exitCode == 3)
            #expect(try MatchLine.all(outcome).map(\.rule) == ["good"])
            #expect(outcome.errors.contains("'r/bytes.eql' is not UTF-8\n"), "\(outcome.errors)")
            #expect(outcome.errors.contains("weir: 1 of 3 rules can be used\n"), "\(outcome.errors)")
            let valid = try weir.run("validate", "match", "--rules", "r", "in.jsonl")
            #expect(valid.exitCode == 3 && valid.errors.contains("valid but for 2 rules: match from "))
            #expect(try weir.run("match", "--rules", "r/bytes.eql", "in.jsonl").exitCode == 66)
        }

        @Test func aListOfRulesIsNotEmpty() throws {
            try weir.file("in.jsonl", "{\"time\":1}\n")
            try weir.file("c.json", #"{"pipelines": {"p": {"rules": [], "from": "in.jsonl"}}}"#)
            let outcome = try weir.run("run", "--config", "c.json")
            #expect(outcome.exitCode == 78)
            #expect(
                outcome.errors.contains("c.json:1:") && outcome.errors.contains("the list is empty"),
                "\(outcome.errors)"
            )
        }

        // MARK: What does not happen

        private static let absence = "sequence by k with maxspan=1s [a where true] ![b where true]"

        @Test(arguments: [[], ["--partition-by", "k", "--workers", "2"]])
        func whatDoesNotHappenIsNoticedWhileNothingComes(workers: [String]) throws {
            try weir.file(
                "in.jsonl",
                "{\"time\":1000,\"type\":\"a\",\"k\":7,\"id\":1}\n{\"time\":1001,\"type\":\"a\",\"k\":8,\"id\":2}\n"
            )
            let run = try weir.start(
                ["match", Self.absence, "--from", "file:in.jsonl?follow=true", "--lateness", "10ms", "--to", "m.jsonl"]
                    + workers,
                input: .nothing
            )
            try WeirProcess.eventually("both matches") {
                (try? weir.text(of: "m.jsonl").split(separator: "\n").map { try MatchLine($0).ids }) == [
                    [1, nil], [2, nil],
                ]
            }
            run.process.terminate()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.errors.contains("2 events read, 0 rejected, 2 matches in "), "\(outcome.errors)")
        }

        @Test func withoutLatenessTimeIsThatOfTheRecords() throws {
            try weir.file("in.jsonl", "{\"time\":1000,\"type\":\"a\",\"k\":7,\"id\":1}\n")
            let errors = Pipe()
            let run = try weir.start(
                ["match", Self.absence, "--from", "file:in.jsonl?follow=true", "--to", "m.jsonl"],
                input: .nothing,
                errors: errors.fileHandleForWriting
            )
            try errors.fileHandleForWriting.close()
            var said = Arrivals(errors)
            let wasSaid = said.wait(for: "what does not happen is noticed when a later record comes; with --lateness")
            #expect(wasSaid, "\(said.text)")
            run.process.terminate()
            said.waitForEnd()
            #expect(try run.outcome().exitCode == 130)
            let file = try weir.run("match", Self.absence, "in.jsonl")
            #expect(!file.errors.contains("--lateness") && file.output.split(separator: "\n").count == 1)
        }
    }
}
