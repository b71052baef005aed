internal import CBench
public import Comparing
internal import Foundation

/// `weir run shake` on a file of ten million rows, beside reading the file, and the same work in process; workers, and
/// reports.
public enum CommandWorkloads {
    private static let files = InputFiles()
    private static let rowCount = 10_000_000
    private static let tenth = 1_000_000

    /// A device that is shaken now and then, and one that is left alone, and each for twice as long.
    private static let shaken = CSVInMemory(rowCount: tenth)
    private static let longerShaken = CSVInMemory(rowCount: 2 * tenth)
    private static let still = CSVInMemory(rowCount: tenth, isStill: true)
    private static let longerStill = CSVInMemory(rowCount: 2 * tenth, isStill: true)

    private static let read = "read(2) into a buffer"
    private static let host = "weir run shake"
    private static let peakOfTenth = "weir run shake, 1 M rows, peak memory"

    public static let suite = Suite(
        "command",
        commands + overhead + memory + inProcess + workers + reading + reports,
        setUp: {
            try files.make(rowCounts: [tenth, rowCount])
            _ = (shaken, longerShaken, still, longerStill)
        },
        tearDown: { files.remove() }
    )

    private static let workers = Workers(files: files, hostPath: { hostPath }).workloads
    private static let reading = ReadingShares(files: files, hostPath: { hostPath }).workloads
    private static let reports = Reports(files: files, hostPath: { hostPath }).workloads

    private static let inProcess = [
        Workload("in process: CSV → shake, from memory", in: .millionsPerSecond, against: read, goal: .atLeast(3)) {
            try nanoseconds(per: longerShaken.rowCount) { try InProcess.shake(longerShaken) }
        },
        Workload("in process: CSV split into fields", in: .millionsPerSecond, against: read) {
            try nanoseconds(per: longerShaken.rowCount) { try InProcess.split(longerShaken) }
        },
        Workload("in process: 1 M further rows", in: .plain("allocations"), goal: .atMost(0)) {
            try InProcess.furtherAllocations(still, longerStill)
        },
        Workload("in process: each further shake", in: .plain("allocations")) {
            let shakes = longerShaken.shakeCount - shaken.shakeCount
            return try InProcess.furtherAllocations(shaken, longerShaken) / Double(shakes)
        },
    ]

    private static let commands = [
        Workload(read, in: .millionsPerSecond) {
            let input = files.input(rowCount: rowCount)
            return try nanoseconds(per: rowCount) {
                guard cbench_read_file(input.path) == input.byteCount else {
                    throw MeasurementFailure("'\(input.path)' cannot be read")
                }
            }
        },
        Workload("wc -l", in: .millionsPerSecond, against: read) {
            let run = try CommandRun(["wc", "-l", files.input(rowCount: rowCount).path], files: files)
            guard run.output.hasPrefix("\(rowCount + 1) ") else {
                throw MeasurementFailure("wc counted \(run.output)")
            }
            return run.wallNanoseconds / Double(rowCount)
        },
        Workload(host, in: .millionsPerSecond, against: read, goal: .atLeast(20)) {
            let run = try runHost(rowCount)
            files.keep(run, for: [.processorTime])
            return run.wallNanoseconds / Double(rowCount)
        },
        Workload("weir run shake, processor time", in: .millionsPerSecond, against: read, goal: .atLeast(20)) {
            let run = try files.takeRun(for: .processorTime) ?? runHost(rowCount)
            return run.processorNanoseconds / Double(rowCount)
        },
        Workload(
            "weir run shake --workers 2",
            in: .millionsPerSecond,
            against: host,
            goal: .ratio(atMost: 1 / 1.8)
        ) {
            try runHost(rowCount, ["--workers", "2"]).wallNanoseconds / Double(rowCount)
        },
        // What two processors give that share caches and memory, where neither waits for the other.
        Workload("two runs at once, for each", in: .millionsPerSecond, against: host) {
            let script = #""$@" >/dev/null & one=$!; "$@" >/dev/null & wait $! && wait $one"#
            let run = try CommandRun(["sh", "-c", script, "sh"] + shake(files.input(rowCount: rowCount)), files: files)
            return run.wallNanoseconds / 2 / Double(rowCount)
        },
    ]

    /// What the host adds to its transport, format and plugin, starting and ending the program included: on the same file,
    /// in the same round, in time of the processor, which other programs take none of.
    private static let overhead = [
        Workload(alone, in: .nanosecondsPerElement, against: read) {
            let start = cbench_thread_time()
            try InProcess.shake(files.input(rowCount: rowCount))
            return Double(cbench_thread_time() - start) / Double(rowCount)
        },
        Workload(
            "weir run shake, beside that",
            in: .nanosecondsPerElement,
            against: alone,
            goal: .ratio(atMost: 1.1)
        ) {
            try runHost(rowCount).processorNanoseconds / Double(rowCount)
        },
        Workload("weir run shake, from its start to its first match", in: .plain("ms"), goal: .atMost(30)) {
            try milliseconds(
                toFirstOutputOf: [hostPath, "run", "shake", "--control", "none"],
                input: "time,x,y,z\n0,0,0,1\n20,2,0,1\n"
            )
        },
        Workload("weir match, from its start to its first match", in: .plain("ms"), goal: .atMost(30)) {
            try milliseconds(
                toFirstOutputOf: [
                    hostPath, "match", "sequence by user with maxspan=10s [a where true] [b where true]",
                    "--control", "none",
                ],
                input: #"{"time":0,"type":"a","user":"u"}"# + "\n" + #"{"time":1000,"type":"b","user":"u"}"# + "\n"
            )
        },
        Workload("weir run shake, a file of ten lines, to its first match", in: .plain("ms"), goal: .atMost(5)) {
            try milliseconds(toFirstOutputOf: [hostPath, "run", "shake", try files.tenLines()], input: "")
        },
    ]

    private static let alone = "in process: file → CSV → shake, processor time"

    /// How long a program takes from its start until it writes something, with its input waiting for it.
    private static func milliseconds(toFirstOutputOf arguments: [String], input: String) throws -> Double {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        let time = cbench_first_output(pointers, input)
        guard time > 0 else { throw MeasurementFailure("'\(arguments[0])' wrote nothing") }
        return Double(time) / 1e6
    }

    private static let memory = [
        Workload(peakOfTenth, in: .plain("MiB")) {
            try runHost(tenth, watchingMemory: true).peakMebibytes
        },
        Workload(
            "weir run shake, 10 M rows, peak memory",
            in: .plain("MiB"),
            against: peakOfTenth,
            goal: .ratio(atMost: 1.05)
        ) {
            try runHost(rowCount, watchingMemory: true).peakMebibytes
        },
    ]

    /// The command that looks for shakes in a file.
    private static func shake(_ input: InputFiles.Input) -> [String] {
        [hostPath, "run", "shake", "--from", "file:\(input.path)", "--strict"]
    }

    /// Runs the host, and checks that it finds every shake and rejects no row.
    private static func runHost(
        _ rowCount: Int,
        _ options: [String] = [],
        watchingMemory: Bool = false
    ) throws -> CommandRun {
        let input = files.input(rowCount: rowCount)
        let run = try CommandRun(
            shake(input) + options,
            files: files,
            watchingMemory: watchingMemory
        )
        let lines = run.output.utf8.count { $0 == UInt8(ascii: "\n") }
        // Thrown and not trapped, like all that commands do wrong, so that the files are removed.
        guard lines == input.shakeCount else {
            throw MeasurementFailure("weir found \(lines) shakes instead of \(input.shakeCount)")
        }
        return run
    }

    /// The host where `Benchmarks/run` builds it, unless `WEIR` says where another one is.
    static var hostPath: String {
        if let path = ProcessInfo.processInfo.environment["WEIR"] { return path }
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: ".build/release/weir").path
    }
}
