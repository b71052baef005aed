internal import CommonStream
internal import WeirCore
internal import WeirFormats
internal import WeirRecords
internal import WeirSelection

/// Reading the common stream from text and adding up the values above one half.
enum Records {
    enum Text {
        case csv, jsonLines
    }

    /// Reads `count` records of a text that is made for a capacity.
    static func run(_ text: Text, count: Int, capacity: Int) throws -> Tally {
        let (bytes, ends) = make(text, capacity)
        let source = ByteSource(Array(bytes[..<ends[count - 1]]))
        return try read(source, as: text == .csv ? CSVFormat() : JSONLinesFormat()) { measurements, result in
            measurements.filter { $0.value > 0.5 }.map { $0.value }.attach(TallySink(result))
        }
    }

    /// Reads the same records by hand.
    static func runByHand(_ text: Text, count: Int, capacity: Int) -> Tally {
        let (bytes, ends) = make(text, capacity)
        return switch text {
        case .csv:
            ByHand.sum(
                of: bytes,
                from: StreamEvent.csvHeader.utf8.count,
                to: ends[count - 1],
                prefixes: ["", ",", ",A,"]
            )
        case .jsonLines:
            ByHand.sum(
                of: bytes,
                from: 0,
                to: ends[count - 1],
                prefixes: [#"{"time":"#, #","key":"#, #","type":"A","value":"#]
            )
        }
    }

    /// Reads a source to its end.
    static func read(
        _ source: any TransportSource,
        as format: any Format,
        _ attach: (RecordSource<SelfDecoder<Measurement>>, TallyResult) -> Void
    ) throws -> Tally {
        let measurements = RecordSource(decoding: Measurement.self)
        let result = TallyResult()
        attach(measurements, result)
        let consumer = measurements.consumer()
        var reader = RecordReader(source, format: format, schema: consumer.schema)
        while try reader.next({ batch in consumer.receive(&batch) }) {}
        consumer.finish(.finished)
        return result.tally
    }

    /// Reads times and values of a source as columns to its end, and adds up the values above one half.
    static func readColumns(_ source: any TransportSource, as format: any Format) throws -> Tally {
        var times = RecordColumn<Timestamp>(field: 0)
        var values = RecordColumn<Double>(field: 1)
        let schema = RecordSchema(fields: [RecordSchema.Field("time"), RecordSchema.Field("value")])
        var reader = RecordReader(source, format: format, schema: schema)
        var tally = Tally()
        while try reader.next({ batch in
            times.read(batch)
            values.read(batch)
            addUp(values.values, in: &tally)
        }) {}
        return tally
    }

    /// Reads all four columns of a source to its end, and adds up the values above one half, all keys, and one for each
    /// event of type A.
    static func readTable(_ source: any TransportSource, as format: any Format) throws -> Tally {
        var times = RecordColumn<Timestamp>(field: 0)
        var keys = RecordColumn<Int64>(field: 1)
        var types = TextColumn(field: 2)
        var values = RecordColumn<Double>(field: 3)
        let names = ["time", "key", "type", "value"]
        var reader = RecordReader(
            source,
            format: format,
            schema: RecordSchema(fields: names.map { RecordSchema.Field($0) })
        )
        var tally = Tally()
        var others: Int64 = 0
        while try reader.next({ batch in
            times.read(batch)
            keys.read(batch)
            types.read(batch)
            values.read(batch)
            addUp(values.values, in: &tally)
            for key in keys.values { others &+= key }
            if let wanted = types.texts.firstIndex(of: "A") {
                for code in types.codes { others &+= Int(code) == wanted ? 1 : 0 }
            }
        }) {}
        tally.sum += Double(others)
        return tally
    }

    private static func addUp(_ values: [Double], in tally: inout Tally) {
        for value in values {
            // Both in any case: a branch that is taken half of the time costs more than the reading.
            let isCounted = value > 0.5
            tally.count += isCounted ? 1 : 0
            tally.sum += isCounted ? value : 0
        }
    }

    /// The text, and where each record ends in it.
    private static func make(_ text: Text, _ count: Int) -> (bytes: [UInt8], ends: [Int]) {
        var bytes: [UInt8] = text == .csv ? Array(StreamEvent.csvHeader.utf8) : []
        var ends: [Int] = []
        for event in CommonStream.events(count) {
            bytes += (text == .csv ? event.csvLine : event.jsonLine).utf8
            ends.append(bytes.count)
        }
        return (bytes, ends)
    }
}
