internal import WeirCore
internal import WeirRecords

/// Tests rules: `weir test`.
struct TestCommand: Command {
    static let name = "test"
    static let operands = "FILE..."
    static let summary = "Test rules with events and expected matches"
    static let examples: [HelpPage.Example] = [
        ("weir test rules/brute-force.test", ""), ("weir test rules/*.test --junit results.xml", ""),
    ]
    static let usage = ["weir test FILE... [--junit FILE]"]
    static let options = [junit]
    static let remark = """
        A file has members, which begin a line and go on in lines with blanks at their
        start; each 'name' begins a test, and what is before the first is of all tests:
          name: a failure, then a success
          rule:
            sequence by user with maxspan=1m
              [login where outcome == "failure"] [login where outcome == "success"]
          events:
            0s   login  user=ann outcome=failure
            10s  login  user=ann outcome=success
          expect: [1 2]
        An event is a line: a time, its category, and its fields, each FIELD=VALUE, or
        all in one object of JSON, as '0s login {"user": "ann", "ok": false}'. A match
        has the numbers of its events, with '-' for a missing one; 'none' is no match.
        'rule NAME:' and 'NAME: [1 2]' tell several rules apart; 'rules: PATH' takes
        those of a file beside the test; 'category', 'time', 'types' and 'language' are
        as for 'weir match'. Time passes as the events say. The exit code is 1 where a
        test fails. For programs there is JSON, where the file's name ends so:
          {"tests": [{"name": "...", "rule": "login where not ok", "expect": [[1]],
            "events": [{"time": "0s", "event.category": "login", "ok": false}]}]}
        """

    private static let junit = OptionDeclaration(
        "junit",
        .text(placeholder: "FILE"),
        help: "write the results to this file, as JUnit's XML"
    )

    private let paths: [String]
    private let junit: Address?

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        guard !arguments.places.isEmpty else {
            throw .usage("name the files with tests, such as 'weir test rules.test'; 'weir help test' shows one")
        }
        paths = arguments.places
        junit = try arguments.options[Self.junit].map { text throws(HostError) in
            try RunRequest.address(text, .output, of: Self.junit, registry)
        }
        var inputs: [Address] = []
        for path in paths { inputs.append(try Address("file:\(path)", .input, registry)) }
        if let junit { try Overwriting.check(inputs: inputs, outputs: [junit], rejected: nil) }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        let results = try junit?.openWholeSink()
        var all: [(test: QueryTest, outcome: QueryTest.Outcome)] = []
        var tests: [QueryTest] = []
        for path in paths { tests += try QueryTestFile.tests(at: path) }
        for test in tests {
            let outcome = test.run(context.registry)
            all.append((test, outcome))
            let code = try context.show(Self.text(test, outcome))
            guard code == .done else { return code }
        }
        do throws(TransportError) {
            try results?.write(Array(JUnitText.text(all).utf8))
            try results?.finish()
        } catch {
            throw HostError(.outputFailed, "\(error)")
        }
        let failed = UInt64(all.count { !$0.outcome.hasPassed })
        let nanoseconds = all.reduce(0) { $0 + $1.outcome.nanoseconds }
        context.console.writeLine(
            "\(Quantity.counted(UInt64(all.count), "test", "tests")) in \(Quantity.seconds(nanoseconds)) s, "
                + (failed == 0 ? "all passed" : "\(Quantity.grouped(failed)) failed")
        )
        return failed == 0 ? .done : .inputRejected
    }

    private static func text(_ test: QueryTest, _ outcome: QueryTest.Outcome) -> String {
        guard !outcome.hasPassed else { return "passed  \(Excerpt.line(test.name))\n" }
        let lines = outcome.error?.split(separator: "\n").map(String.init) ?? outcome.differences
        return (["FAILED  \(test.name) (\(test.place))"] + lines.map { "  \($0)" })
            .map { Excerpt.line($0) + "\n" }.joined()
    }
}
