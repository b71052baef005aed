internal import CAllocations
internal import CommonStream
internal import WeirCore

/// Runs the events of an array through a channel in batches, each followed by a watermark, as sources do.
struct Pipeline: Sendable {
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
        let middle = events.count / 2
        channel.publish(inBatches: ContiguousArray(events).span.extracting(..<middle), sendsWatermarks: sendsWatermarks)
        let before = callocations_count()
        channel.publish(inBatches: ContiguousArray(events).span.extracting(middle...), sendsWatermarks: sendsWatermarks)
        allocations = before < 0 ? .nan : Double(callocations_count() - before)
        channel.finish()
        tally = result.tally
    }
}
