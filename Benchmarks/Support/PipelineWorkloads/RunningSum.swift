internal import CommonStream
internal import WeirCore
internal import WeirSelection

/// W1: the values above one half, doubled, summed up; a sum is emitted for each.
enum RunningSum {
    @inline(never)
    static func byHand(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        for event in events where event.value > 0.5 {
            tally.sum += event.value * 2
            tally.count += 1
        }
        return tally
    }

    static func throughChannel(_ events: [StreamEvent], _ publish: Publish) -> Tally {
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        channel
            .filter { $0.value > 0.5 }
            .map { $0.value * 2 }
            .scan(into: 0.0) { sum, value in sum += value }
            .attach(LastValueSink(result))
        publish(events, channel)
        channel.finish()
        return result.tally
    }
}

/// Counts the elements and remembers the last.
struct LastValueSink: Sink {
    private let result: TallyResult
    private var tally = Tally()

    init(_ result: TallyResult) {
        self.result = result
    }

    mutating func receive(_ element: borrowing Double, at time: Timestamp) {
        tally.count += 1
        tally.sum = copy element
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}
