public import Comparing
internal import Foundation

/// `weir match` with a partial match for each of a million keys, some 117 MB of state: what a checkpoint costs.
///
/// That is what a run takes longer that writes checkpoints as often as it can, by their number, than one that writes only
/// those of its beginning and its end. At one in ten seconds, 2 % are 200 ms.
///
/// A suite of its own: what is still to be written to the disk must not disturb others.
public enum Checkpoints {
    private static let files = InputFiles()
    private static let keyCount = 1_000_000
    private static let furtherCount = 24_000_000
    private static let query = "sequence by user with maxspan=10d [a where true] [b where true]"

    public static let suite = Suite(
        "checkpoints",
        [
            Workload("weir match --state, a checkpoint of 117 MB", in: .plain("ms"), goal: .atMost(200)) {
                let (few, many) = (try run(every: "1h"), try run(every: "100ms"))
                guard many.count > few.count else { throw MeasurementFailure("there was no checkpoint meanwhile") }
                return (many.wallNanoseconds - few.wallNanoseconds) / Double(many.count - few.count) / 1_000_000
            }
        ],
        setUp: { try files.make(rowCounts: []) },
        tearDown: { files.remove() }
    )

    /// - Returns: How long a run took, and how many checkpoints it wrote.
    private static func run(every interval: String) throws -> (wallNanoseconds: Double, count: Int) {
        let folder = files.path("state")
        try? FileManager.default.removeItem(atPath: folder)
        let input = "file:" + (try files.openSequences(keyCount: keyCount, furtherCount: furtherCount))
        let run = try CommandRun(
            [
                CommandWorkloads.hostPath, "match", query, "--from", input, "--category", "type", "--state", folder,
                "--checkpoint", interval,
            ],
            files: files
        )
        let summary = try CommandRun([CommandWorkloads.hostPath, "state", folder, "--format", "json"], files: files)
            .output
        guard let match = summary.firstMatch(of: /"checkpoint":(\d+)/), let count = Int(match.1) else {
            throw MeasurementFailure("'weir state' does not say which checkpoint it is: \(summary.prefix(200))")
        }
        return (run.wallNanoseconds, count)
    }
}
