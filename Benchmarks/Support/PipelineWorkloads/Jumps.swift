internal import CommonStream
internal import WeirCore
internal import WeirSelection
internal import WeirSequences

/// P2: the neighbours whose values differ by more than 0.9.
enum Jumps {
    @inline(never)
    static func byHand(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        guard var previous = events.first?.value else { return tally }
        for event in events.dropFirst() {
            let difference = (event.value - previous).magnitude
            if difference > 0.9 {
                tally.count += 1
                tally.sum += difference
            }
            previous = event.value
        }
        return tally
    }

    static func throughChannel(_ events: [StreamEvent], _ publish: Publish) -> Tally {
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        channel
            .followedBy { previous, current in (current.value - previous.value).magnitude > 0.9 }
            .map { previous, current in (current.value - previous.value).magnitude }
            .attach(SumSink(result))
        publish(events, channel)
        channel.finish()
        return result.tally
    }
}

/// Counts the elements and sums them up.
struct SumSink: Sink {
    private let result: TallyResult
    private var tally = Tally()

    init(_ result: TallyResult) {
        self.result = result
    }

    mutating func receive(_ element: borrowing Double, at time: Timestamp) {
        tally.count += 1
        tally.sum += copy element
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}
