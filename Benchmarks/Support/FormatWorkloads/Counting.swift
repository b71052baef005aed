internal import CAllocations
internal import Synchronization
internal import WeirCore
internal import WeirSelection

/// Three of the four fields of an event of the common stream.
struct Measurement: Event, FieldDecodable {
    enum Key: Int, FieldKey { case time, key, value }

    let timestamp: Timestamp
    let key: Int64
    let value: Double

    init(from record: borrowing FieldReader<Key>) throws(FieldError) {
        timestamp = try record.timestamp(.time)
        key = try record.integer(.key)
        value = try record.double(.value)
    }
}

/// What is measured: reading events and counting those with a value above one half.
enum Counting {
    /// Reads a source to its end; throws when there are too few events, or too many.
    static func run(_ source: any TransportSource, _ file: EventFile) throws {
        let measurements = RecordSource(decoding: Measurement.self)
        let result = CountResult()
        measurements.filter { $0.value > 0.5 }.attach(CountSink(result))
        let consumer = measurements.consumer()
        var reader = RecordReader(source, format: file.format, schema: consumer.schema)
        while try reader.next({ batch in
            consumer.receive(&batch)
            if let rejection = batch.rejections.first { throw FormatFailure("rejected: \(rejection.reason)") }
        }) {}
        consumer.finish(.finished)
        guard result.count == file.matchCount else {
            throw FormatFailure("\(result.count) events matched instead of \(file.matchCount)")
        }
    }

    /// Only finds the records and their fields.
    static func split(_ source: any TransportSource, _ file: EventFile) throws {
        var reader = RecordReader(source, format: file.format, schema: RecordSchema(Measurement.Key.self))
        var count = 0
        while try reader.next({ count += $0.count }) {}
        guard count == file.eventCount else {
            throw FormatFailure("\(count) records instead of \(file.eventCount)")
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

/// Why a measurement is worth nothing.
struct FormatFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Where a sink leaves its count at the end.
final class CountResult: Sendable {
    private let value = Mutex(0)

    var count: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Counts the elements.
struct CountSink: Sink {
    private let result: CountResult
    private var count = 0

    init(_ result: CountResult) {
        self.result = result
    }

    mutating func receive(_ element: borrowing Measurement, at time: Timestamp) {
        count += 1
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        result.count = count
    }
}
