import Foundation
import Testing

extension HostTests {
    /// `weir match` with `--why` and `--near`.
    @Suite struct NearTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
            try weir.file("in.jsonl", logins)
        }

        private let logins = """
            {"time":"2026-11-23T10:00:00Z","event_type":"login","user":"ann","ok":false}
            {"time":"2026-11-23T10:00:05Z","event_type":"login","user":"bob","ok":true}
            {"time":"2026-11-23T10:00:12Z","event_type":"job","user":"ann","ok":true}
            {"time":"2026-11-23T10:01:12Z","event_type":"login","user":"ann","ok":true}
            {"time":"2026-11-23T10:02:00Z","event_type":"login","user":"cid","ok":false}
            {"time":"2026-11-23T10:02:02Z","event_type":"login","user":"cid","ok":true}

            """
        private let pair = "sequence by user with maxspan=1m [login where not ok] [login where ok]"

        private let ann = """
            query, user="ann": no match, 1 partial match (1 out of time)

              1 of 2 events, from 2026-11-23T10:00:00Z
                step 1: +0s, line 1: login ok=false
                step 2: nothing until 2026-11-23T10:01:00Z, the end of maxspan=1m
                  wanted: login where ok
                  closest: +12s, line 3: job ok=true
                    fails: category == "login" -- category is "job"
                  too late by 12s: +72s, line 4: login ok=true
                  with other keys: 1, such as +5s, line 2: login ok=true user="bob"

            """

        @Test func aKeyIsExplained() throws {
            let outcome = try weir.run("match", pair, "in.jsonl", "--why", "ann")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(outcome.output == ann)
            #expect(outcome.errors.hasPrefix("weir: 6 events read, 0 rejected, 1 explained in "), "\(outcome.errors)")
            let piped = try weir.run("match", pair, "--why=ann", "--format", "jsonl", input: .file("in.jsonl"))
            #expect(piped.output == ann)
        }

        @Test func aKeyThatMatchesSaysSo() throws {
            let outcome = try weir.run("match", pair, "in.jsonl", "--why", "cid", "--why", "bob", "--why", "an")
            #expect(
                outcome.output == """
                    query, user="bob": no match, nothing began

                      0 of 2 events
                        step 1: nothing
                          wanted: login where not ok
                          closest: 2026-11-23T10:00:05Z, line 2: login ok=true
                            fails: not ok -- ok is true
                          with other keys: 2, such as 2026-11-23T10:02:00Z, line 5: login ok=false user="cid"
                    query, user="cid": 1 match, 0 partial matches
                      match: 2026-11-23T10:02:00Z to 2026-11-23T10:02:02Z, lines 5 6
                    query: no event has the key 'an'; did you mean 'ann'?

                    """
            )
        }

        @Test func theClosestOfAllKeysAreExplained() throws {
            let outcome = try weir.run("match", pair, "in.jsonl", "--near", "1")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines[0] == "query: 1 match, 1 partial match (1 out of time)")
            #expect(lines[1].hasPrefix("  match: 2026-11-23T10:02:00Z to 2026-11-23T10:02:02Z, user=\"cid\""))
            #expect(lines[3] == "  user=\"ann\": 1 of 2 events, from 2026-11-23T10:00:00Z")
            let single = try weir.run("match", "login where ok and user == \"dan\"", "in.jsonl", "--near", "1")
            #expect(
                single.output == """
                    query: no match, 6 other events, the closest of them:

                      2026-11-23T10:00:05Z, line 2: login ok=true user="bob"
                        fails: user == "dan" -- user is "bob"

                    """
            )
        }

        @Test func aKeyThatDiffersInCaseAloneIsNamed() throws {
            try weir.file(
                "case.jsonl",
                logins.replacingOccurrences(of: "10:00:12Z", with: "10:00:06Z").replacingOccurrences(
                    of: "\"job\",\"user\":\"ann\"",
                    with: "\"login\",\"user\":\"Ann\""
                )
            )
            let outcome = try weir.run("match", pair, "case.jsonl", "--why", "ann")
            #expect(
                outcome.output.contains("      with other keys: 2, such as +6s, line 3: login ok=true user=\"Ann\"\n"),
                "\(outcome.output)"
            )
        }

        @Test func objectsAreWritten() throws {
            let outcome = try weir.run("match", pair, "in.jsonl", "--why", "ann", "--output", "json")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(
                outcome.output == #"""
                    {"rule":"query","time":"2026-11-23T10:01:00Z","keys":{"user":"ann"},"ending":"maxspan","satisfied":1,"wanted":2,"events":[{"step":1,"line":1,"time":"2026-11-23T10:00:00Z","event":{"time":"2026-11-23T10:00:00Z","event_type":"login","user":"ann","ok":false}}],"missed":[{"step":2,"condition":"login where ok","closest":{"line":3,"time":"2026-11-23T10:00:12Z","event":{"time":"2026-11-23T10:00:12Z","event_type":"job","user":"ann","ok":true},"failed":[{"condition":"category == \"login\"","values":{"category":"job"}}]},"late":{"line":4,"time":"2026-11-23T10:01:12Z","event":{"time":"2026-11-23T10:01:12Z","event_type":"login","user":"ann","ok":true}},"others":1,"other":{"line":2,"time":"2026-11-23T10:00:05Z","event":{"time":"2026-11-23T10:00:05Z","event_type":"login","user":"bob","ok":true}}}]}

                    """#
            )
            _ = try weir.run("match", pair, "in.jsonl", "--why", "ann", "--to", "out.jsonl")
            #expect(try weir.text(of: "out.jsonl") == outcome.output)
            _ = try weir.run("match", pair, "in.jsonl", "--why", "ann", "--to", "out.txt")
            #expect(try weir.text(of: "out.txt") == ann)
        }

        @Test func rulesOfAFileAreExplainedOneByOne() throws {
            try weir.file("rules.eql", "// name: pair\n\(pair)\n---\n// name: jobs\njob where not ok\n")
            let outcome = try weir.run("match", "--rules", "rules.eql", "in.jsonl", "--why", "cid")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("pair, user=\"cid\": 1 match, 0 partial matches\n"))
            #expect(outcome.output.hasSuffix("jobs: has no key; --near N explains what came closest\n"))
        }

        @Test(arguments: [
            (["--near", "0"], "--near: "),
            (["--near", "x"], "--near: "),
            (["--near", "1", "--explain"], "--explain cannot be combined with --why and --near; leave one out"),
            (["--why", "ann", "--live"], "--live cannot be combined with --why and --near; leave one out"),
            (["--near", "1", "--workers", "2"], "--workers cannot be combined with --why and --near; leave one out"),
            (
                ["--near", "1", "--report", "r.html"],
                "--report cannot be combined with --why and --near; leave one out"
            ),
            (["--near", "1", "--output", "events"], "--output: 'events' are of matches; "),
            (
                ["--near", "1", "--from", "file:in.jsonl?follow=true"],
                "--why and --near explain at the end of the input, "
            ),
        ])
        func whatContradictsIsRefused(options: [String], message: String) throws {
            let input = options.contains("--from") ? [] : ["in.jsonl"]
            let outcome = try weir.start(["match", pair] + input + options, input: .nothing).outcome()
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.hasPrefix("weir: " + message), "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1 && outcome.output.isEmpty)
        }

        @Test func aQueryWithoutAKeyHasNoneToExplain() throws {
            let outcome = try weir.run("match", "login where not ok", "in.jsonl", "--why", "ann")
            #expect(outcome.exitCode == 2)
            #expect(
                outcome.errors == "weir: --why: the query has no key; --near N explains what came closest\n",
                "\(outcome.errors)"
            )
        }
    }
}
