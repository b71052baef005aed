internal import CommonStream
internal import WeirAggregates
internal import WeirCore
internal import WeirDispatch
internal import WeirExpressions
internal import WeirFlow
internal import WeirPatterns
internal import WeirSelection
internal import WeirSequences
internal import WeirSignals
internal import WeirWindows

/// Work whose instructions are counted.
///
/// The counter runs the work on `count` events and on twice as many, and takes the difference: what it takes to start,
/// to make the input (always for twice as many) and to fill windows the first time is in both and cancels out.
struct HotPath: Sendable {
    /// One word, for the command line and the baseline.
    let name: String

    /// How many events the shorter of the two runs handles.
    let count: Int

    /// Handles the first events of an input that is made for a capacity, and returns what came out of it.
    let run: @Sendable (_ count: Int, _ capacity: Int) throws -> Tally

    /// The same by hand, which must come to the same: the limit.
    let byHand: @Sendable (_ count: Int, _ capacity: Int) -> Tally

    static let all: [HotPath] = [
        publishing, filterMapScan, filterMapScanExpressions, followedBy, tumblingCountMean, hoppingMaximum, groupedSum,
        groupedSumWithKey, pattern, patternOfRuns, csv, jsonLines, ring, timers, signals,
    ]

    private static let publishing = HotPath(name: "publish", count: 100_000) { count, capacity in
        let events = CommonStream.events(capacity)
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        channel.subscribe { result.add($0.value) }
        for index in 0..<count { channel.publish(events[index]) }
        return result.tally
    } byHand: { count, capacity in
        let result = TallyResult()
        ByHand.call([{ result.add($0.value) }], CommonStream.events(capacity), count)
        return result.tally
    }

    private static let filterMapScan = operators("filter-map-scan", ByHand.runningSums) { channel, result in
        channel.filter { $0.value > 0.5 }.map { $0.value * 2 }.scan(into: 0.0) { $0 += $1 }
            .attach(TallySink(result))
    }

    private static let filterMapScanExpressions = operators("filter-map-scan-expressions", ByHand.runningSums) {
        channel,
        result in
        channel.where { $0.value > 0.5 }.select { $0.value * 2 }.scan(into: 0.0, with: BinaryOperations.Sum.self)
            .attach(TallySink(result))
    }

    private static let followedBy = operators("followed-by", CommonStream.Loops.jumps) { channel, result in
        channel.followedBy { previous, current in (current.value - previous.value).magnitude > 0.9 }
            .map { previous, current in (current.value - previous.value).magnitude }
            .attach(TallySink<Double>(result))
    }

    private static let tumblingCountMean = operators("tumbling-count-mean", CommonStream.Loops.meansByCount) {
        channel,
        result in
        channel.tumbling(count: 1000).mean(of: \.value).attach(TallySink(result))
    }

    private static let hoppingMaximum = operators("hopping-maximum", CommonStream.Loops.hoppingMaxima) {
        channel,
        result in
        channel.hopping(.seconds(10), every: .seconds(1)).max(of: \.value).attach(TallySink(result))
    }

    private static let groupedSum = operators(
        "grouped-sum",
        { CommonStream.Loops.sumsByKey($0, keyCount: 1000) }
    ) { channel, result in
        channel.grouped(by: \.key, limit: 1000) { $0.running(Sum(of: \.value)) }
            .attach(TallySink<Double>(result))
    }

    private static let groupedSumWithKey = operators(
        "grouped-sum-with-key",
        { CommonStream.Loops.sumsByKey($0, keyCount: 1000) }
    ) { channel, result in
        channel.grouped(by: \.key, limit: 1000) { group in
            let key = group.key
            return group.running(Sum(of: \.value)).map { SumOfKey(key: key, number: $0) }
        }
        .attach(TallySink<SumOfKey>(result))
    }

    private struct SumOfKey: Tallied {
        let key: UInt32
        let number: Double
    }

    private static let pattern = pattern("pattern", .compact)

    private static let patternOfRuns = pattern("pattern-runs", .runs)

    private static let csv = HotPath(name: "csv", count: 20_000) { count, capacity in
        try Records.run(.csv, count: count, capacity: capacity)
    } byHand: { count, capacity in
        Records.runByHand(.csv, count: count, capacity: capacity)
    }

    private static let jsonLines = HotPath(name: "json-lines", count: 20_000) { count, capacity in
        try Records.run(.jsonLines, count: count, capacity: capacity)
    } byHand: { count, capacity in
        Records.runByHand(.jsonLines, count: count, capacity: capacity)
    }

    private static let ring = HotPath(name: "ring", count: 100_000) { count, _ in
        let ends = try Ring<StreamEvent>.makeEnds(capacity: 1024)
        var producer = ends.producer
        var consumer = ends.consumer
        var generator = CommonStream.Generator()
        let event = generator.next()
        var tally = Tally()
        for _ in 0..<count {
            guard producer.push(event), let popped = consumer.pop() else { break }
            tally.add(popped.value)
        }
        return tally
    } byHand: { count, _ in
        var generator = CommonStream.Generator()
        return ByHand.ring(generator.next(), count)
    }

    private static let timers = HotPath(name: "timers", count: 100_000) { count, _ in
        var queue = try TimerQueue<UInt64>(limit: 1001)
        var random = SplitMix64(seed: 42)
        for number in 0..<1000 { try queue.add(at: deadline(&random, after: 0), UInt64(number)) }
        var tally = Tally()
        for index in 0..<count {
            guard let due = queue.popDue(upTo: .distantFuture) else { break }
            tally.add(Double(due.payload))
            try queue.add(at: deadline(&random, after: Int64(index)), UInt64(index))
        }
        return tally
    } byHand: { count, _ in
        ByHand.timers(1000, count) { deadline(&$0, after: $1).nanosecondsSinceEpoch }
    }

    private static let signals = HotPath(name: "signals", count: 5000) { count, _ in
        let root = MutableSignal(0)
        var last: Signal<Int> = root
        for _ in 0..<10 {
            let below = last
            last = Signal { below() &+ 1 }
        }
        var tally = Tally()
        for value in 1...count {
            root.value = value
            tally.add(Double(last()))
        }
        return tally
    } byHand: { count, _ in
        ByHand.chain(10, count)
    }

    /// A, then the next B, then the next C, of a key within 10 s.
    static var abc: some EventPattern<StreamEvent, (StreamEvent, StreamEvent, StreamEvent)> {
        Pattern<StreamEvent>
            .first { $0.type == 0 }
            .followedBy { $0.type == 1 }
            .followedBy { $0.type == 2 }
            .within(.seconds(10))
            .grouped(by: { $0.key })
    }

    private static func pattern(_ name: String, _ strategy: StrategyChoice) -> HotPath {
        operators(name, ByHand.sequences) { channel, result in
            channel.matches(of: abc, PatternSettings(strategy: strategy, reportsTimeouts: false))
                .map { Double($0.2.key) }
                .attach(TallySink(result))
        }
    }

    private static func deadline(_ random: inout SplitMix64, after start: Int64) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: start + Int64(random.next() % 1000))
    }

    /// A pipeline that gets the events in batches of 256, each followed by a watermark.
    private static func operators(
        _ name: String,
        _ byHand: @escaping @Sendable (_ events: [StreamEvent]) -> Tally,
        _ attach: @escaping @Sendable (EventChannel<StreamEvent>, TallyResult) -> Void
    ) -> HotPath {
        HotPath(name: name, count: 100_000) { count, capacity in
            let events = CommonStream.events(capacity)
            let channel = EventChannel<StreamEvent>()
            let result = TallyResult()
            attach(channel, result)
            channel.publish(inBatches: ContiguousArray(events).span.extracting(..<count), sendsWatermarks: true)
            channel.finish()
            return result.tally
        } byHand: { count, capacity in
            var events = CommonStream.events(capacity)
            // In place, so that it costs the same for each count.
            events.removeLast(capacity - count)
            return byHand(events)
        }
    }
}
