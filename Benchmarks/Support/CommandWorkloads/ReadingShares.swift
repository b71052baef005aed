internal import CBench
internal import Comparing
internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// How much of a plugin's run is reading: the columns that it wants of a million rows, beside the whole run.
///
/// Above one half, reading would be what limits it.
struct ReadingShares {
    let files: InputFiles
    let hostPath: @Sendable () -> String

    var workloads: [Workload] { share(of: .walk, text: nil) + share(of: .fraud, text: "card") }

    private func share(of table: PluginTable, text: String?) -> [Workload] {
        let whole = "weir run \(table.rawValue), all of it"
        return [
            Workload(whole, in: .nanosecondsPerElement) {
                let arguments = [hostPath(), "run", table.rawValue, try files.table(table), "--strict"]
                return try CommandRun(arguments, files: files).processorNanoseconds / Double(PluginTable.rowCount)
            },
            Workload(
                "reading the columns of \(table.rawValue)",
                in: .nanosecondsPerElement,
                against: whole,
                goal: .ratio(atMost: 0.5)
            ) {
                let path = try files.table(table)
                let start = cbench_thread_time()
                try read(path, table.columns, text: text)
                return Double(cbench_thread_time() - start) / Double(PluginTable.rowCount)
            },
        ]
    }

    /// Reads a file to its end: a time, perhaps a text, and numbers.
    private func read(_ path: String, _ names: [String], text: String?) throws {
        let textField = text.flatMap { names.firstIndex(of: $0) }
        var times = RecordColumn<Timestamp>(field: 0)
        var texts = TextColumn(field: textField ?? 0)
        var numbers = names.indices.dropFirst().filter { $0 != textField }.map { RecordColumn<Double>(field: $0) }
        let schema = RecordSchema(fields: names.map { RecordSchema.Field($0) })
        var reader = RecordReader(try FileTransport().openSource(path), format: CSVFormat(), schema: schema)
        var count = 0
        while try reader.next({ batch in
            times.read(batch)
            if textField != nil { texts.read(batch) }
            for index in numbers.indices { numbers[index].read(batch) }
            guard times.isComplete, numbers.allSatisfy(\.isComplete) else {
                throw MeasurementFailure("a number is missing")
            }
            count += batch.count
        }) {}
        guard count == PluginTable.rowCount else { throw MeasurementFailure("\(count) rows were read") }
    }
}
