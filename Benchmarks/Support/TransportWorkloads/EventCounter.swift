internal import Synchronization
internal import WeirCore
internal import WeirFormats
internal import WeirSelection

/// What a line holds, three of whose fields are read.
struct Reading: Event, FieldDecodable {
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

/// Reads events and counts those with a value above one half.
final class EventCounter {
    private let total = Total()
    private let source = RecordSource(decoding: Reading.self)
    private(set) var events = 0

    /// How many had a value above one half.
    var matches: Int { total.count.load(ordering: .relaxed) }

    init() {
        source.filter { $0.value > 0.5 }.attach(CountSink(total))
    }

    /// Reads until the source ends or is interrupted.
    func run(_ transport: any TransportSource) throws {
        let consumer = source.consumer()
        var reader = RecordReader(transport, format: JSONLinesFormat(), schema: consumer.schema)
        do {
            while try reader.next({ batch in
                events += batch.count
                consumer.receive(&batch)
                if let rejection = batch.rejections.first { throw TransportFailure("rejected: \(rejection.reason)") }
            }) {}
        } catch TransportError.interrupted {
            // That is how a source of datagrams ends.
        }
        consumer.finish(.finished)
    }
}

/// Why a measurement is worth nothing.
struct TransportFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Where a sink leaves its count.
final class Total: Sendable {
    let count = Atomic(0)
}

/// Counts, and says how many at the end.
struct CountSink: Sink {
    private let total: Total
    private var count = 0

    init(_ total: Total) { self.total = total }

    mutating func receive(_ element: borrowing Reading, at time: Timestamp) { count += 1 }
    mutating func advance(to watermark: Timestamp) {}
    mutating func finish(_ completion: Completion) { total.count.store(count, ordering: .relaxed) }
}
