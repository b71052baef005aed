internal import CommonStream
internal import Comparing
internal import WeirCore
internal import WeirEQL
internal import WeirQueries
internal import WeirRecords
internal import WeirSchemas

/// What is measured: finding what queries state.
enum QueryMatching {
    struct Run {
        /// Nanoseconds from batches on, without the reading before them.
        let matching: Double
        /// Nanoseconds with the reading.
        let all: Double
        let matchCount: Int
    }

    private static let schema = QuerySchema(categoryFields: ["type"])

    /// Compiles queries, as `weir match --category type` does.
    static func start(_ queries: [String], _ output: MatchOutput) throws -> RecordConsumer {
        let rules = try queries.enumerated().map { number, query in
            QueryRule(name: "rule\(number)", plan: try EQL().compile(query, against: schema))
        }
        let plugin = QueryPlugin(rules, over: schema)
        return try plugin.start(OptionValues(plugin.options), output: output)
    }

    /// Reads events from memory, finds matches, and writes them as lines that are thrown away.
    static func run(_ queries: [String], over bytes: [UInt8], _ format: some Format) throws -> Run {
        let output = MatchOutput()
        let consumer = try start(queries, output)
        var reader = RecordReader(ByteSource(bytes), format: format, schema: consumer.schema)
        var matching = 0.0
        let all = try nanoseconds(per: 1) {
            while try reader.next({ batch in
                matching += nanoseconds(per: 1) { consumer.receive(&batch) }
                if let rejection = batch.rejections.first { throw MeasurementFailure("rejected: \(rejection.reason)") }
                output.take { _ in }
            }) {}
            consumer.finish(.finished)
        }
        return Run(matching: matching, all: all, matchCount: Int(output.count))
    }

    /// Compiles a query, reads events from memory one batch after the other, and stops at the first match.
    ///
    /// - Returns: Milliseconds; that of the match.
    /// - Throws: `WrongResult` where there is none.
    static func millisecondsToFirstMatch(_ query: String, over bytes: [UInt8], _ format: some Format) throws -> Double {
        var lineCount = 0
        let cost = try nanoseconds(per: 1) {
            let output = MatchOutput()
            let consumer = try start([query], output)
            var reader = RecordReader(ByteSource(bytes), format: format, schema: consumer.schema)
            while lineCount == 0, try reader.next({ consumer.receive(&$0) }) {
                output.take { lines in if !lines.isEmpty { lineCount += 1 } }
            }
        }
        guard lineCount > 0 else { throw WrongResult(0, insteadOf: 1) }
        return cost / 1_000_000
    }

    /// Reads the fields that the queries want, and counts the records.
    static func read(_ bytes: [UInt8], _ format: some Format) throws -> Int {
        let schema = RecordSchema(fields: ["time", "key", "type"].map { RecordSchema.Field($0) })
        var reader = RecordReader(ByteSource(bytes), format: format, schema: schema)
        var count = 0
        while try reader.next({ count += $0.count }) {}
        return count
    }

    /// Finds matches in typed events.
    ///
    /// - Returns: Nanoseconds per event, and the number of matches.
    static func run(_ query: String, over events: [StreamEvent]) throws -> (cost: Double, matchCount: Int) {
        let schema = EventSchema<StreamEvent>("StreamEvent", .field("key", \.key), .field("type", \.letter))
        let query = try Query(query, in: EQL(), over: schema, categoryFields: ["type"])
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        channel.matches(of: query).subscribe { result.add(Double($0.events.count)) }
        let cost = nanoseconds(per: events.count) {
            channel.publish(inBatches: ContiguousArray(events).span, sendsWatermarks: true)
            channel.finish()
        }
        return (cost, result.tally.count)
    }
}

extension StreamEvent {
    /// The type as the text formats have it.
    fileprivate var letter: String { ["A", "B", "C", "D"][Int(type)] }
}
