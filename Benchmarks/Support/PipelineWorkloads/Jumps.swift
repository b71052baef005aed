internal import CommonStream
internal import WeirCore
internal import WeirSelection
internal import WeirSequences

/// P2: the neighbours whose values differ by more than 0.9.
enum Jumps {
    static func throughChannel(_ events: [StreamEvent], _ publish: Publish) -> Tally {
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        channel
            .followedBy { previous, current in (current.value - previous.value).magnitude > 0.9 }
            .map { previous, current in (current.value - previous.value).magnitude }
            .attach(TallySink<Double>(result))
        publish(events, channel)
        channel.finish()
        return result.tally
    }
}
