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

    /// Reads times and values as columns, and adds up the values above one half.
    static func columns(_ source: any TransportSource, _ file: EventFile) throws {
        var times = RecordColumn<Timestamp>(field: 0)
        var values = RecordColumn<Double>(field: 1)
        var tally = Tally()
        try read(source, file, ["time", "value"]) { batch in
            times.read(batch)
            values.read(batch)
            guard times.isComplete, values.isComplete else { throw MeasurementFailure("a value is missing") }
            addUp(values.values, in: &tally)
        }
        try check(tally, file)
    }

    /// Reads all four columns, the types as numbers, and adds up the values above one half.
    static func table(_ source: any TransportSource, _ file: EventFile) throws {
        var times = RecordColumn<Timestamp>(field: 0)
        var keys = RecordColumn<Int64>(field: 1)
        var types = TextColumn(field: 2)
        var values = RecordColumn<Double>(field: 3)
        var tally = Tally()
        var keySum: Int64 = 0
        try read(source, file, ["time", "key", "type", "value"]) { batch in
            times.read(batch)
            keys.read(batch)
            types.read(batch)
            values.read(batch)
            guard times.isComplete, keys.isComplete, values.isComplete, types.codes.count == values.count else {
                throw MeasurementFailure("a value is missing")
            }
            addUp(values.values, in: &tally)
            for key in keys.values { keySum &+= key }
        }
        try check(tally, file)
        guard types.texts.count == 4, keySum > 0 else { throw MeasurementFailure("the types are \(types.texts)") }
    }

    private static func read(
        _ source: any TransportSource,
        _ file: EventFile,
        _ names: [String],
        _ body: (borrowing RecordBatch) throws -> Void
    ) throws {
        let schema = RecordSchema(fields: names.map { RecordSchema.Field($0) })
        var reader = RecordReader(source, format: file.format, schema: schema)
        while try reader.next({ batch in
            guard batch.rejections.isEmpty else { throw MeasurementFailure("rejected: \(batch.rejections[0].reason)") }
            try body(batch)
        }) {}
    }

    private static func addUp(_ values: [Double], in tally: inout Tally) {
        for value in values {
            // Both in any case: a branch that is taken half of the time costs more than the reading.
            let isCounted = value > 0.5
            tally.count += isCounted ? 1 : 0
            tally.sum += isCounted ? value : 0
        }
    }

    private static func check(_ tally: Tally, _ file: EventFile) throws {
        guard tally.agrees(with: file.matches) else {
            throw MeasurementFailure("\(tally.count) values of \(tally.sum) matched instead of \(file.matches)")
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
