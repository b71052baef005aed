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

    /// The names of the suites, for people.
    static var names: String { suites.map(\.name).joined(separator: ", ") }

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
        if arguments.listsSuites { return print(names) }
        for suite in suites where arguments.suites.isEmpty || arguments.suites.contains(suite.name) {
            let comparisons = try suite.compare(rounds: arguments.rounds) { round in
                tell("\(suite.name): \(round == 0 ? "warming up" : "round \(round) of \(arguments.rounds)")")
            }
            print("\n### \(suite.name)\n\n\(MarkdownTable(comparisons))")
        }
    }

    private static func tell(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
}
