import Foundation
import Testing
import WeirCore

#if canImport(Glibc)
    import Glibc
#endif

/// A match of `weir match`, as a line of JSON.
struct MatchLine {
    let rule: String?
    let keys: [String: String]
    /// The `id` of each event; `nil` for one that has to be missing.
    let ids: [Int?]

    init(_ line: Substring) throws {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        rule = object["rule"] as? String
        keys = (object["keys"] as? [String: Any] ?? [:]).mapValues { "\($0)" }
        ids = (object["events"] as? [Any] ?? []).map { ($0 as? [String: Any])?["id"] as? Int }
    }

    static func all(_ outcome: Outcome) throws -> [MatchLine] {
        try outcome.output.split(separator: "\n").map { try MatchLine($0) }
    }
}

extension HostTests {
    /// `weir match`.
    @Suite struct MatchTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private let logins = """
            {"id":1,"time":1000,"event_type":"login","user":"ann","ok":false}
            {"id":2,"time":2000,"event_type":"login","user":"bob","ok":false}
            {"id":3,"time":3000,"event_type":"login","user":"ann","ok":true}
            {"id":4,"time":4000,"event_type":"logout","user":"bob"}

            """
        private let pair = "sequence by user [login where not ok] [login where ok]"

        // MARK: Queries

        @Test func aQueryIsRunLikeAPlugin() throws {
            try weir.file("in.jsonl", logins)
            let outcome = try weir.run("match", pair, "in.jsonl")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            let matches = try MatchLine.all(outcome)
            #expect(matches.map(\.ids) == [[1, 3]])
            #expect(matches.map(\.rule) == ["query"] && matches.map(\.keys) == [["user": "ann"]])
            #expect(outcome.errors.hasPrefix("weir: 4 events read, 0 rejected, 1 match in "))
            #expect(try weir.run("match", pair, input: .file("in.jsonl")).output == outcome.output)
            let piped = try weir.run("match", pair, "--format", "jsonl", input: .file("in.jsonl"))
            #expect(piped.output == outcome.output)
            #expect(try weir.run("run", "match", pair, "in.jsonl").output == outcome.output)
        }

        @Test func aMistakeIsShownWithItsPlace() throws {
            try weir.file("in.jsonl", logins)
            let outcome = try weir.run("match", "login where\n  user ==", "in.jsonl")
            #expect(outcome.exitCode == 2)
            #expect(outcome.output.isEmpty)
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines[0].hasPrefix("weir: the query, 2:"))
            #expect(lines[1].hasPrefix("  user =="))
            #expect(lines[2].hasSuffix("^") && lines[2].allSatisfy { " ^".contains($0) })
        }

        @Test(arguments: [
            (["match"], "state what to look for, such as 'weir match "),
            (
                ["match", "any where true", "--languag", "eql"],
                "there is no option '--languag'; did you mean '--language'?"
            ),
            (["match", "any where true", "--language", "sq"], "--language: there is no language 'sq'; there is eql"),
            (["match", "any where true", "--types", "a=int"], "--types: 'int' is not one of boolean, integer, "),
            (["match", "any where true", "none.jsonl"], "cannot open 'none.jsonl': "),
            (["match", "--rules", "none.eql"], "--rules: cannot open 'none.eql': "),
            (["match", "--rules", "empty"], "--rules: there is no rule in 'empty': none of its files ends with .eql"),
            (["match", "any where true", "--config", "c.json"], "--config: the file says what to look for; "),
        ])
        func mistakesOfTheCommandLineAreExplained(arguments: [String], message: String) throws {
            try FileManager.default.createDirectory(atPath: weir.folder + "/empty", withIntermediateDirectories: true)
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            #expect([2, 66].contains(outcome.exitCode))
            #expect(outcome.errors.hasPrefix("weir: " + message), "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1)
        }

        @Test func theHeaderOfATableIsKnown() throws {
            try weir.file("in.csv", "id,time,event_type,user,bytes\n1,0,login,ann,9\n2,1,login,bob,10\n")
            let outcome = try weir.run("match", "login where usr == \"ann\"", "in.csv")
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.hasPrefix("weir: the query, 1:13: "))
            #expect(outcome.errors.contains("'user'") && outcome.errors.hasSuffix("            ^^^\n"))
            // As a number: as a text, 9 would come after 10.
            let found = try weir.run("match", "login where bytes > 9", "in.csv")
            #expect(found.exitCode == 0, "\(found.errors)")
            #expect(found.output.split(separator: "\n").count == 1 && found.output.contains("\"bytes\":10"))
            #expect(
                found.errorLines.first?.hasPrefix("weir: types: bytes ") ?? false,
                "\(found.errors)"
            )
            let told = try weir.run("match", "login where bytes > 9", "in.csv", "--types", "bytes=real")
            #expect(told.output == found.output && !told.errors.contains("types:"))
        }

        @Test func aFieldThatNoRecordShowsIsAWarning() throws {
            try weir.file("in.jsonl", logins)
            let outcome = try weir.run("match", "login where usr == \"ann\"", "in.jsonl")
            #expect(outcome.exitCode == 0)
            #expect(
                outcome.errorLines.first
                    == "weir: the first records of 'in.jsonl' have no field 'usr'; did you mean 'user'?"
            )
            let optional = try weir.run("match", "login where ?usr == null", "in.jsonl")
            #expect(optional.output.split(separator: "\n").count == 3)
            #expect(!optional.errors.contains("usr"))
        }

        @Test func timeAndCategoryAreOtherFields() throws {
            let text = logins.replacingOccurrences(of: "\"time\"", with: "\"at\"")
                .replacingOccurrences(of: "event_type", with: "kind")
            try weir.file("in.jsonl", text)
            let outcome = try weir.run("match", pair, "in.jsonl", "--time", "at", "--category", "kind")
            #expect(try MatchLine.all(outcome).map(\.ids) == [[1, 3]], "\(outcome.errors)")
            try weir.file("stamp.jsonl", text.replacingOccurrences(of: "\"at\"", with: "\"@timestamp\""))
            let found = try weir.run("match", pair, "stamp.jsonl", "--category", "kind")
            #expect(try MatchLine.all(found).map(\.ids) == [[1, 3]], "\(found.errors)")
        }

        @Test func thePlanIsShown() throws {
            let outcome = try weir.run("match", pair, "--explain", "--format", "jsonl")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            for word in ["user", "ok", "login"] { #expect(outcome.output.contains(word)) }
        }

        @Test func theGraphHasTheRules() throws {
            let outcome = try weir.run("graph", "match", pair, "--format", "dot")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("label=\"query: a sequence of 2 steps\""))
        }

        @Test func theTimeIsFoundOrAskedFor() throws {
            try weir.file("in.csv", "at,kind\n1,a\n")
            let outcome = try weir.run("match", "any where kind == \"a\"", "in.csv")
            #expect(outcome.exitCode == 66)
            #expect(outcome.errors.contains("say which to read with --time NAME"), "\(outcome.errors)")
            let told = try weir.run("match", "any where kind == \"a\"", "in.csv", "--time", "at")
            #expect(told.output.split(separator: "\n").count == 1, "\(told.errors)")
        }

        // MARK: Rules

        private func makeRules() throws {
            try FileManager.default.createDirectory(atPath: weir.folder + "/r/more", withIntermediateDirectories: true)
            try weir.file("in.jsonl", logins)
            try weir.file(
                "r/logins.eql",
                "// name: failed\n// severity: low\nlogin where not ok\n---\nlogout where true\n"
            )
            try weir.file("r/more/pair.eql", pair)
            try weir.file("r/notes.txt", "no rule")
            try weir.file("r/.hidden.eql", "no rule")
        }

        @Test func rulesOfAFolderRunTogether() throws {
            try makeRules()
            let outcome = try weir.run("match", "--rules", "r", "in.jsonl")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            let found = try MatchLine.all(outcome).map { "\($0.rule ?? "") \($0.ids.map { $0 ?? 0 })" }
            #expect(found.sorted() == ["failed [1]", "failed [2]", "logins-2 [4]", "pair [1, 3]"])
            #expect(outcome.output.contains("\"severity\":\"low\""))
        }

        @Test func aRuleWithAMistakeIsLeftOut() throws {
            try makeRules()
            try weir.file("r/broken.eql", "// name: x\nlogin where\n  usr = 1\n")
            let outcome = try weir.run("match", "--rules", "r", "in.jsonl")
            #expect(outcome.exitCode == 3)
            #expect(try MatchLine.all(outcome).count == 4)
            #expect(outcome.errorLines.first?.hasPrefix("weir: r/broken.eql:3:") ?? false, "\(outcome.errors)")
            #expect(outcome.errorLines.contains("weir: 3 of 4 rules can be used"))
            let valid = try weir.run("validate", "match", "--rules", "r", "in.jsonl")
            #expect(valid.exitCode == 3)
            #expect(
                valid.errors.hasPrefix("weir: r/broken.eql:3:")
                    && valid.errors.contains("weir: valid but for 1 rule: match from ")
            )
            #expect(try weir.run("validate", "match", "--rules", "r/logins.eql", "in.jsonl").exitCode == 0)
            #expect(try weir.run("match", "--rules", "r/broken.eql", "in.jsonl").exitCode == 2)
        }

        @Test func aRuleIsNotOverwritten() throws {
            try makeRules()
            let outcome = try weir.run(
                "match",
                "--rules",
                "r",
                "in.jsonl",
                "--to",
                "file:r/logins.eql",
                "--output",
                "json"
            )
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.contains("is the file of --rules, which would be overwritten"), "\(outcome.errors)")
        }

        // MARK: What every plugin has

        @Test func matchesComeInAllStyles() throws {
            try weir.file("in.jsonl", logins)
            func output(_ style: String) throws -> String {
                try weir.run("match", pair, "in.jsonl", "--output", style).output
            }
            #expect(try output("template:{rule} {keys.user}") == "query ann\n")
            #expect(try output("csv").hasPrefix("rule,time,keys.user,events\nquery,3000,ann,\"[{"))
            #expect(try output("pretty").hasPrefix("{\n  \"rule\": \"query\",\n"))
            let lines = logins.split(separator: "\n")
            #expect(try output("events") == "\(lines[0])\n\(lines[2])\n")
        }

        @Test func inputsAndReportsAreThoseOfRuns() throws {
            try weir.file("in.jsonl", logins)
            let outcome = try weir.run(
                "match",
                pair,
                "--from",
                "exec:cat in.jsonl",
                "--format",
                "jsonl",
                "--report",
                "page.html",
                "--metrics",
                "m.prom",
                "--to",
                "m.jsonl",
                "--control",
                "none"
            )
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(try weir.text(of: "m.jsonl").split(separator: "\n").count == 1)
            #expect(try weir.text(of: "page.html").contains("<html"))
            #expect(try weir.text(of: "m.prom").contains("weir_"))
        }

        @Test func textsWithoutEndAreRefused() throws {
            try weir.file("in.jsonl", logins)
            let deep =
                "any where " + String(repeating: "(", count: 10_000) + "true" + String(repeating: ")", count: 10_000)
            let refused = try weir.run("match", deep, "in.jsonl")
            #expect(refused.exitCode == 2)
            #expect(refused.errors.hasPrefix("weir: the query, 1:"), "\(refused.errors.prefix(300))")
            try weir.file(
                "long.eql",
                "any where user == \"x\"" + String(repeating: " or user == \"ann\"", count: 60_000)
            )
            let long = try weir.run("match", "--rules", "long.eql", "in.jsonl")
            #expect([0, 2].contains(long.exitCode) && long.errorLines.count <= 3, "\(long.errors.prefix(300))")
        }

        @Test func theQueryTellsTheTypesOfATable() throws {
            try weir.file("logins.csv", "time,user,event_type,ok,zip\n0,ann,login,false,007\n1,ann,login,true,7\n")
            let pairs = try weir.run("match", pair, "logins.csv")
            #expect(pairs.output.split(separator: "\n").count == 1, "\(pairs.errors)")
            let zip = try weir.run("match", "any where zip == \"007\"", "logins.csv", "--output", "events")
            #expect(
                zip.output
                    == "{\"time\":0,\"user\":\"ann\",\"event_type\":\"login\",\"ok\":\"false\",\"zip\":\"007\"}\n",
                "all fields are shown"
            )
        }

        @Test func aFileWithoutAQueryIsNone() throws {
            try weir.file("in.jsonl", "{\"time\":1}\n")
            let outcome = try weir.run("match", "in.jsonl")
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.contains("'in.jsonl' is a file; state what to look for before it"))
        }

        @Test func singleEventsNeedNoOrder() throws {
            try weir.file("in.jsonl", "{\"time\":2,\"a\":1}\n{\"time\":1,\"a\":1}\n")
            let outcome = try weir.run("match", "any where a == 1", "in.jsonl")
            #expect(outcome.output.split(separator: "\n").count == 2, "\(outcome.errors)")
        }

        @Test func workersShareTheKeys() throws {
            var text = ""
            for id in 0..<4000 {
                text +=
                    "{\"id\":\(id),\"time\":\(id),\"event_type\":\"login\",\"user\":\(id % 97),\"ok\":\(id % 3 == 0)}\n"
            }
            try weir.file("in.jsonl", text)
            let one = try weir.run("match", pair, "in.jsonl").output
            let shared = try weir.run("match", pair, "in.jsonl", "--partition-by", "user", "--workers", "3")
            #expect(shared.exitCode == 0, "\(shared.errors)")
            #expect(one.split(separator: "\n").sorted() == shared.output.split(separator: "\n").sorted())
            #expect(one.split(separator: "\n").count > 100)
            let otherwise = try weir.run(
                "match",
                "login where ok",
                "in.jsonl",
                "--partition-by",
                "id",
                "--workers",
                "2"
            )
            #expect(otherwise.exitCode == 2)
        }

        @Test func pipelinesOfAConfigurationHaveRules() throws {
            try makeRules()
            try weir.file(
                "c.json",
                """
                {"pipelines": {
                  "query": {"match": "login where\\n  not ok", "from": "in.jsonl", "to": "q.jsonl"},
                  "rules": {"rules": ["r/more", "r/logins.eql"], "from": "in.jsonl", "to": "r.jsonl"}
                }}
                """
            )
            let outcome = try weir.run("run", "--config", "c.json", "--control", "none")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(try weir.text(of: "q.jsonl").split(separator: "\n").count == 2)
            #expect(try weir.text(of: "r.jsonl").split(separator: "\n").count == 4)
            try weir.file("c.json", "{\"pipelines\": {\"a\": {\n \"match\": \"login wher\", \"from\": \"in.jsonl\"}}}")
            let wrong = try weir.run("validate", "--config", "c.json")
            #expect(wrong.exitCode == 78)
            #expect(wrong.errors.contains("c.json:2:11: the query, 1:"), "\(wrong.errors)")
            #expect(wrong.errorLines.contains("login wher"))
        }
    }
}
