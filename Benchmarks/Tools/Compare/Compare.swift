internal import Comparing
internal import Foundation
internal import Reporting

/// Runs the suites so that each ratio comes from one run, and prints a table for each.
///
/// Each suite runs in a process of its own, so that one that fails does not stop the others, and none starts with the
/// memory that another left behind.
@main
enum Compare {
    /// The engines beside, which are run by a script.
    private static let peers = "peers"
    private static let names = SuiteRun.suites.map(\.name) + [peers]

    static func main() {
        do {
            if let request = SuiteRun(CommandLine.arguments) { return print(try Row.json(request.run())) }
            try run()
        } catch {
            tell("compare: \(error)")
            exit(1)
        }
    }

    private static func run() throws {
        let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()), suites: names)
        if let leftOut = SuiteRun.leftOut, arguments.suites.isEmpty { tell(leftOut) }
        if arguments.listsSuites { return names.forEach { print($0) } }
        let chosen = names.filter { arguments.suites.isEmpty || arguments.suites.contains($0) }
        // Where suites are named there is no hurry, unless they shall be quick.
        let isTimed = arguments.isQuick || arguments.suites.isEmpty
        var schedule = Schedule(chosen.map { (name: $0, weight: weight(of: $0)) }, in: isTimed ? arguments.time : nil)
        var all: [Row] = []
        for suite in chosen {
            tell("\n== \(suite) \(schedule.position(of: suite))")
            let load = Machine.load
            let started = ContinuousClock.now
            let rows = suite == peers ? runPeers(arguments) : run(suite, arguments, schedule.share(of: suite))
            schedule.end(suite)
            all += rows
            for row in rows {
                guard let failure = row.failure else { continue }
                tell("\(suite): '\(row.name)' failed: \(failure)")
            }
            tell("\(suite): \(started.duration(to: .now).formatted(.units(allowed: [.minutes, .seconds])))")
            // One suite at a time, so that what is done is not lost when a later one is interrupted.
            if arguments.writesResults {
                try ResultsFile("RESULTS.md", order: names).update(suite, rows, loadBefore: load)
                if rows.contains(where: { $0.point != nil && $0.median != nil }) {
                    let facts = Machine.facts(loadBefore: load)
                    let picture = Picture(rows, note: "\(facts.date); \(facts.rest)")
                    try Data("\(picture)".utf8).write(to: URL(filePath: "RESULTS.svg"), options: .atomic)
                }
            }
            if !arguments.printsJSON { print("\n### \(suite)\n\n\(MarkdownTable(rows))") }
        }
        if arguments.printsJSON { print(try Row.json(all)) }
        if all.contains(where: { $0.failure != nil }) { exit(1) }
    }

    private static func weight(of suite: String) -> Double {
        SuiteRun.suites.first { $0.name == suite }.map { Double($0.workloads.count) } ?? 0
    }

    private static func run(_ suite: String, _ arguments: Arguments, _ time: Duration?) -> [Row] {
        guard let program = Bundle.main.executablePath else {
            return [Row(failureOf: suite, "the path of this program is not known")]
        }
        let request = SuiteRun(suite, rounds: arguments.rounds, warmsUp: !arguments.isQuick, time: time)
        // Far more than it takes: for a suite that hangs.
        return rows(of: suite, program, request.arguments, [:], atMost: (time ?? .seconds(600)) * 4 + .seconds(300))
    }

    /// Quickly: few events, and none of the engines that take seconds to start.
    private static func runPeers(_ arguments: Arguments) -> [Row] {
        let names = arguments.isQuick ? ["c", "weir", "awk", "jq", "miller", "python"] : []
        let events = arguments.isQuick ? ["EVENTS": "100000"] : [:]
        return rows(of: peers, "Peers/run", ["--json"] + names, events, atMost: .seconds(1200))
    }

    private static func rows(
        of suite: String,
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String],
        atMost time: Duration
    ) -> [Row] {
        do {
            let output = try ChildProcess.output(of: program, arguments, environment, atMost: time)
            do {
                return try Row.rows(fromJSON: output.text)
            } catch {
                return [Row(failureOf: suite, output.ending)]
            }
        } catch {
            return [Row(failureOf: suite, "\(error)")]
        }
    }

    static func tell(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
}
