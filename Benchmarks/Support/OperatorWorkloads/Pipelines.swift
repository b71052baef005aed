internal import CommonStream
internal import WeirAggregates
internal import WeirCore
internal import WeirExpressions
internal import WeirFlow
internal import WeirSchemas
internal import WeirSelection
internal import WeirSequences
internal import WeirWindows

/// The workloads as pipelines of operators.
enum Pipelines {
    static func runningSumOfClosures() -> Pipeline {
        Pipeline(Streams.common) { channel, result in
            channel.filter { $0.value > 0.5 }.map { $0.value * 2 }.scan(into: 0.0) { $0 += $1 }
                .attach(LastValueSink(result))
        }
    }

    static func runningSumOfExpressions() -> Pipeline {
        Pipeline(Streams.common) { channel, result in
            channel.where { $0.value > 0.5 }.select { $0.value * 2 }.scan(into: 0.0, with: BinaryOperations.Sum.self)
                .attach(LastValueSink(result))
        }
    }

    static func runningSumOfComputedProperty() -> Pipeline {
        Pipeline(Streams.common) { channel, result in
            channel.where { $0.computedValue > 0.5 }.select { $0.value * 2 }
                .scan(into: 0.0, with: BinaryOperations.Sum.self)
                .attach(LastValueSink(result))
        }
    }

    /// The condition and the projection are read from trees.
    static func runningSumBuiltAtRunTime() throws -> Pipeline {
        let schema = EventSchema<StreamEvent>("StreamEvent", .field("value", \.value), .field("key", \.key))
        let condition = try schema.condition(.operation(.greater, [.field("value"), .literal(0.5)]))
        let double = try schema.projection(.operation(.product, [.field("value"), .literal(2)]), as: Double.self)
        return Pipeline(Streams.common) { channel, result in
            channel.where { condition($0) }.select { double($0) }.scan(into: 0.0, with: BinaryOperations.Sum.self)
                .attach(LastValueSink(result))
        }
    }

    static func jumpsOfClosures() -> Pipeline {
        Pipeline(Streams.common) { channel, result in
            channel.followedBy { previous, current in (current.value - previous.value).magnitude > 0.9 }
                .map { previous, current in (current.value - previous.value).magnitude }
                .attach(TallySink<Double>(result))
        }
    }

    static func jumpsOfExpressions() -> Pipeline {
        Pipeline(Streams.common) { channel, result in
            channel.followedByWhere { abs($0.value - $1.value) > 0.9 }
                .map { previous, current in (current.value - previous.value).magnitude }
                .attach(TallySink<Double>(result))
        }
    }

    static func meansByCount() -> Pipeline {
        Pipeline(Streams.common) { channel, result in
            channel.tumbling(count: 1000).mean(of: \.value).attach(TallySink(result))
        }
    }

    static func meansByTime() -> Pipeline {
        Pipeline(Streams.common, sendsWatermarks: true) { channel, result in
            channel.tumbling(.seconds(1)).mean(of: \.value).attach(TallySink(result))
        }
    }

    static func meansByTimeAscending() -> Pipeline {
        Pipeline(Streams.common) { channel, result in
            channel.watermarks(lag: .zero).tumbling(.seconds(1)).mean(of: \.value).attach(TallySink(result))
        }
    }

    static func sumsByKey(_ events: [StreamEvent], keyCount: Int) -> Pipeline {
        Pipeline(events) { channel, result in
            channel.grouped(by: \.key, limit: keyCount) { $0.running(Sum(of: \.value)) }.attach(TallySink(result))
        }
    }

    static func hoppingMaxima() -> Pipeline {
        Pipeline(Streams.common, sendsWatermarks: true) { channel, result in
            channel.hopping(.seconds(10), every: .seconds(1)).max(of: \.value).attach(TallySink(result))
        }
    }

    static func slidingMaxima(_ events: [StreamEvent], _ length: Int) -> Pipeline {
        Pipeline(events) { channel, result in
            channel.sliding(.milliseconds(length)).max(of: \.value).attach(TallySink(result))
        }
    }

    static func ordered() -> Pipeline {
        Pipeline(Streams.disordered) { channel, result in
            channel.ordered(within: .milliseconds(100)).attach(OrderSink(result))
        }
    }

    static func union(_ events: [StreamEvent]) -> Pipeline {
        Pipeline(events) { channel, result in
            let (firsts, seconds) = channel.partition(\.isFirst)
            firsts.union(seconds).map { $0.value }.attach(TallySink(result))
        }
    }

    /// The events as one burst, a microsecond apart.
    static func debounced(_ events: [StreamEvent]) -> Pipeline {
        Pipeline(events) { channel, result in
            channel.debounce(for: .milliseconds(20)).map { $0.value }.attach(TallySink(result))
        }
    }

    static func pairs(_ events: [StreamEvent], within milliseconds: Int) -> Pipeline {
        Pipeline(events, sendsWatermarks: true) { channel, result in
            let (firsts, seconds) = channel.partition(\.isFirst)
            firsts.join(seconds, within: .milliseconds(milliseconds), by: \.key, and: \.key)
                .map { $0.value * $1.value }
                .attach(TallySink(result))
        }
    }
}

extension StreamEvent {
    /// Whether the event belongs to the first of two streams.
    var isFirst: Bool { type < 2 }
}
