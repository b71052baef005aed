internal import CommonStream
internal import WeirAggregates
internal import WeirCore
internal import WeirFiles
internal import WeirFlow
internal import WeirFormats
internal import WeirPatterns
internal import WeirRecords
internal import WeirSelection
internal import WeirSequences
internal import WeirWindows

/// What other engines are measured with, too: see `Benchmarks/Peers`.
enum PeerWorkload: String {
    /// How many values are above one half, and their sum.
    case filter
    /// The same, with the times and the values of all records read as columns, from a file.
    case columns
    /// The same of values with six decimals.
    case numbers
    /// The same, with all four columns; the sum of the keys and the number of events of type A are added to the sum.
    case table
    /// The values above one half, doubled: how many, and the last running sum.
    case w1
    /// The mean of each second: how many, and their sum.
    case w3t
    /// The running sums of the keys: how many, and the sum of all.
    case w4
    /// The greatest value of 10 s, every second: how many windows, and the sum of the values.
    case w5
    /// A, then B, then C of a key within 10 s: how many, and the sum of 31 times the first time, 17 times the second,
    /// and the third.
    case w6

    /// Whether it is measured on files, too.
    var isForFiles: Bool {
        switch self {
        case .filter, .columns, .numbers, .table, .w1, .w4: true
        case .w3t, .w5, .w6: false
        }
    }

    /// Reads a file, as JSON Lines if its name says so, else as CSV.
    func run(onFile path: String) throws -> Tally {
        let format: any Format = path.hasSuffix("jsonl") ? JSONLinesFormat() : CSVFormat()
        switch self {
        case .columns, .numbers: return try Records.readColumns(FileTransport().openSource(path), as: format)
        case .table: return try Records.readTable(FileTransport().openSource(path), as: format)
        case .filter, .w1, .w3t, .w4, .w5, .w6: break
        }
        return try Records.read(FileTransport().openSource(path), as: format) { measurements, result in
            switch self {
            case .filter:
                measurements.filter { $0.value > 0.5 }.map { $0.value }.attach(TallySink(result))
            case .w1:
                measurements.filter { $0.value > 0.5 }.map { $0.value * 2 }.scan(into: 0.0) { $0 += $1 }
                    .attach(LastValueSink(result))
            case .w4:
                measurements.grouped(by: \.key, limit: 1000) { $0.running(Sum(of: \.value)) }
                    .attach(TallySink<Double>(result))
            case .columns, .numbers, .table, .w3t, .w5, .w6:
                preconditionFailure("\(self) is not for records one by one")
            }
        }
    }

    /// Takes the first events as they are made.
    func run(onEvents count: Int) -> Tally {
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        switch self {
        case .filter, .columns, .numbers, .table:
            channel.filter { $0.value > 0.5 }.map { $0.value }.attach(TallySink(result))
        case .w1:
            channel.filter { $0.value > 0.5 }.map { $0.value * 2 }.scan(into: 0.0) { $0 += $1 }
                .attach(LastValueSink(result))
        case .w4:
            channel.grouped(by: \.key, limit: 1000) { $0.running(Sum(of: \.value)) }
                .attach(TallySink<Double>(result))
        case .w3t:
            channel.tumbling(.seconds(1)).mean(of: \.value).attach(TallySink(result))
        case .w5:
            channel.hopping(.seconds(10), every: .seconds(1)).max(of: \.value).attach(TallySink(result))
        case .w6:
            channel.matches(of: HotPath.abc, PatternSettings(strategy: .compact, reportsTimeouts: false))
                .map { match in
                    func milliseconds(_ event: StreamEvent) -> Int64 {
                        event.timestamp.nanosecondsSinceEpoch / 1_000_000
                    }
                    // Whole numbers below 2⁵³ add up exactly.
                    return Double(31 * milliseconds(match.0) + 17 * milliseconds(match.1) + milliseconds(match.2))
                }
                .attach(TallySink(result))
        }
        var generator = CommonStream.Generator()
        var batch: [StreamEvent] = []
        batch.reserveCapacity(256)
        var done = 0
        while done < count {
            batch.removeAll(keepingCapacity: true)
            while batch.count < 256, done + batch.count < count { batch.append(generator.next()) }
            channel.publish(contentsOf: batch)
            channel.advance(to: batch[batch.count - 1].timestamp)
            done += batch.count
        }
        channel.finish()
        return result.tally
    }
}
