internal import Comparing

/// A plugin whose records are spread over two workers, beside the same without workers.
///
/// The plugin is `fraud`, whose patterns take most of the time. With two cores at rest the time that passes shows the gain;
/// where others work beside, the processor time does: the splitting and merging may cost a quarter of the whole, so that
/// two cores are at least 1.6 times as fast as one.
struct Workers {
    let files: InputFiles
    let hostPath: @Sendable () -> String

    private static let alone = "weir run fraud, 1 M rows"
    private static let aloneOnProcessor = "weir run fraud, 1 M rows, processor time"

    var workloads: [Workload] {
        [
            Workload(Self.alone, in: .millionsPerSecond) { try run(workers: nil).wallNanoseconds / rows },
            Workload(
                "... --workers 2",
                in: .millionsPerSecond,
                against: Self.alone,
                goal: .ratio(atMost: 1 / 1.6)
            ) { try run(workers: 2).wallNanoseconds / rows },
            Workload(Self.aloneOnProcessor, in: .nanosecondsPerElement) {
                try run(workers: nil).processorNanoseconds / rows
            },
            Workload(
                "... --workers 2, processor time",
                in: .nanosecondsPerElement,
                against: Self.aloneOnProcessor,
                goal: .ratio(atMost: 2 / 1.6)
            ) { try run(workers: 2).processorNanoseconds / rows },
        ]
    }

    private var rows: Double { Double(PluginTable.rowCount) }

    /// Runs the host, and checks that the output is that without workers.
    private func run(workers: Int?) throws -> CommandRun {
        let arguments = [hostPath(), "run", "fraud", try files.table(.fraud), "--strict"]
        guard let workers else { return try CommandRun(arguments, files: files) }
        let expected = try files.expectedOutput { try CommandRun(arguments, files: files).output }
        let run = try CommandRun(arguments + ["--partition-by", "card", "--workers", "\(workers)"], files: files)
        guard run.output == expected, !expected.isEmpty else {
            throw MeasurementFailure("\(workers) workers found something else than one")
        }
        return run
    }
}
