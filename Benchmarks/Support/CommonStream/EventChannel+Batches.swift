public import WeirCore

extension EventChannel<StreamEvent> {
    /// Publishes events in batches of 256.
    ///
    /// - Parameters:
    ///   - events: The events.
    ///   - sendsWatermarks: Whether a watermark follows each batch, as it does from a source.
    @inline(never)
    public func publish(inBatches events: Span<StreamEvent>, sendsWatermarks: Bool = false) {
        var rest = events
        while !rest.isEmpty {
            let batch = rest.extracting(first: 256)
            publish(contentsOf: batch)
            if sendsWatermarks { advance(to: batch[batch.count - 1].timestamp) }
            rest = rest.extracting(droppingFirst: batch.count)
        }
    }
}
