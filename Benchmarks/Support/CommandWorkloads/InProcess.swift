internal import CAllocations
internal import Comparing
internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords
internal import WeirShake

/// What `weir run shake` does, without the host and without a file.
enum InProcess {
    /// Reads CSV from memory and detects shakes; throws when it finds another number than there are.
    static func shake(_ csv: CSVInMemory) throws {
        try shake(ByteSource(csv.bytes), shakeCount: csv.shakeCount)
    }

    /// Reads a file as the host does, and detects shakes: the transport, the format and the plugin, without a host.
    static func shake(_ input: InputFiles.Input) throws {
        try shake(FileTransport().openSource(input.path), shakeCount: input.shakeCount)
    }

    private static func shake(_ source: any TransportSource, shakeCount: Int) throws {
        let plugin = ShakePlugin()
        let output = MatchOutput()
        let consumer = try plugin.start(OptionValues(plugin.options), output: output)
        var reader = RecordReader(source, format: CSVFormat(), schema: consumer.schema)
        while try reader.next({ batch in
            consumer.receive(&batch)
            if let rejection = batch.rejections.first {
                throw MeasurementFailure("a row was rejected: \(rejection.reason)")
            }
            output.take { _ in }
        }) {}
        consumer.finish(.finished)
        guard output.count == shakeCount else {
            throw MeasurementFailure("\(output.count) shakes were found instead of \(shakeCount)")
        }
    }

    /// Reads CSV from memory and splits it into fields, which nobody looks at.
    static func split(_ csv: CSVInMemory) throws {
        let consumer = try ShakePlugin().start(OptionValues(ShakePlugin().options), output: MatchOutput())
        var reader = RecordReader(ByteSource(csv.bytes), format: CSVFormat(), schema: consumer.schema)
        var count = 0
        while try reader.next({ batch in count += batch.count }) {}
        guard count == csv.rowCount else {
            throw MeasurementFailure("\(count) rows were found instead of \(csv.rowCount)")
        }
    }

    /// How many more allocations it takes to detect shakes in `more` than in `less`.
    static func furtherAllocations(_ less: CSVInMemory, _ more: CSVInMemory) throws -> Double {
        try allocations(more) - allocations(less)
    }

    private static func allocations(_ csv: CSVInMemory) throws -> Double {
        let before = callocations_count()
        guard before >= 0 else { return .nan }
        try shake(csv)
        return Double(callocations_count() - before)
    }
}
