internal import CAllocations
internal import Comparing
internal import WeirFiles
internal import WeirRecords

/// Filter, count and sum over columns, of a million events in each shape: the goals of reading.
///
/// The rows beside which a goal stands in M/s are for a processor at rest; `Benchmarks/Peers/run weir duckdb simdjson` has
/// the same work beside others.
struct ShapeWorkloads {
    let files: FormatFiles

    private static let eventCount = 1_000_000
    private static let fewEvents = 100_000

    /// Writes the files.
    func setUp() throws {
        for shape in EventShape.allCases {
            try files.write(try shape.makeFile(eventCount: Self.eventCount), as: Self.name(shape, "shape"))
            try files.write(try shape.makeFile(eventCount: Self.fewEvents), as: Self.name(shape, "few"))
            try files.write(try shape.makeFile(eventCount: 2 * Self.fewEvents), as: Self.name(shape, "more"))
        }
    }

    var workloads: [Workload] {
        [
            columns("CSV, two of four columns", .csv, goal: 40),
            table("CSV, all four columns", .csv, goal: 28),
            columns("CSV, all in quotes, two columns", .quoted, goal: 18),
            columns("CSV, CRLF, two columns", .crlf, goal: 18),
            columns("CSV, 17 digits, two columns", .digits, goal: 18),
            columns("JSON Lines, one shape, two fields", .jsonLines, goal: 24),
            table("JSON Lines, one shape, four fields", .jsonLines, goal: nil),
            columns("JSON Lines, a tenth irregular, two fields", .irregular, goal: 15),
            columns("JSON Lines, two shapes in turn, two fields", .mixed, goal: 12),
            columns("binary, two of four columns", .binary, goal: 100),
            table("binary, all four columns", .binary, goal: nil),
        ] + EventShape.allCases.map(memory)
    }

    private func columns(_ what: String, _ shape: EventShape, goal: Double) -> Workload {
        Workload(what, in: .millionsPerSecond, goal: .atLeast(goal)) {
            let (file, path) = files.file(Self.name(shape, "shape"))
            return try FormatWorkloads.processorTime(per: file.eventCount) {
                try Counting.columns(FileTransport().openSource(path), file)
            }
        }
    }

    private func table(_ what: String, _ shape: EventShape, goal: Double?) -> Workload {
        Workload(what, in: .millionsPerSecond, goal: goal.map { .atLeast($0) }) {
            let (file, path) = files.file(Self.name(shape, "shape"))
            return try FormatWorkloads.processorTime(per: file.eventCount) {
                try Counting.table(FileTransport().openSource(path), file)
            }
        }
    }

    /// What further records take of the heap: nothing, so memory does not grow with a file either.
    private func memory(_ shape: EventShape) -> Workload {
        Workload("\(shape.rawValue), columns: 100,000 further records", in: .plain("allocations"), goal: .atMost(0)) {
            try Self.allocations(files.file(Self.name(shape, "more")).file, shape)
                - Self.allocations(files.file(Self.name(shape, "few")).file, shape)
        }
    }

    private static func allocations(_ file: EventFile, _ shape: EventShape) throws -> Double {
        let source = ByteSource(file.bytes)
        let before = callocations_count()
        guard before >= 0 else { return .nan }
        try Counting.columns(source, file)
        if shape.hasAllFields { try Counting.table(ByteSource(file.bytes), file) }
        return Double(callocations_count() - before)
    }

    private static func name(_ shape: EventShape, _ size: String) -> String {
        "\(size)-\(shape.rawValue).\(shape.ending)"
    }
}
