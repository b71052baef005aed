internal import CAllocations
internal import CommonStream
internal import Comparing
internal import WeirCore
internal import WeirRecords
internal import WeirSelection

/// What is measured: reading events and counting those with a value above one half.
enum Counting {
    /// Reads a source to its end; throws when there are too few events, or too many.
    static func run(_ source: any TransportSource, _ file: EventFile) throws {
        let measurements = RecordSource(decoding: Measurement.self)
        let result = TallyResult()
        measurements.filter { $0.value > 0.5 }.attach(CountSink(result))
        let consumer = measurements.consumer()
        var reader = RecordReader(source, format: file.format, schema: consumer.schema)
        while try reader.next({ batch in
            consumer.receive(&batch)
            if let rejection = batch.rejections.first { throw MeasurementFailure("rejected: \(rejection.reason)") }
        }) {}
        consumer.finish(.finished)
        guard result.tally.count == file.matchCount else {
            throw MeasurementFailure("\(result.tally.count) events matched instead of \(file.matchCount)")
        }
    }

    /// Only finds the records and their fields.
    static func split(_ source: any TransportSource, _ file: EventFile) throws {
        var reader = RecordReader(source, format: file.format, schema: RecordSchema(Measurement.Key.self))
        var count = 0
        while try reader.next({ count += $0.count }) {}
        guard count == file.eventCount else {
            throw MeasurementFailure("\(count) records instead of \(file.eventCount)")
        }
    }

    /// How many allocations it takes to count what is in memory.
    static func allocations(_ file: EventFile) throws -> Double {
        let source = ByteSource(file.bytes)
        let before = callocations_count()
        guard before >= 0 else { return .nan }
        try run(source, file)
        return Double(callocations_count() - before)
    }
}
