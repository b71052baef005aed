internal import CommonStream
internal import WeirCore
internal import WeirFormats
internal import WeirSelection

/// Reading the common stream from text and adding up the values above one half.
enum Records {
    enum Text {
        case csv, jsonLines
    }

    /// Three of the four fields of an event.
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

    /// Reads so many records of a text that is made for a capacity.
    static func run(_ text: Text, count: Int, capacity: Int) throws -> Tally {
        let (bytes, ends) = make(text, capacity)
        let source = ByteSource(Array(bytes[..<ends[count - 1]]))
        return try read(source, as: text == .csv ? CSVFormat() : JSONLinesFormat())
    }

    /// Reads the same records by hand.
    static func runByHand(_ text: Text, count: Int, capacity: Int) -> Tally {
        let (bytes, ends) = make(text, capacity)
        return switch text {
        case .csv:
            ByHand.sum(of: bytes, from: header.utf8.count, to: ends[count - 1], prefixes: ["", ",", ",A,"])
        case .jsonLines:
            ByHand.sum(
                of: bytes,
                from: 0,
                to: ends[count - 1],
                prefixes: [#"{"time":"#, #","key":"#, #","type":"A","value":"#]
            )
        }
    }

    private static let header = "time,key,type,value\n"

    /// Reads a source to its end.
    static func read(_ source: any TransportSource, as format: any Format) throws -> Tally {
        let measurements = RecordSource(decoding: Measurement.self)
        let result = TallyResult()
        measurements.filter { $0.value > 0.5 }.map { $0.value }.attach(TallySink(result))
        let consumer = measurements.consumer()
        var reader = RecordReader(source, format: format, schema: consumer.schema)
        while try reader.next({ batch in consumer.receive(&batch) }) {}
        consumer.finish(.finished)
        return result.tally
    }

    /// The text, and where each record ends in it.
    private static func make(_ text: Text, _ count: Int) -> (bytes: [UInt8], ends: [Int]) {
        var bytes: [UInt8] = text == .csv ? Array(header.utf8) : []
        var ends: [Int] = []
        for event in CommonStream.events(count) {
            let time = event.timestamp.nanosecondsSinceEpoch / 1_000_000
            let type = ["A", "B", "C", "D"][Int(event.type)]
            let line =
                switch text {
                case .csv: "\(time),\(event.key),\(type),\(event.value)\n"
                case .jsonLines:
                    #"{"time":\#(time),"key":\#(event.key),"type":"\#(type)","value":\#(event.value)}"# + "\n"
                }
            bytes += line.utf8
            ends.append(bytes.count)
        }
        return (bytes, ends)
    }
}
