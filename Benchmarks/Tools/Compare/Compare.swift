internal import CommandWorkloads
internal import Comparing
internal import Foundation
internal import PipelineWorkloads
internal import RingWorkloads

/// Runs the suites so that each ratio comes from one run, and prints a table for each.
@main
enum Compare {
    static func main() {
        do {
            try run()
        } catch {
            tell("compare: \(error)")
            exit(1)
        }
    }

    private static func run() throws {
        let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
        let suites = [PipelineWorkloads.suite, RingWorkloads.suite, CommandWorkloads.suite]
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
