import WeirCore
import WeirRecords

/// Counts and sums per key, reports every third event of one, and everything at the end; its state can be saved.
struct StatePlugin: Plugin {
    let name = "count"
    let summary = "Counts events per key."
    let options: [OptionDeclaration] = [
        OptionDeclaration("every", .integer(1...1000), default: "3", help: "how often to report")
    ]
    let examples: [(arguments: String, meaning: String)] = []

    /// Whether its state can be saved.
    var isSaveable = true

    /// How many bytes its state takes beside what it counts.
    var ballast = 0

    /// Called when its state is saved, where that may be a copy of the process.
    var onSave: (@Sendable () -> Void)?

    /// Called with the number of each event, before it is counted.
    var onEvent: (@Sendable (Int) -> Void)?

    struct Reading: Event, FieldDecodable {
        enum Key: Int, FieldKey { case time, key, value }
        let timestamp: Timestamp
        let key: String
        let value: Int

        init(from record: borrowing FieldReader<Key>) throws(FieldError) {
            timestamp = try record.timestamp(.time)
            key = try record.string(.key)
            value = try Int(record.integer(.value))
        }
    }

    struct Count: FieldEncodable {
        let key: String
        let count: Int
        let sum: Int

        func encode(to writer: inout FieldWriter) {
            writer.write("key", key)
            writer.write("count", count)
            writer.write("sum", sum)
        }
    }

    func partitionField(_ options: OptionValues) -> String? { "key" }

    func matchFields(_ options: OptionValues) -> [String] { ["key", "count", "sum"] }

    func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let counts = Locked<[String: (count: Int, sum: Int)]>([:])
        let every = options.integer("every")
        var schema = RecordSchema(Reading.Key.self)
        schema.timeField = 0
        let readings = RecordSource(SelfDecoder<Reading>(), schema: schema)
        let (onEvent, onSave, ballast) = (onEvent, onSave, ballast)
        let number = Locked(0)
        readings.subscribe { reading in
            if let onEvent {
                onEvent(
                    number.withLock { number in
                        number += 1
                        return number
                    }
                )
            }
            let now = counts.withLock { counts in
                let before = counts[reading.key] ?? (0, 0)
                counts[reading.key] = (before.count + 1, before.sum &+ reading.value)
                return (count: before.count + 1, sum: before.sum &+ reading.value)
            }
            if now.count % every == 0 {
                output.write(Count(key: reading.key, count: now.count, sum: now.sum), at: reading.timestamp)
            }
        }
        let inner = readings.consumer()
        var consumer = RecordConsumer(
            schema: inner.schema,
            receive: inner.receive,
            finish: { completion in
                inner.finish(completion)
                for (key, now) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
                    output.write(Count(key: "all \(key)", count: now.count, sum: now.sum))
                }
            }
        )
        guard isSaveable else { return consumer }
        consumer.state = ConsumerState(fingerprint: "counts of \(every)") {
            let lines = counts.withLock { $0 }.sorted { $0.key < $1.key }.map {
                "\($0.key)\u{1F}\($0.value.count)\u{1F}\($0.value.sum)\u{1E}"
            }
            onSave?()
            return Array((lines.joined() + String(repeating: " ", count: ballast)).utf8)
        } restore: { bytes, _ in
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\u{1E}") {
                let parts = line.split(separator: "\u{1F}")
                if parts.count == 1, line.allSatisfy({ $0 == " " }) { break }
                guard parts.count == 3, let count = Int(parts[1]), let sum = Int(parts[2]) else { throw Unreadable() }
                counts.withLock { $0[String(parts[0])] = (count, sum) }
            }
            return nil
        }
        return consumer
    }

    struct Unreadable: Error {}

    func makeDemo(seed: UInt64) -> any TransportSource {
        ByteSource(Array(("time,key,value\n" + (0..<500).map { "\($0),a,1\n" }.joined()).utf8))
    }
}
