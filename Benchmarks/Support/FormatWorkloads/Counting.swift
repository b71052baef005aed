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

    /// Reads the values as a column, and adds up those above one half.
    static func columns(_ source: any TransportSource, _ file: EventFile) throws {
        var times = RecordColumn<Timestamp>(Measurement.Key.time)
        var values = RecordColumn<Double>(Measurement.Key.value)
        var reader = RecordReader(source, format: file.format, schema: RecordSchema(Measurement.Key.self))
        var count = 0
        var sum = 0.0
        while try reader.next({ batch in
            times.read(batch)
            values.read(batch)
            guard times.isComplete, values.isComplete else { throw MeasurementFailure("a value is missing") }
            for value in values.values {
                // Both in any case: a branch that is taken half of the time costs more than the reading.
                let isCounted = value > 0.5
                count += isCounted ? 1 : 0
                sum += isCounted ? value : 0
            }
        }) {}
        guard count == file.matchCount, sum > 0 else {
            throw MeasurementFailure("\(count) values matched instead of \(file.matchCount)")
        }
    }

    /// How many allocations it takes to count what is in memory.
    static func allocations(_ file: EventFile) throws -> Double {
        let source = ByteSource(file.bytes)
        let before = callocations_count()
        guard before >= 0 else { return .nan }
        try run(source, file)
        try columns(ByteSource(file.bytes), file)
        return Double(callocations_count() - before)
    }
}
