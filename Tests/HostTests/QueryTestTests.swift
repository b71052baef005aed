import Foundation
import Testing
import WeirCore

@testable import weir

extension HostTests {
    /// Files of tests, and `weir test`.
    @Suite struct QueryTestTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        private let passing = """
            category: event_type
            rule: sequence by user [login where not ok] [login where ok]
            events:
              0s  login  user=ann ok=false
              1s  login  user=bob ok=false
              2s  login  user=ann ok=true

            """

        /// The examples of the project.
        private static let examples: [String] = {
            let folder =
                URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
                + "/Queries"
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map {
                "\(folder)/\($0)"
            }
        }()

        @Test func theExamplesPass() throws {
            #expect(Self.examples.count >= 4)
            let outcome = try weir.start(["test"] + Self.examples, input: .nothing).outcome()
            #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count >= 10 && lines.allSatisfy { $0.hasPrefix("passed  ") })
            #expect(outcome.errors.contains("\(lines.count) tests in ") && outcome.errors.hasSuffix(", all passed\n"))
        }

        @Test func whatDiffersIsShown() throws {
            try weir.file("a.test", passing + "name: one\nexpect: [1 3]\nname: two\nexpect: [2 3]\n")
            let outcome = try weir.run("test", "a.test", "--junit", "results.xml")
            #expect(outcome.exitCode == 1)
            #expect(
                outcome.output == """
                    passed  one
                    FAILED  two (a.test:9)
                      [2 3] was expected and is missing:
                        2  1s  login  user=bob ok=false
                        3  2s  login  user=ann ok=true
                      [1 3] was found and not expected:
                        1  0s  login  user=ann ok=false
                        3  2s  login  user=ann ok=true

                    """
            )
            #expect(outcome.errors.hasPrefix("weir: 2 tests in ") && outcome.errors.hasSuffix(", 1 failed\n"))
            let xml = String(try weir.text(of: "results.xml").split(separator: "\n", maxSplits: 1)[1])
            #expect(XMLCheck.isWellFormed(xml))
            #expect(xml.contains("<testsuites tests=\"2\" failures=\"1\" errors=\"0\" time=\"0."))
            #expect(xml.contains("<testcase name=\"one\" classname=\"a.test\" file=\"a.test\" line=\"7\" time=\"0."))
            #expect(xml.contains("<failure message=\"[2 3] was expected and is missing:\">"))
        }

        @Test func aRuleWithAMistakeFailsItsTest() throws {
            try weir.file(
                "a.test",
                "name: <a> & \"b\"\nrule:\n  any where\n    user ==\nevents:\n  0s a\nexpect: none\n"
            )
            let outcome = try weir.run("test", "a.test", "--junit", "results.xml")
            #expect(outcome.exitCode == 1)
            #expect(outcome.output.hasPrefix("FAILED  <a> & \"b\" (a.test:1)\n  a.test:4:"))
            #expect(outcome.output.hasSuffix("^\n"))
            let xml = String(try weir.text(of: "results.xml").split(separator: "\n", maxSplits: 1)[1])
            #expect(XMLCheck.isWellFormed(xml))
            #expect(xml.contains("errors=\"1\"") && xml.contains("<error message=\"a.test:4:"))
        }

        @Test func anEventThatIsRejectedIsADifference() throws {
            try weir.file(
                "a.test",
                "rule: sequence [a where true] [b where true]\nevents:\n  5s a\n  1s b\nexpect: none\n"
            )
            let outcome = try weir.run("test", "a.test")
            #expect(outcome.exitCode == 1)
            #expect(outcome.output.contains("\n  event 2 was rejected: "))
        }

        @Test func theRulesMayBeInAFileBeside() throws {
            try FileManager.default.createDirectory(atPath: weir.folder + "/d", withIntermediateDirectories: true)
            try weir.file("d/r.eql", "// name: a\nany where x == 1\n---\n// name: b\nany where x == 2\n")
            try weir.file("d/a.test", "rules: r.eql\nevents:\n  0s x=1\n  0s x=2\nexpect:\n  a: 1\n  b: 2\n")
            #expect(try weir.run("test", "d/a.test").output == "passed  a.test\n")
        }

        @Test(arguments: [
            ("a: b\n", "a.test:1: there is no 'a'; a line without blanks at its start begins one of name, rule, "),
            ("rule: any where true\nevnts:\n", "a.test:2: there is no 'evnts'; did you mean 'events'?"),
            ("events\n", "a.test:1: there is no 'events'; did you mean 'events'?"),
            ("expect: none\n", "a.test:1: the test has no 'rule'"),
            ("rule: any where true\n", "a.test:1: the test lacks 'expect'; write 'expect: none' for no match"),
            (
                "rule: any where true\nexpect: 1",
                "a.test:2: '1' is no number of an event, from 1 to 0, nor '-' or 'none'"
            ),
            ("rule: a\nevents:\n  login\nexpect: none", "a.test:3: 'login' is no time; an event begins with one"),
            ("rule: a\nevents:\n  0s a b\nexpect: none", "a.test:3: 'b' is not of the form FIELD=VALUE"),
            ("rule: a\nevents: 0s {a}\nexpect: none", "a.test:2: what follows the time is no object of JSON"),
            ("rule: a\nexpect: none\nexpect: none", "a.test:3: 'expect' is given twice for one test"),
            ("rule: a\nrules: r.eql\nexpect: none", "a.test:2: --rules: cannot open 'r.eql': "),
            ("rule a: x\nrule b: x\nexpect: 1", "a.test:3: say of which rule the match is, as in 'a: 1'"),
            ("rule a: x\nexpect: b: 1", "a.test:2: there is no rule 'b'"),
            ("rule: a\ntypes:\nexpect: none", "a.test:2: 'types' lacks its value"),
        ])
        func aMistakeHasItsLine(text: String, message: String) throws {
            try weir.file("a.test", text)
            let outcome = try weir.run("test", "a.test")
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.hasPrefix("weir: " + message), "\(outcome.errors)")
        }

        @Test(arguments: [
            ("{", "a.json:1: "), ("{\"nam\": 1}", "a.json:1: there is no 'nam'; did you mean 'name'?"),
            ("[1]", "a.json:1: a test is an object"), ("{}", "a.json:1: the test has no 'rule'"),
            ("{\"rule\": \"a\",\n\"events\": [{}]}", "a.json:2: an event has a text 'time'"),
            ("{\"rule\": \"a\", \"events\": []}", "a.json:1: the test lacks 'expect'"),
            (
                "{\"rule\": \"a\", \"events\": [],\n \"expect\": [[1]]}",
                "a.json:2: 1 is no number of an event, from 1 to 0"
            ),
        ])
        func aMistakeInJSONHasItsLine(text: String, message: String) throws {
            try weir.file("a.json", text)
            let outcome = try weir.run("test", "a.json")
            #expect(outcome.exitCode == 2)
            #expect(outcome.errors.hasPrefix("weir: " + message), "\(outcome.errors)")
        }

        @Test func theFileIsNotOverwritten() throws {
            try weir.file("a.test", passing + "expect: none\n")
            #expect(try weir.run("test", "a.test", "--junit", "a.test").exitCode == 2)
            #expect(try weir.text(of: "a.test") == passing + "expect: none\n")
            #expect(try weir.run("test").errors.contains("name the files with tests"))
            #expect(try weir.run("test", "none.test").exitCode == 66)
        }
    }

    /// Tests as they are read.
    @Suite struct QueryTestTextTests {
        @Test func eventsHaveValuesOfAllKinds() throws {
            let text = """
                rule: any where true
                events:
                  // a remark
                  0s         login user=ann n=1 x=1.5 ok=true none=null list=[1, "a b"] ip=10.0.0.1 quoted="a \\" b"
                  1m30s      { "a": {"b": 1}, "c": "}" }
                  2026-02-01T13:00:00Z  path=a=b empty=
                expect: [1 -] [-, 3]
                """
            let test = try #require(try QueryTestText(path: "a.test").tests(in: text).first)
            #expect(
                String(decoding: test.lines, as: UTF8.self) == #"""
                    {"#":1,"time":"2026-01-01T00:00:00Z","event.category":"login","user":"ann","n":1,"x":1.5,"ok":true,"none":null,"list":[1, "a b"],"ip":"10.0.0.1","quoted":"a \" b"}
                    {"#":2,"time":"2026-01-01T00:01:30Z","a":{"b":1},"c":"}"}
                    {"#":3,"time":"2026-02-01T13:00:00Z","path":"a=b","empty":""}

                    """#
            )
            #expect(test.expected.map(\.events) == [[1, nil], [nil, 3]])
        }
    }
}
