internal import CommonStream
internal import WeirCore
internal import WeirSelection

/// W1: the values above one half, doubled, summed up; a sum is emitted for each.
enum RunningSum {
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
