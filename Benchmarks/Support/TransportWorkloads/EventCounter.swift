internal import CommonStream
internal import Comparing
internal import WeirCore
internal import WeirFormats
internal import WeirRecords
internal import WeirSelection

/// Reads events and counts those with a value above one half.
final class EventCounter {
    private let result = TallyResult()
    private let source = RecordSource(decoding: Measurement.self)
    private(set) var events = 0

    /// How many had a value above one half.
    var matches: Int { result.tally.count }

    init() {
        source.filter { $0.value > 0.5 }.attach(CountSink(result))
    }

    /// Reads until the source ends or is interrupted.
    func run(_ transport: any TransportSource) throws {
        let consumer = source.consumer()
        var reader = RecordReader(transport, format: JSONLinesFormat(), schema: consumer.schema)
        do {
            while try reader.next({ batch in
                events += batch.count
                consumer.receive(&batch)
                if let rejection = batch.rejections.first { throw MeasurementFailure("rejected: \(rejection.reason)") }
            }) {}
        } catch TransportError.interrupted {
            // That is how a source of datagrams ends.
        }
        consumer.finish(.finished)
    }
}
