internal import CommandWorkloads
internal import Comparing
internal import DispatchWorkloads
internal import FormatWorkloads
internal import Foundation
internal import OperatorWorkloads
internal import PatternWorkloads
internal import PipelineWorkloads
internal import ReactiveWorkloads
internal import RingWorkloads
internal import TransportWorkloads

/// Runs the suites so that each ratio comes from one run, and prints a table for each.
@main
enum Compare {
    /// The suites, in the order in which they run.
    private static let suites = [
        PipelineWorkloads.suite, OperatorWorkloads.suite, PatternWorkloads.suite, RingWorkloads.suite,
        DispatchWorkloads.suite, ReactiveWorkloads.suite,
        FormatWorkloads.suite, TransportWorkloads.suite, CommandWorkloads.suite,
    ]

    static func main() {
        do {
            try run()
        } catch {
            tell("compare: \(error)")
            exit(1)
        }
    }

    private static func run() throws {
        let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()), suites: suites.map(\.name))
        if arguments.listsSuites { return suites.forEach { print($0.name) } }
        var rows: [JSONRow] = []
        var hasFailed = false
        for suite in suites where arguments.suites.isEmpty || arguments.suites.contains(suite.name) {
            let load = Machine.load
            let comparisons = try suite.compare(rounds: arguments.rounds) { round in
                tell("\(suite.name): \(round == 0 ? "warming up" : "round \(round) of \(arguments.rounds)")")
            }
            rows += comparisons.map { JSONRow(suite.name, $0, among: comparisons) }
            for comparison in comparisons {
                guard let failure = comparison.failure else { continue }
                tell("\(suite.name): '\(comparison.workload.name)' failed: \(failure)")
                hasFailed = true
            }
            // One suite at a time, so that what is done is not lost when a later one ends the run.
            if arguments.writesResults {
                let section = ResultsFile.section(suite.name, comparisons, rounds: arguments.rounds, load: load)
                try ResultsFile.update(section, order: suites.map(\.name))
            }
            if !arguments.printsJSON { print("\n### \(suite.name)\n\n\(MarkdownTable(comparisons))") }
        }
        if arguments.printsJSON { print(try JSONRow.text(of: rows)) }
        if hasFailed { exit(1) }
    }

    private static func tell(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
}
