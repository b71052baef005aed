internal import Comparing
internal import Foundation

/// A run over a million rows with a report, of each plugin: how long it takes, and how large the page is.
struct Reports {
    let files: InputFiles
    let hostPath: @Sendable () -> String

    var workloads: [Workload] {
        PluginTable.allCases.flatMap { table in
            [
                Workload("weir run \(table.rawValue) --report, processor time", in: .plain("s"), goal: .atMost(3)) {
                    try run(table).processorNanoseconds / 1e9
                },
                Workload("its page, \(table.rawValue)", in: .plain("kB"), goal: .atMost(500)) {
                    try run(table)
                    return Double(try Data(contentsOf: URL(filePath: files.path("report.html"))).count) / 1000
                },
            ]
        }
    }

    @discardableResult
    private func run(_ table: PluginTable) throws -> CommandRun {
        let path = try files.table(table)
        return try CommandRun(
            [hostPath(), "run", table.rawValue, path, "--strict", "--report", files.path("report.html")],
            files: files
        )
    }
}
