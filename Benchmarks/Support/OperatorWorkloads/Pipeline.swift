internal import CAllocations
internal import CommonStream
internal import WeirCore

/// Runs the events of an array through a channel in batches, each followed by a watermark, as sources do.
struct Pipeline: Sendable {
    static let batchSize = 256

    /// How many allocations there were from the middle to the end, before the completion.
    private(set) var allocations = 0.0
    private(set) var tally = Tally()

    /// Runs a pipeline.
    ///
    /// - Parameters:
    ///   - events: The events in the order in which they are published.
    ///   - sendsWatermarks: Whether a watermark follows each batch.
    ///   - attach: Builds the pipeline; its sink leaves its tally in the result.
    init(
        _ events: [StreamEvent],
        sendsWatermarks: Bool = false,
        _ attach: (EventChannel<StreamEvent>, TallyResult) -> Void
    ) {
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        attach(channel, result)
        let middle = events.count / 2 / Self.batchSize * Self.batchSize
        Self.publish(events, 0..<middle, channel, sendsWatermarks)
        let before = callocations_count()
        Self.publish(events, middle..<events.count, channel, sendsWatermarks)
        allocations = before < 0 ? .nan : Double(callocations_count() - before)
        channel.finish()
        tally = result.tally
    }

    @inline(never)
    private static func publish(
        _ events: [StreamEvent],
        _ range: Range<Int>,
        _ channel: EventChannel<StreamEvent>,
        _ sendsWatermarks: Bool
    ) {
        let events = events.span
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(start + batchSize, range.upperBound)
            channel.publish(contentsOf: events.extracting(start..<end))
            if sendsWatermarks { channel.advance(to: events[end - 1].timestamp) }
            start = end
        }
    }
}
