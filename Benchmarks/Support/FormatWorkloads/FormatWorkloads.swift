internal import CBench
public import Comparing
internal import WeirCore
internal import WeirFiles

/// Reading a file of two million events in each format and counting what passes a filter, beside reading the file.
///
/// All of it is processor time: what one core can do, also while others work on it.
public enum FormatWorkloads {
    private static let files = FormatFiles()
    private static let eventCount = 2_000_000
    private static let fewEvents = 100_000

    public static let suite = Suite(
        "formats",
        lines("JSON Lines", "events.jsonl", goal: 2) + jq + lines("CSV", "events.csv", goal: 4) + awk + binary + memory
            + ShapeWorkloads(files: files).workloads,
        setUp: {
            for (count, prefix) in [(eventCount, "events"), (fewEvents, "few"), (2 * fewEvents, "more")] {
                let made = try EventFile.makeAll(eventCount: count)
                try files.write(made.jsonLines, as: "\(prefix).jsonl")
                try files.write(made.csv, as: "\(prefix).csv")
                try files.write(made.binary, as: "\(prefix).weir")
            }
            try ShapeWorkloads(files: files).setUp()
        },
        tearDown: { files.remove() }
    )

    private static func lines(_ what: String, _ name: String, goal: Double) -> [Workload] {
        [
            read(what, name),
            Workload("\(what): memchr over the file", in: .millionsPerSecond, against: "\(what): read(2) into a buffer")
            {
                let (file, path) = files.file(name)
                return try processorTime(per: file.eventCount) {
                    guard cbench_count_lines(path) >= file.eventCount else {
                        throw MeasurementFailure("'\(path)' cannot be read")
                    }
                }
            },
        ] + decoding(what, name, goal: goal)
    }

    private static func read(_ what: String, _ name: String) -> Workload {
        Workload("\(what): read(2) into a buffer", in: .millionsPerSecond) {
            let (file, path) = files.file(name)
            return try processorTime(per: file.eventCount) {
                guard cbench_read_file(path) == file.bytes.count else {
                    throw MeasurementFailure("'\(path)' cannot be read")
                }
            }
        }
    }

    private static func decoding(_ what: String, _ name: String, goal: Double) -> [Workload] {
        let limit = "\(what): read(2) into a buffer"
        return [
            Workload("\(what): split into fields", in: .millionsPerSecond, against: limit) {
                let (file, path) = files.file(name)
                return try processorTime(per: file.eventCount) {
                    try Counting.split(FileTransport().openSource(path), file)
                }
            },
            Workload("\(what): columns → filter, count, sum", in: .millionsPerSecond, against: limit) {
                let (file, path) = files.file(name)
                return try processorTime(per: file.eventCount) {
                    try Counting.columns(FileTransport().openSource(path), file)
                }
            },
            Workload("\(what) → filter → count", in: .millionsPerSecond, against: limit, goal: .atLeast(goal)) {
                let (file, path) = files.file(name)
                return try processorTime(per: file.eventCount) {
                    try Counting.run(FileTransport().openSource(path), file)
                }
            },
        ]
    }

    /// The processor time that some work takes, in nanoseconds per event.
    static func processorTime(per count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = cbench_thread_time()
        try body()
        return Double(cbench_thread_time() - start) / Double(count)
    }

    private static let binary = [read("binary", "events.weir")] + decoding("binary", "events.weir", goal: 10)

    private static let jq =
        FormatFiles.isInstalled("jq")
        ? [
            Workload(
                "jq -c 'select(.value > 0.5)'",
                in: .millionsPerSecond,
                against: "JSON Lines → filter → count",
                isPeer: true
            ) {
                // Fewer events: it takes its time.
                try files.run(["jq", "-c", "select(.value > 0.5)"], on: "more.jsonl") { output, file in
                    output.utf8.count { $0 == UInt8(ascii: "\n") } == file.matchCount
                }
            }
        ] : []

    private static let awk =
        FormatFiles.isInstalled("awk")
        ? [
            Workload(
                "awk -F, '$4 > 0.5 { n++ }'",
                in: .millionsPerSecond,
                against: "CSV → filter → count",
                isPeer: true
            ) {
                let program = "NR > 1 && $4 > 0.5 { n++ } END { print n }"
                return try files.run(["awk", "-F,", program], on: "events.csv") { output, file in
                    output == "\(file.matchCount)\n"
                }
            }
        ] : []

    private static let memory = ["jsonl", "csv", "weir"].map { ending in
        Workload("\(ending): 100,000 further records", in: .plain("allocations"), goal: .atMost(0)) {
            try Counting.allocations(files.file("more.\(ending)").file)
                - Counting.allocations(files.file("few.\(ending)").file)
        }
    }
}
